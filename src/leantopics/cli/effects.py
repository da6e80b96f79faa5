"""``leantopics effects``: topics whose share differs by a field of the documents."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from leantopics._words import counted
from leantopics.cli import options, show
from leantopics.cli.messages import tell
from leantopics.cli.output import Column, print_rows, printing
from leantopics.cli.reading import Asked, of_model_and_corpus

if TYPE_CHECKING:
    from leantopics.analysis.effects import Effects

_COLUMNS = (
    Column("topic", style="bold"),
    Column("name", style="cyan"),
    Column("differs"),
    Column("nats", piped=".2f"),
    Column("p", piped=".4g"),
    Column("group"),
    Column("share", piped=".4f"),
    Column("low", piped=".4f"),
    Column("high", piped=".4f"),
    Column("documents"),
)
_EXAMPLES = """\b
Examples:
  leantopics effects model texts.jsonl --by country
  leantopics effects model texts.jsonl --by date
  leantopics effects model texts.jsonl --by date --period year --csv > effects.csv
"""


@click.command("effects", epilog=_EXAMPLES)
@click.option(
    "--by",
    required=True,
    metavar="FIELD",
    help="Field or column with the group, number or date of each document, or labels.",
)
@click.option(
    "--kind",
    type=click.Choice(["auto", "groups", "number", "date"]),
    default="auto",
    help="What the field is: groups, or a number or date with which shares may rise or "
    "fall (auto).",
)
@options.period_option
@options.confidence_option
@options.positive(
    "--draws", default=199, help="Number of permutations for the p-values (199)."
)
@options.seed_option("Seed of the permutations and intervals (0).", default=0)
@of_model_and_corpus
@printing("Print one JSON document.")
def command(
    asked: Asked,
    by: str,
    kind: str,
    period: str | None,
    confidence: float,
    draws: int,
    random_state: int,
    form: str,
) -> None:
    """Show which topics of MODEL differ by a field of the documents.

    A topic has one share in all documents of CORPUS, or its own in each group (of a
    number or date: a share that rises or falls with it), whichever has the lower BIC.
    Prints a sentence for each topic that differs, with intervals and the p-value of a
    permutation test; --csv and --json have all topics.
    """
    with show.waiting("reading"):
        from leantopics.analysis.effects import find_effects
        from leantopics.analysis.tables import values_of
        from leantopics.analysis.topics import names_of

        model = asked.load()
        documents = asked.documents(model)
        values = values_of(model, documents, by, period)
        topics = asked.topics(model, documents)
    with show.waiting("comparing"):
        found = find_effects(
            topics,
            values,
            kind="groups" if period else kind,
            level=confidence,
            draws=draws,
            random_state=random_state,
        )
    names = names_of(model)
    if form == "text":
        print(found.describe(by, names))
    else:
        rows = _rows(found, names)
        print_rows(form, _COLUMNS, rows, {"by": by, **_document(found, names)})
    if found.without:
        tell(f"Left out: {counted(found.without, 'document')} without {by} or words.")


def _rows(found: "Effects", names: Sequence[str]) -> list[dict[str, Any]]:
    """One row for each topic and group."""
    return [
        {
            "topic": effect.topic,
            "name": names[effect.topic],
            "differs": "yes" if effect.differs else "no",
            "nats": effect.nats,
            "p": effect.p,
            **share._asdict(),
        }
        for effect in found.effects
        for share in effect.shares
    ]


def _document(found: "Effects", names: Sequence[str]) -> dict[str, Any]:
    """Everything as plain data."""
    return {
        "kind": found.kind,
        "documents": found.documents,
        "without": found.without,
        "topics": [
            {
                **effect._asdict(),
                "name": names[effect.topic],
                "shares": [share._asdict() for share in effect.shares],
            }
            for effect in found.effects
        ],
    }
