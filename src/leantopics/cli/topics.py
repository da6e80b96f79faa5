"""``leantopics topics``: show the topics of a model and their salient words."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics.cli import show
from leantopics.cli.options import model_argument
from leantopics.cli.output import Column, print_rows, printing

if TYPE_CHECKING:
    from leantopics.models.base import TopicModel

SHARED = 20
"""Number of words shown of the shared vocabulary."""
_COLUMNS = (
    Column("topic", style="bold"),
    Column("name", style="cyan"),
    Column("share", piped=".4f", shown=".1%"),
    Column("documents", shown=","),
    Column("words", title="salient words"),
)
_EXAMPLES = """\b
Examples:
  leantopics topics model
  leantopics topics model -n 5 --by probability
  leantopics topics model --json | jq .n_topics
"""


@click.command("topics", epilog=_EXAMPLES)
@model_argument
@click.option(
    "-n",
    "--words",
    type=click.IntRange(min=1),
    default=10,
    metavar="WORDS",
    help="Number of words per topic (10).",
)
@click.option(
    "--by",
    type=click.Choice(["probability", "salience"]),
    default="salience",
    help="Rank words by how much they tell the topic from others, or by probability "
    "(salience).",
)
@printing("Print one JSON document.")
def command(model: Path, words: int, by: str, form: str) -> None:
    """Show the topics of MODEL, largest first.

    Prints a table on a terminal and tab-separated lines in a pipe. The words of a topic
    are those that it uses in its own way; all others belong to the shared vocabulary.
    """
    with show.waiting("loading"):
        from leantopics.models import load_model

        loaded = load_model(model)
    print_topics(loaded, words, by, form)


def print_topics(model: "TopicModel", n: int, by: str, form: str) -> None:
    """Print the topics of a model, and on a terminal the shared words."""
    document = topics_document(model, n, by)
    rows = [
        {**topic, "words": [word["word"] for word in topic["words"]]}
        for topic in document["topics"]
    ]
    print_rows(form, _COLUMNS, rows, document)
    if form == "text" and sys.stdout.isatty():
        _print_shared(document["shared_words"])


def topics_document(model: "TopicModel", n: int, by: str) -> dict[str, Any]:
    """Return the topics of a model, with n words each, as JSON types."""
    names = show.given_names(model)
    documents = show.documents_of_topics(model)
    topics = [
        {
            "topic": j,
            "name": names[j] if names else None,
            "share": float(model.topic_mass_[j]),
            "documents": documents[j],
            "words": [{"word": word, by: value} for word, value in words],
        }
        for j, words in enumerate(show.salient_words(model, n, by))
    ]
    return {
        "n_topics": model.n_topics_,
        "n_documents": int(model.topic_proportions_.shape[0]),
        "bic": getattr(model, "bic_", None),
        "topics_per_document": show.chosen_order(model)["topics_per_document"],
        "topics": topics,
        "shared_words": show.shared_words(model, SHARED),
    }


def _print_shared(words: list[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    if words:
        shared = Text("Shared by all topics: ", style="bold")
        shared.append(", ".join(words), style="not bold")
        Console().print(shared, no_wrap=True, overflow="ellipsis")
