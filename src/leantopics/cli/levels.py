"""The level of topics that a command is about: themes, topics, or a cut of the tree."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from leantopics.models.base import TopicModel


def _level(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> str | int | None:
    if value is None or value in ("themes", "topics"):
        return value
    if not (value.isdecimal() and int(value) > 1):
        raise click.BadParameter(
            f"{value!r} is neither themes, topics nor a number from 2 up."
        )
    return int(value)


level_option = click.option(
    "--level",
    metavar="themes|topics|N",
    callback=_level,
    help="Themes, the finer topics below them, or that many groups of these (themes, "
    "or topics if the model has no themes).",
)


def at_level(model: "TopicModel", level: str | int | None) -> "TopicModel":
    """Return the model of one level.

    Parameters
    ----------
    model : TopicModel
        A loaded model.
    level : {"themes", "topics"}, int or None
        What the user asked for.
    """
    from leantopics.models.levels import model_at

    found = model_at(model, level)
    if found is not model:
        same = {"sparse_output", "inference", "n_jobs"} & set(model.get_params())
        found.set_params(**{name: model.get_params()[name] for name in same})
    return found
