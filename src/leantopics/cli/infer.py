"""``leantopics infer``: infer the topics of documents."""

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

import click

from leantopics._words import counted
from leantopics.cli import show
from leantopics.cli.messages import tell
from leantopics.cli.output import Column, print_rows, printing
from leantopics.cli.reading import Asked, of_model_and_corpus

_COLUMNS = (
    Column("document", style="bold"),
    Column("topic"),
    Column("proportion", piped=".4f", shown=".1%"),
    Column("name", style="cyan"),
)
_EXAMPLES = """\b
Examples:
  leantopics infer model new.jsonl
  echo 'a text about boats' | leantopics infer model -
"""
Found = tuple[str, list[tuple[int, float]]]


@click.command("infer", epilog=_EXAMPLES)
@of_model_and_corpus
@printing("Print one JSON line per document.")
def command(asked: Asked, form: str) -> None:
    """Print the topics that MODEL finds in the documents of CORPUS.

    Text is split into words as it was for the fit. Prints a line for each topic of each
    document: the document, the topic, its proportion and its name, separated by tabs. A
    document without any word that the model knows has one line without a topic.

    Documents are read, inferred and printed in batches, so memory does not grow with
    their number, except for the table on a terminal.
    """
    with show.waiting("reading"):
        from leantopics.analysis.tables import rank_topics
        from leantopics.analysis.topics import names_of

        model = asked.load()
        batches = (
            zip(documents.ids, rank_topics(model, documents.counts), strict=True)
            for documents in asked.stream(model)
        )
        first = next(batches)
    lost = 0

    def found() -> Iterator[Found]:
        nonlocal lost
        for name, topics in chain(first, chain.from_iterable(batches)):
            lost += not topics
            yield name, topics

    if form == "json":
        for name, topics in found():
            print(json.dumps({"id": name, "topics": topics}))
    else:
        print_rows(form, _COLUMNS, _rows(found(), names_of(model)))
    if lost:
        tell(f"No word that the model knows: {counted(lost, 'document')}.")


def _rows(found: Iterator[Found], names: list[str]) -> Iterator[dict[str, Any]]:
    for name, topics in found:
        if not topics:
            yield {"document": name, "topic": None, "proportion": None, "name": None}
        for j, share in topics:
            yield {"document": name, "topic": j, "proportion": share, "name": names[j]}
