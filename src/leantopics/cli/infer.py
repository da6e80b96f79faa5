"""``leantopics infer``: the few topics of other documents."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics.cli import show
from leantopics.cli.messages import number, tell
from leantopics.cli.options import (
    INFERENCE_OPTIONS,
    READING_OPTIONS,
    corpus_argument,
    model_argument,
    together,
)
from leantopics.cli.output import Column, print_rows, printing
from leantopics.cli.reading import load_with, read_for_model

if TYPE_CHECKING:
    from scipy import sparse

    from leantopics import Corpus

_LEAST = 0.00005
"""Smaller proportions are printed as zero, hence not at all."""
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
@model_argument
@corpus_argument
@together("settings", INFERENCE_OPTIONS)
@together("reading", READING_OPTIONS)
@printing("Print a JSON line a document.")
def command(
    model: Path,
    corpus: str,
    settings: dict[str, Any],
    reading: dict[str, Any],
    form: str,
) -> None:
    """Print the topics of the documents of CORPUS under MODEL.

    Text is cut into words as when the model was fitted. Prints a line for each topic
    of each document: the document, the topic, its proportion, its name, separated by
    tabs. A document without any word that the model knows has one line, without topic.
    """
    with show.waiting("reading"):
        from scipy import sparse

        from leantopics.models import word_frequency

        loaded = load_with(model, settings)
        documents = read_for_model(loaded, model, corpus, reading)
        proportions = sparse.csr_array(loaded.transform(documents))
    known = (documents.counts @ (word_frequency(loaded) > 0.0)) > 0.0
    found = _topics(documents, proportions, known.tolist())
    if form == "json":
        for name, topics in found:
            print(json.dumps({"id": name, "topics": topics}))
    else:
        print_rows(form, _COLUMNS, _rows(found, show.names(loaded)))
    if not known.all():
        lost = number(int((~known).sum()), "document")
        tell(f"Without any word that the model knows: {lost}.")


def _topics(
    documents: "Corpus", proportions: "sparse.csr_array", known: list[bool]
) -> Iterator[Found]:
    """Yield each document with its topics by falling proportion."""
    for d, name in enumerate(documents.ids):
        row = proportions[[d]]
        pairs = zip(row.indices.tolist(), row.data.tolist(), strict=True)
        ranked = sorted(pairs, key=lambda pair: -pair[1]) if known[d] else []
        yield name, [pair for pair in ranked if pair[1] >= _LEAST]


def _rows(found: Iterator[Found], names: list[str]) -> Iterator[dict[str, Any]]:
    for name, topics in found:
        if not topics:
            yield {"document": name, "topic": None, "proportion": None, "name": None}
        for j, share in topics:
            yield {"document": name, "topic": j, "proportion": share, "name": names[j]}
