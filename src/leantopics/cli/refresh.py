"""``leantopics refresh``: fit a model to old and new documents, from its topics."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics._words import counted
from leantopics.cli.fitting import (
    check_cluster,
    check_target,
    is_finished,
    on_cluster,
    open_checkpoint,
    save_fitted,
    saved_in,
    stopped_by_signals,
    verbosity,
)
from leantopics.cli.messages import tell
from leantopics.cli.options import (
    MODEL_OPTIONS,
    READING_OPTIONS,
    RUN_OPTIONS,
    corpus_argument,
    model_argument,
    output_option,
    together,
)
from leantopics.cli.output import Column, Row, print_rows, printing
from leantopics.cli.reading import read_like_fit
from leantopics.cli.show import waiting

if TYPE_CHECKING:
    from leantopics import Corpus, ParsimoniousTopicModel

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
  leantopics refresh model all.jsonl -o newer --resume
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
@together("run", RUN_OPTIONS)
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
    run: dict[str, Any],
    form: str,
) -> None:
    """Fit MODEL to CORPUS, from the topics it has.

    CORPUS holds all documents that the new model is about, old and new; there may be
    new words. Takes a fraction of the time of a fit from scratch. Prints what became of
    each topic: kept, moved, split into, merged from, born or died, with the share of
    its words that passed on, and by how much what was born, split off, merged or died
    changed BIC, as estimated. Names given by hand and pinned words go with the topics.
    """
    check_cluster(run)
    with waiting("reading"):
        from leantopics import ParsimoniousTopicModel

        replaced = check_target(output)
        loaded = ParsimoniousTopicModel.load(model).set_params(**settings)
        if loaded.random_state is None:
            loaded.set_params(random_state=0)
        checkpoint = open_checkpoint(output, run)
        documents = read_like_fit(loaded, model, corpus, reading)
        if keep_text and documents.texts is None:
            raise ValueError(
                f"{corpus} holds counts, so --keep-text has no texts to keep."
            )
        may_be = run["resume"] and not checkpoint.path.exists()
        finished = may_be and _is_finished(output, documents, loaded)
    if finished:
        tell(f"{output} is already finished.")
        return
    with stopped_by_signals(checkpoint), on_cluster(run):
        loaded.set_params(verbose=verbosity(run["verbose"]))
        newer = loaded.refresh(
            documents, renumber=not keep_numbers, checkpoint=checkpoint
        )
        save_fitted(newer, documents, output, keep_text, checkpoint)
    rows = [row for row in _rows(newer) if not (changed and row["change"] == "kept")]
    print_rows(form, _COLUMNS, rows)
    for level, (now, before) in _levels(newer, loaded).items():
        numbers = Counter(row["change"] for row in now.changes_)
        what = ", ".join(f"{number} {change}" for change, number in numbers.items())
        tell(f"{counted(now.n_topics_, level)} instead of {before.n_topics_}: {what}")
    tell(f"{counted(documents.n_docs, 'document')}, {saved_in(output, replaced)}")


def _is_finished(path: Path, corpus: "Corpus", older: "ParsimoniousTopicModel") -> bool:
    """Return whether a model was refreshed from another one on these documents.

    Raises
    ------
    ValueError
        If some other model is there.
    """
    from leantopics import ParsimoniousTopicModel

    if not is_finished(path, corpus, older.get_params()):
        return False
    newer = ParsimoniousTopicModel.load(path)
    for now, before in _levels(newer, older).values():
        rows = [
            zip(row["before"], row["name_before"], strict=True) for row in now.changes_
        ]
        if dict(chain(*rows)) != dict(enumerate(before.topic_names)):
            raise ValueError(
                f"{path} was not refreshed from this model; refresh without --resume "
                "to replace it."
            )
    return True


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
