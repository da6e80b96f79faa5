"""``leantopics name``: name the topics of a model."""

from collections.abc import Iterable
from pathlib import Path

import click

from leantopics._words import counted
from leantopics.cli.messages import tell
from leantopics.cli.options import model_argument
from leantopics.cli.show import waiting

_EXAMPLES = """\b
Examples:
  leantopics name model 0=Shipping 3="Crude oil"
"""


def _names(
    ctx: click.Context, param: click.Parameter, values: Iterable[str]
) -> dict[int, str]:
    """Turn ``TOPIC=NAME`` into a dictionary."""
    names: dict[int, str] = {}
    for value in values:
        topic, _, name = value.partition("=")
        if not (topic.isdecimal() and name.strip()):
            raise click.BadParameter(f"{value!r} is not of the form TOPIC=NAME.")
        if int(topic) in names:
            raise click.BadParameter(
                f"topic {topic} must be named once, but is named twice."
            )
        names[int(topic)] = name.strip()
    return names


@click.command("name", epilog=_EXAMPLES)
@model_argument
@click.argument(
    "names", nargs=-1, required=True, metavar="TOPIC=NAME...", callback=_names
)
def command(model: Path, names: dict[int, str]) -> None:
    """Name topics of MODEL; its report and tables show the names.

    `leantopics topics` prints the numbers of the topics. A topic without a name is
    called by its first salient words.
    """
    with waiting("loading"):
        from leantopics.models import load_model

        loaded = load_model(model)
    for topic in names:
        loaded._check_topic(topic)
    loaded.topic_names = [
        names.get(topic, name) for topic, name in enumerate(loaded.topic_names)
    ]
    loaded.save(model)
    tell(f"{counted(len(names), 'topic')} named in {model}.")
