"""``leantopics name``: name the topics of a model."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leantopics._words import counted
from leantopics.cli import options
from leantopics.cli.fitting import check_target
from leantopics.cli.messages import tell
from leantopics.cli.show import waiting

if TYPE_CHECKING:
    from leantopics.models.base import TopicModel

_EXAMPLES = """\b
Examples:
  leantopics name model 0=Shipping 3="Crude oil"
  leantopics name model --packet packet.jsonl
  leantopics name model --from answers.jsonl -o named
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
@options.model_argument
@click.argument("names", nargs=-1, metavar="[TOPIC=NAME]...", callback=_names)
@click.option(
    "--packet",
    type=click.Path(path_type=Path, allow_dash=True, dir_okay=False),
    is_flag=False,
    flag_value="-",
    metavar="[FILE]",
    help="Write what describes each topic, for a person or a language model to name "
    "it, as JSON lines to FILE or standard output.",
)
@click.option(
    "--from",
    "source",
    type=options.source,
    metavar="FILE",
    help="Read names from FILE: JSON lines with topic and name.",
)
@options.output_option(
    "MODEL", "Save the named model there instead of in place.", required=False
)
def command(
    model: Path,
    names: dict[int, str],
    packet: Path | None,
    source: str | None,
    output: Path | None,
) -> None:
    """Name topics of MODEL; its report and tables show the names.

    `leantopics topics` prints the numbers of the topics. A topic without a name
    of its own is called by words that set it apart from the others. Names come from the
    command line, or from answers to a packet, which has the words of each topic, those
    that set it apart from the most similar one, typical documents and an instruction.
    Nothing is sent anywhere.
    """
    if sum((bool(names), packet is not None, source is not None)) != 1:
        raise click.UsageError(
            "Give either TOPIC=NAME, --packet or --from, and only one of them."
        )
    if packet is not None and output is not None:
        raise click.UsageError("--packet saves no model: leave out -o.")
    with waiting("loading"):
        from leantopics.models import load_model

        loaded = load_model(model)
    if packet is not None:
        _write(loaded, packet)
        return
    if source is not None:
        names = _read(loaded, source)
    for topic in names:
        loaded.check_topic(topic)
    if output is not None:
        check_target(output)
    loaded.topic_names = [
        names.get(topic, name) for topic, name in enumerate(loaded.topic_names)
    ]
    loaded.save(output or model)
    tell(f"{counted(len(names), 'topic')} named in {output or model}.")


def _write(model: "TopicModel", path: Path) -> None:
    from leantopics.analysis.packet import naming_packet
    from leantopics.storage import atomic_file

    topics = naming_packet(model)
    if str(path) == "-":
        for topic in topics:
            print(json.dumps(topic))
        return
    with atomic_file(path) as file:
        for topic in topics:
            line = json.dumps(topic, ensure_ascii=False)
            file.write(f"{line}\n".encode("utf-8", errors="replace"))
    tell(f"{counted(model.n_topics_, 'topic')} to name in {path}.")


def _read(model: "TopicModel", path: str) -> dict[int, str]:
    from leantopics.analysis.packet import read_names

    with click.open_file(path, "rb") as file:
        return read_names(file, model.n_topics_)
