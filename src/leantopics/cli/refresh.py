"""``leantopics refresh``: fit a model to old and new documents, from its topics."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics._words import counted
from leantopics.cli.fitting import check_target
from leantopics.cli.messages import tell
from leantopics.cli.options import (
    MODEL_OPTIONS,
    READING_OPTIONS,
    corpus_argument,
    model_argument,
    output_option,
    together,
)
from leantopics.cli.output import Column, Row, print_rows, printing
from leantopics.cli.reading import read_like_fit
from leantopics.cli.show import waiting

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel

_COLUMNS = (
    Column("level"),
    Column("change", style="bold"),
    Column("before", title="topic before"),
    Column("after", title="topic now"),
    Column("share", piped=".4f", shown=".0%", title="words passed on"),
    Column("bic_change", piped=".1f", shown=",.0f", title="BIC"),
    Column("name_before", title="name before"),
    Column("name", title="name now", style="cyan"),
)
_EXAMPLES = """\b
Examples:
  leantopics refresh model all.jsonl -o newer
  leantopics refresh model all.jsonl -o newer --keep-numbers --changed
  leantopics refresh model all.jsonl -o newer --json | jq 'map(select(.before == []))'
"""


@click.command("refresh", epilog=_EXAMPLES)
@model_argument
@corpus_argument
@output_option(
    "MODEL", "Folder to save the new model in; a single file if it ends with .zip."
)
@click.option(
    "--keep-numbers",
    is_flag=True,
    help="Let topics keep their numbers, instead of numbering them by size.",
)
@click.option(
    "--keep-text",
    is_flag=True,
    help="Save the texts with the new model; anyone with the model can read them.",
)
@click.option("--changed", is_flag=True, help="Print no topics that were kept.")
@together("settings", {"n_jobs": MODEL_OPTIONS["n_jobs"]})
@together("reading", READING_OPTIONS)
@printing("Print a JSON list of rows.")
def command(
    model: Path,
    corpus: str,
    output: Path,
    keep_numbers: bool,
    keep_text: bool,
    changed: bool,
    settings: dict[str, Any],
    reading: dict[str, Any],
    form: str,
) -> None:
    """Fit MODEL to CORPUS, from the topics it has.

    CORPUS holds all documents that the new model is about, old and new; there may be
    new words. Takes a fraction of the time of a fit from scratch. Prints what became of
    each topic: kept, moved, split into, merged from, born or died, with the share of
    its words that passed on, and by how much what was born, split off, merged or died
    changed BIC, as estimated. Names given by hand and pinned words go with the topics.
    """
    with waiting("reading"):
        from leantopics import ParsimoniousTopicModel
        from leantopics.ptm.attached_texts import keep_texts

        check_target(output)
        loaded = ParsimoniousTopicModel.load(model).set_params(**settings)
        documents = read_like_fit(loaded, model, corpus, reading)
        if keep_text and documents.texts is None:
            raise ValueError(
                f"{corpus} holds counts, so --keep-text has no texts to keep."
            )
    with waiting("fitting"):
        newer = loaded.refresh(documents, renumber=not keep_numbers)
        if keep_text:
            keep_texts(newer, documents)
        newer.save(output)
    rows = [row for row in _rows(newer) if not (changed and row["change"] == "kept")]
    print_rows(form, _COLUMNS, rows)
    for level, (now, before) in _levels(newer, loaded).items():
        numbers = Counter(row["change"] for row in now.changes_)
        what = ", ".join(f"{number} {change}" for change, number in numbers.items())
        tell(f"{counted(now.n_topics_, level)} instead of {before.n_topics_}: {what}")
    tell(f"{counted(documents.n_docs, 'document')}, saved in {output}")


def _levels(
    newer: "ParsimoniousTopicModel", older: "ParsimoniousTopicModel"
) -> dict[str, tuple["ParsimoniousTopicModel", "ParsimoniousTopicModel"]]:
    if newer.finer_ is None or older.finer_ is None:
        return {"topic": (newer, older)}
    return {"theme": (newer, older), "topic": (newer.finer_, older.finer_)}


def _rows(newer: "ParsimoniousTopicModel") -> Iterator[Row]:
    """Rows of the ledgers of both levels, with the names of topics as they are now."""
    for level, (model, _) in _levels(newer, newer).items():
        names = model.topic_names
        for row in model.changes_:
            name = None if row["after"] is None else names[row["after"]]
            yield {"level": level, **row, "name": name}
