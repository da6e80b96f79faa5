"""``leantopics topics``: the topics of a model and their salient words."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics.cli import show

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel

SHARED = 20
"""Number of words shown of the shared vocabulary."""


@click.command("topics")
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "-n",
    "--words",
    type=click.IntRange(min=1),
    default=10,
    metavar="WORDS",
    help="Number of words of each topic (10).",
)
@click.option(
    "--by",
    type=click.Choice(["probability", "salience"]),
    default="salience",
    help="Rank words by what they tell about the topic, or by probability (salience).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(model: Path, words: int, by: str, as_json: bool) -> None:
    """Show the topics of MODEL, by falling share of all words.

    A table on a terminal, tab-separated lines in a pipe. Words are those that a topic
    uses in its own way; the others belong to the shared vocabulary.
    """
    with show.waiting("loading"):
        from leantopics import ParsimoniousTopicModel

        loaded = ParsimoniousTopicModel.load(model)
    rows = _rows(loaded, words, by)
    if as_json:
        click.echo(json.dumps(_document(loaded, rows, by), indent=1))
    elif sys.stdout.isatty():
        _print_table(loaded, rows)
    else:
        click.echo("topic\tname\tshare\tdocuments\twords")
        for row in rows:
            cells = (
                str(row["topic"]),
                show.plain(row["name"] or ""),
                f"{row['share']:.4f}",
                str(row["documents"]),
                ", ".join(word for word, _ in row["words"]),
            )
            click.echo("\t".join(cells))


def _rows(model: "ParsimoniousTopicModel", n: int, by: str) -> list[dict[str, Any]]:
    """Return what is known of each topic."""
    names = show.given_names(model)
    documents = model.n_documents_.tolist()
    return [
        {
            "topic": j,
            "name": names[j] if names else None,
            "share": float(model.topic_mass_[j]),
            "documents": documents[j],
            "words": words,
        }
        for j, words in enumerate(show.salient_words(model, n, by))
    ]


def _document(
    model: "ParsimoniousTopicModel", rows: list[dict[str, Any]], by: str
) -> dict[str, Any]:
    """Return all of it as types that JSON knows."""
    for row in rows:
        row["words"] = [{"word": word, by: value} for word, value in row["words"]]
    return {
        "n_topics": model.n_topics_,
        "n_documents": int(model.topic_proportions_.shape[0]),
        "bic": model.bic_,
        "topics_per_document": show.chosen_order(model)["topics_per_document"],
        "topics": rows,
        "shared_words": show.shared_words(model, SHARED),
    }


def _print_table(model: "ParsimoniousTopicModel", rows: list[dict[str, Any]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    named = any(row["name"] for row in rows)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("topic", justify="right", style="bold")
    if named:
        table.add_column("name", style="cyan")
    table.add_column("share", justify="right")
    table.add_column("documents", justify="right")
    table.add_column("salient words")
    for row in rows:
        table.add_row(
            str(row["topic"]),
            *([Text(show.plain(row["name"]))] if named else []),
            f"{row['share']:.1%}",
            f"{row['documents']:,}",
            Text(", ".join(word for word, _ in row["words"])),
        )
    console = Console()
    console.print(table)
    shared = Text("Shared by all: ", style="bold")
    shared.append(", ".join(show.shared_words(model, SHARED)), style="not bold")
    console.print(shared, no_wrap=True, overflow="ellipsis")
