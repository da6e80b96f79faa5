"""``leantopics groups``: topics by date or by another field of the documents."""

from pathlib import Path
from typing import Any

import click

from leantopics._words import counted
from leantopics.cli import show
from leantopics.cli.levels import at_level, level_option
from leantopics.cli.messages import tell
from leantopics.cli.options import (
    INFERENCE_OPTIONS,
    READING_OPTIONS,
    confidence_option,
    corpus_argument,
    model_argument,
    period_option,
    together,
)
from leantopics.cli.output import Column, print_rows, printing
from leantopics.cli.reading import load_with, read_for_model

_COLUMNS = (
    Column("group", style="bold"),
    Column("documents", shown=","),
    Column("topic"),
    Column("share", piped=".4f", shown=".1%"),
    Column("low", piped=".4f", shown=".1%"),
    Column("high", piped=".4f", shown=".1%"),
    Column("name", style="cyan"),
)
_EXAMPLES = """\b
Examples:
  leantopics groups model texts.jsonl --by date --period month
  leantopics groups model texts.csv --by country --topic 3 --topic 5
  leantopics groups model texts.jsonl --by labels --csv > groups.csv
"""


@click.command("groups", epilog=_EXAMPLES)
@model_argument
@corpus_argument
@click.option(
    "--by",
    required=True,
    metavar="FIELD",
    help="Field or column with the group of each document, or labels.",
)
@period_option
@click.option(
    "--topic",
    "topics",
    type=click.IntRange(min=0),
    multiple=True,
    metavar="TOPIC",
    help="Only this topic; may be repeated.",
)
@confidence_option
@level_option
@together("settings", INFERENCE_OPTIONS)
@together("reading", READING_OPTIONS)
@printing("Print one JSON document.")
def command(
    model: Path,
    corpus: str,
    by: str,
    period: str | None,
    topics: tuple[int, ...],
    confidence: float,
    level: str | int | None,
    settings: dict[str, Any],
    reading: dict[str, Any],
    form: str,
) -> None:
    """Print the share of each topic in each group of documents.

    A group is the documents of CORPUS with the same value of a field. Prints the share
    of each topic among the words of each group, and the low and high end of its
    confidence interval: the range that similar documents might have given. Documents
    without the field are left out, and their number goes to standard error.

    If CORPUS holds exactly the documents that MODEL was fitted to, their topics are
    those of the fit, as in the report, unless --inference or --prediction is given.
    Topics of other documents are inferred.
    """
    with show.waiting("reading"):
        from leantopics.analysis.tables import topics_by_group
        from leantopics.analysis.topics import names_of

        loaded = at_level(load_with(model, settings), level)
        for topic in topics:
            loaded.check_topic(topic)
        documents = read_for_model(loaded, model, corpus, reading)
        if {"inference", "prediction"} & set(settings):
            shares = loaded.transform(documents)
        else:
            shares = loaded.document_topics(documents)
        found = topics_by_group(shares, documents, by, period, level=confidence)
    names = names_of(loaded)
    rows = [
        {**row._asdict(), "name": names[row.topic]}
        for row in found.shares
        if not topics or row.topic in topics
    ]
    print_rows(form, _COLUMNS, rows)
    if found.without:
        tell(f"Left out: {counted(found.without, 'document')} without {by}.")
