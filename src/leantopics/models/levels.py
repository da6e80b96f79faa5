"""The level of topics that is asked for: themes, the finer topics, or a cut."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leantopics.models.base import TopicModel


def model_at(model: "TopicModel", level: str | int | None) -> "TopicModel":
    """Return the model of one level.

    A level is "themes", "topics" for those below them, a number of groups of these, or
    None for the model itself.

    Examples
    --------
    >>> from leantopics import ParsimoniousTopicModel, make_corpus
    >>> corpus, _ = make_corpus(200, 100, 4)
    >>> model = ParsimoniousTopicModel(4, random_state=0).fit(corpus)
    >>> model_at(model, 2).n_topics_, model_at(model, "topics").n_topics_
    (2, 4)
    """
    fitted: Any = model
    finer = getattr(model, "finer_", None)
    if level is None:
        return model
    if isinstance(level, int) and not isinstance(level, bool):
        if not hasattr(model, "hierarchy"):
            raise ValueError(
                f"A level of {level} groups needs a model that has a hierarchy of "
                f"topics, but {type(model).__name__} has none."
            )
        return fitted.at(level)  # type: ignore[no-any-return]
    if level == "topics":
        return model if finer is None else finer
    if level != "themes":
        raise ValueError(
            f'level must be "themes", "topics" or a number of groups. Got {level!r} '
            "instead."
        )
    if finer is None:
        raise ValueError(
            "The level of themes needs a model with themes, which a fit finds by "
            'itself unless the evidence is "words" or the number of topics is given; '
            "give a number of groups instead."
        )
    return model
