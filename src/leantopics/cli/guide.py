"""``leantopics guide``: what the guide of a fit costs."""

from pathlib import Path
from typing import Any

import click

from leantopics._words import counted
from leantopics.cli import options
from leantopics.cli.messages import tell
from leantopics.cli.output import Column, print_rows, printing
from leantopics.cli.show import waiting

_COLUMNS = (
    Column("topic"),
    Column("name", style="cyan"),
    Column("belief"),
    Column("what", style="bold"),
    Column("nats", piped=".1f", shown=",.1f"),
    Column("held"),
)
_EXAMPLES = """\b
Examples:
  leantopics fit texts.jsonl -o model --guide guide.json
  leantopics guide model
  leantopics guide model --dear --json
"""


@click.command("guide", epilog=_EXAMPLES)
@options.model_argument
@click.option("--dear", is_flag=True, help="Print only beliefs that cost something.")
@printing("Print a JSON list of rows.")
def command(model: Path, dear: bool, form: str) -> None:
    """Print what each belief in the guide of MODEL costs, highest first.

    For each word that a topic must or may not have, each document that belongs to a
    topic, and documents that must be together or apart, prints by how many nats BIC
    would fall without that belief, with everything else the same. A cost below 0 means
    that the documents support the belief. Beliefs that are not held were dropped,
    because the guide trusts the data.
    """
    with waiting("loading"):
        from leantopics import ParsimoniousTopicModel

        loaded = ParsimoniousTopicModel.load(model)
        if not loaded.guide_costs_:
            raise ValueError(
                f"{model} was fitted without a guide; give one with fit --guide."
            )
    number = {name: topic for topic, name in enumerate(loaded.topic_names)}
    rows = [
        {**row, "topic": number.get(row["topic"]), "name": row["topic"]}
        for row in loaded.guide_costs_
        if row["nats"] > 0.0 or not dear
    ]
    print_rows(form, _COLUMNS, rows)


def tell_costs(model: Any) -> None:
    """Say in a line what a guide costs, and what was dropped."""
    held = [row for row in model.guide_costs_ if row["held"]]
    dear = [row for row in held if row["nats"] > 0.0]
    dropped = len(model.guide_costs_) - len(held)
    text = f"{counted(len(held), 'belief')} held, of which {len(dear)} cost something"
    if dear:
        first = dear[0]
        where = "" if first["topic"] is None else f" in {first['topic']!r}"
        text += (
            f", most of all {first['belief']} {first['what']!r}{where}: "
            f"{first['nats']:,.1f} nats"
        )
    tell(f"{text}; {dropped} dropped" if dropped else text)
