"""``leantopics topics``: show the topics of a model and their salient words."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics.cli import listing, options, show
from leantopics.cli.output import Column, print_rows, printing
from leantopics.cli.reading import at_level

if TYPE_CHECKING:
    from leantopics.models.base import TopicModel

_COLUMNS = (
    Column("topic", style="bold"),
    Column("name", style="cyan"),
    Column("share", piped=".4f", shown=".1%"),
    Column("documents", shown=","),
    Column("words", title="salient words"),
)
_NESTED = (Column("theme", style="bold"), *_COLUMNS)
_EXAMPLES = """\b
Examples:
  leantopics topics model
  leantopics topics model --all
  leantopics topics model -n 5 --by probability
  leantopics topics model --level 20
  leantopics topics model --json | jq .n_topics
"""


@click.command("topics", epilog=_EXAMPLES)
@options.model_argument
@options.positive(
    "-n",
    "--words",
    default=10,
    metavar="WORDS",
    help="Number of words per topic (10).",
)
@click.option(
    "--by",
    type=click.Choice(["probability", "salience"]),
    default="salience",
    help="Rank words by how well they set the topic apart, or by probability "
    "(salience).",
)
@options.level_option
@click.option("--flat", is_flag=True, help="The same as --level topics.")
@click.option(
    "--themes",
    "n_themes",
    type=click.IntRange(min=2),
    metavar="N",
    help="Group the topics into N themes, by the tree.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="On a terminal, show all topics, with all columns.",
)
@printing("Print one JSON document.")
def command(
    model: Path,
    words: int,
    by: str,
    level: str | int | None,
    flat: bool,
    n_themes: int | None,
    every: bool,
    form: str,
) -> None:
    """Show the topics of MODEL, largest first.

    A model with themes shows each with its topics below it. Prints a list of the large
    ones on a terminal (all of them with --all) and tab-separated lines in a pipe. The
    words of a topic are those that it uses in its own way; all others belong to the
    shared vocabulary.
    """
    asked = [level is not None, flat, n_themes is not None]
    if sum(asked) > 1:
        raise click.UsageError("Give only one of --level, --flat and --themes.")
    with show.waiting("loading"):
        from leantopics.models import load_model

        loaded = at_level(load_model(model), "topics" if flat else level)
        if n_themes is not None and not hasattr(loaded, "hierarchy"):
            raise ValueError("--themes needs a model that has a hierarchy of topics.")
    nested = not any(asked[:2])
    if form == "text" and sys.stdout.isatty() and not every:
        _print_list(document_of(loaded, words, by, n_themes, nested))
    else:
        print_topics(loaded, words, by, form, n_themes, nested)


def document_of(
    model: "TopicModel",
    n: int,
    by: str,
    n_themes: int | None = None,
    nested: bool = True,
) -> dict[str, Any]:
    """Return the topics of a model as JSON types.

    If ``nested``, topics are below their themes: those of the model, or ``n_themes``
    groups of its tree.
    """
    from leantopics.analysis.topics import finer, themes_document, topics_document

    if nested and (finer(model) is not None or n_themes is not None):
        return themes_document(model, n, by, n_themes)
    return topics_document(model, n, by)


def print_topics(
    model: "TopicModel",
    n: int,
    by: str,
    form: str,
    n_themes: int | None = None,
    nested: bool = True,
) -> None:
    """Print all topics of a model, and on a terminal the shared words.

    Parameters
    ----------
    model, n, by, n_themes, nested
        See `document_of`.
    form : str
        See `print_rows`.
    """
    document = document_of(model, n, by, n_themes, nested)
    if "themes" in document:
        print_rows(form, _NESTED, _nested_rows(document["themes"]), document)
    else:
        rows = [_row(topic) for topic in document["topics"]]
        print_rows(form, _COLUMNS, rows, document)
    if form == "text" and sys.stdout.isatty():
        _print_shared(document["shared_words"])


def _print_list(document: dict[str, Any]) -> None:
    """Print the large topics of a document, a line or two for each."""
    kind = "themes" if "themes" in document else "topics"
    more = f"; --all shows all {kind}, with all columns"
    listing.print_lines(listing.topic_lines(document, more=more))
    print()
    _print_shared(document["shared_words"])


def _nested_rows(themes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    for theme in themes:
        rows.append({**_row(theme), "topic": None})
        for topic in theme["topics"]:
            row = {**_row(topic), "theme": theme["theme"]}
            if sys.stdout.isatty():
                row |= {"theme": None, "name": f"  {topic['name']}"}
            rows.append(row)
    return rows


def _row(topic: dict[str, Any]) -> dict[str, Any]:
    return {**topic, "words": [word["word"] for word in topic["words"]]}


def _print_shared(words: list[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    if words:
        shared = Text("Shared by all topics: ", style="bold")
        shared.append(", ".join(words), style="not bold")
        Console().print(shared, no_wrap=True, overflow="ellipsis")
