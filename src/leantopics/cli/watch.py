"""``leantopics watch``: new documents that share a topic the model does not have."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics.cli import show
from leantopics.cli.messages import FOUND, tell
from leantopics.cli.options import (
    INFERENCE_OPTIONS,
    READING_OPTIONS,
    corpus_argument,
    model_argument,
    positive,
    seed_option,
    together,
)
from leantopics.cli.output import Column, print_rows, printing
from leantopics.cli.reading import load_with, read_for_model

if TYPE_CHECKING:
    from leantopics import Corpus
    from leantopics.ptm.watch.result import Watched

_COLUMNS = (
    Column("group", style="bold"),
    Column("group_nats", piped=".1f"),
    Column("p", piped=".4g"),
    Column("words"),
    Column("document"),
    Column("nats", piped=".2f"),
    Column("share", piped=".4f"),
)
_WORDS = 10
_EXAMPLES = """\b
Exit codes:
  0  nothing new was found
  3  a group of documents shares a topic that the model does not have

\b
Examples:
  leantopics watch model today.jsonl
  leantopics watch model today.jsonl --json > new.json || mail -s new me < new.json
  leantopics watch model today.jsonl --page new.html
  leantopics watch model week.csv --draws 999 --csv > new.csv
"""


@click.command("watch", epilog=_EXAMPLES)
@model_argument
@corpus_argument
@positive(
    "--draws",
    default=199,
    show_default=False,
    help="Batches drawn from the model for the p-values; the smallest possible p "
    "is one divided by one more than that (199).",
)
@click.option(
    "--significance",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    metavar="P",
    help="Groups with a p-value up to this count as found (0.05).",
)
@click.option(
    "--least",
    type=click.IntRange(min=2),
    default=3,
    metavar="N",
    help="Least number of documents of a group (3).",
)
@positive("--groups", default=10, help="Most groups to look for (10).")
@click.option(
    "--evidence",
    type=click.Choice(["bursts", "words"]),
    default="bursts",
    help="Whether the further occurrences of a word in a document count for less, or "
    "as much as the first (bursts).",
)
@seed_option("The same seed draws the same batches (0).", default=0)
@click.option(
    "--page",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write an HTML page with the groups and their documents.",
)
@together("settings", {"n_jobs": INFERENCE_OPTIONS["n_jobs"]})
@together("reading", READING_OPTIONS)
@printing("Print one JSON document.")
def command(
    model: Path,
    corpus: str,
    draws: int,
    significance: float,
    least: int,
    groups: int,
    evidence: str,
    random_state: int,
    page: Path | None,
    settings: dict[str, Any],
    reading: dict[str, Any],
    form: str,
) -> None:
    """Find documents of CORPUS that share a topic MODEL does not have.

    A topic is grown from the new documents while words and documents pay their price in
    BIC, with MODEL as it is. It is reported if the whole pays, with its words, its
    documents, the nats that it saves, and how often batches drawn from MODEL have a
    topic worth as much (p). Topics of MODEL that grew or shrank, and the share of the
    words that topics do not explain, are reported apart.
    """
    with show.waiting("reading"):
        loaded: Any = load_with(model, settings)
        if not hasattr(loaded, "watch"):
            kind = type(loaded).__name__
            raise ValueError(
                f"{model} is a model of class {kind}, which has no prices of topics to "
                "watch with."
            )
        documents = read_for_model(loaded, model, corpus, reading)
    with show.waiting("watching"):
        watched = loaded.watch(
            documents,
            evidence=evidence,
            min_documents=least,
            max_groups=groups,
            draws=draws,
            level=significance,
            random_state=random_state,
        )
    if page is not None:
        _write(page, watched, documents, f"New in {Path(corpus).name}")
    if form == "text":
        print(watched.describe(documents.ids))
    else:
        found = watched.to_dict(documents.ids)
        print_rows(form, _COLUMNS, _rows(watched, documents.ids), found)
    if watched.found:
        raise click.exceptions.Exit(FOUND)


def _write(page: Path, watched: "Watched", documents: "Corpus", title: str) -> None:
    """Write the page, whole or not at all."""
    from leantopics.report import watched_to_html
    from leantopics.storage import atomic_file

    text = watched_to_html(watched, documents, title)
    with atomic_file(page) as file:
        file.write(text.encode("utf-8", errors="replace"))
    tell(f"The page is in {page}.")


def _rows(watched: "Watched", ids: Any) -> list[dict[str, Any]]:
    """One row for each document of each group."""
    return [
        {
            "group": number,
            "group_nats": group.nats,
            "p": group.p,
            "words": " ".join(word for word, _ in group.words[:_WORDS]),
            "document": ids[row],
            "nats": nats,
            "share": share,
        }
        for number, group in enumerate(watched.groups)
        for row, nats, share in zip(
            group.documents.tolist(),
            group.gains.tolist(),
            group.shares.tolist(),
            strict=True,
        )
    ]
