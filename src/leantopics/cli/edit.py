"""``leantopics edit``: merge, drop and pin topics by hand."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from leantopics._words import counted
from leantopics.cli import options
from leantopics.cli.fitting import check_target, saved_in
from leantopics.cli.messages import tell
from leantopics.cli.reading import read_for_model
from leantopics.cli.show import waiting

_EXAMPLES = """\b
Examples:
  leantopics edit model texts.jsonl -o better --merge 3,7 --drop 12
  leantopics edit model texts.jsonl -o better --pin 2=pipeline,refinery
"""


def _group(value: str) -> list[int]:
    """Turn ``TOPIC,TOPIC`` into numbers."""
    topics = value.split(",")
    if len(topics) < 2 or not all(topic.isdecimal() for topic in topics):
        raise click.BadParameter(f"{value!r} is not of the form TOPIC,TOPIC.")
    return [int(topic) for topic in topics]


def _pins(
    ctx: click.Context, param: click.Parameter, values: Iterable[str]
) -> dict[int, list[str]]:
    """Turn ``TOPIC=WORD,WORD`` into words by topic."""
    pins: dict[int, list[str]] = {}
    for value in values:
        topic, _, words = value.partition("=")
        if not (topic.isdecimal() and all(words.split(","))):
            raise click.BadParameter(f"{value!r} is not of the form TOPIC=WORD,WORD.")
        pins.setdefault(int(topic), []).extend(words.split(","))
    return pins


@click.command("edit", epilog=_EXAMPLES)
@options.model_argument
@options.corpus_argument
@options.output_option(
    "MODEL", "Folder to save the edited model in; a single file if it ends with .zip."
)
@click.option(
    "--merge",
    multiple=True,
    metavar="TOPIC,TOPIC",
    type=_group,
    help="Merge topics into one; may be repeated.",
)
@click.option(
    "--drop",
    multiple=True,
    type=click.IntRange(min=0),
    metavar="TOPIC",
    help="Drop a topic, and leave its documents to others; may be repeated.",
)
@click.option(
    "--pin",
    multiple=True,
    metavar="TOPIC=WORD,WORD",
    callback=_pins,
    help="Keep words salient in a topic, spelled as `leantopics topics` prints them; "
    "may be repeated.",
)
@options.together("settings", {"n_jobs": options.MODEL_OPTIONS["n_jobs"]})
@options.together("reading", options.READING_OPTIONS)
def command(
    model: Path,
    corpus: str,
    output: Path,
    merge: tuple[list[int], ...],
    drop: tuple[int, ...],
    pin: dict[int, list[str]],
    settings: dict[str, Any],
    reading: dict[str, Any],
) -> None:
    """Merge, drop or pin topics of MODEL and fit it again.

    CORPUS holds the documents that MODEL was fitted to. After the changes, the fit
    lowers BIC as far as they allow. Prints by how much BIC rises or falls, and which
    dropped or merged topics returned in place of others. Topics get new numbers, the
    largest first.
    """
    with waiting("reading"):
        from leantopics import ParsimoniousTopicModel

        replaced = check_target(output)
        loaded = ParsimoniousTopicModel.load(model).set_params(**settings)
        documents = read_for_model(loaded, model, corpus, reading)
    with waiting("fitting"):
        edited = loaded.edit(documents, merge=merge, drop=drop, pin=pin)
        edited.save(output)
    change = edited.bic_ - loaded.bic_
    tell(
        f"{counted(edited.n_topics_, 'topic')} instead of {loaded.n_topics_}, BIC "
        f"{'rises' if change > 0 else 'falls'} by {abs(change):,.0f} of "
        f"{loaded.bic_:,.0f}"
    )
    tell(saved_in(output, replaced))
