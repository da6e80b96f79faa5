"""What a notebook shows of a fitted model: its topics and its curve, on one screen."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leantopics._card import Row, card, hue, percent
from leantopics._words import counted

if TYPE_CHECKING:
    from leantopics.models.base import TopicModel

MOST_ROWS, N_WORDS = 12, 10


def topic_rows(model: "TopicModel", topics: Sequence[int]) -> list[Row]:
    """Return a line for each of some topics, with its share, name and words."""
    forms = dict(zip(model.vocabulary_, model.surface_forms, strict=True))
    fitted: Any = model
    names = model.topic_names
    out = []
    for j in topics:
        taken = set(names[j].casefold().split())
        words = [forms[word] for word, _ in model.top_words(j, N_WORDS)]
        more = ", ".join(word for word in words if word.casefold() not in taken)
        share = float(fitted.topic_mass_[j])
        out.append(Row(names[j], share, percent(share), more, hue(j)))
    return out


def model_card(model: "TopicModel") -> str:
    """Return the topics of a model as a small page."""
    shown = min(MOST_ROWS, model.n_topics_)
    left = model.n_topics_ - shown
    fitted: Any = model
    documents = counted(fitted.topic_proportions_.shape[0], "document")
    return card(
        type(model).__name__,
        f"{counted(model.n_topics_, 'topic')} in {documents}.",
        topic_rows(model, range(shown)),
        rest=f"and {left:,} more" if left else "",
    )
