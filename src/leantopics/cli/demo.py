"""``leantopics demo``: fit a model to texts that are already installed."""

import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from leantopics._words import counted
from leantopics.cli import listing, options, show
from leantopics.cli.fitting import check_target, fit_and_save
from leantopics.cli.messages import tell
from leantopics.cli.output import printing
from leantopics.cli.plot import BRAILLE, PLAIN, Style, curve
from leantopics.cli.topics import document_of, print_topics

if TYPE_CHECKING:
    from rich.text import Text

    from leantopics import ParsimoniousTopicModel

_SETTINGS = {
    name: options.MODEL_OPTIONS[name]
    for name in ("max_topics", "random_state", "n_jobs")
}
_TITLE = "Documentation of numpy, scipy and scikit-learn"
_WORDS = 12
"""Most words shown of a topic."""
_EXAMPLES = """\b
Example:
  leantopics demo
"""


@click.command("demo", epilog=_EXAMPLES)
@options.output_option(
    "FOLDER",
    "Folder for the model and its report (demo); if it ends with .zip, the model is "
    "that file and the report is next to it.",
    default="demo",
)
@options.together("settings", _SETTINGS)
@printing("Print the topics as one JSON document.")
def command(output: Path, settings: dict[str, Any], form: str) -> None:
    """Fit a model to the docs of numpy, scipy and scikit-learn.

    There is no stop list and no stemming, and the model chooses the number of topics.
    Takes about a minute.
    """
    begin = perf_counter()
    target, page = _places(output)
    target.parent.mkdir(parents=True, exist_ok=True)
    with show.waiting("reading the documentation of numpy, scipy and scikit-learn"):
        from leantopics.datasets import load_python_docs

        check_target(target)
        documents = load_python_docs()
    tell(f"{_TITLE}: {documents.n_docs:,} documents, {documents.n_tokens:,.0f} words.")
    model = fit_and_save(documents, target, keep_text=True, **settings)
    with show.waiting("writing the report"):
        model.report(page, documents, title=_TITLE)
    if form == "text":
        _print(model)
    else:
        print_topics(model, _WORDS, "salience", form)
    tell(
        f"\nDone in {perf_counter() - begin:.0f} seconds; the model is in {target}.\n"
        f"Open {page} in a browser, and try:\n\n"
        f"  leantopics topics {target}\n"
        "  echo 'low-pass filter for a noisy signal' | "
        f"leantopics infer {target} -\n"
        "  leantopics fit YOUR_TEXTS -o model"
    )


def _places(output: Path) -> tuple[Path, Path]:
    """Return the paths of the model and of its report."""
    from leantopics.storage import is_zip

    if is_zip(output):
        return output, output.with_suffix(".html")
    return output / "model", output / "report.html"


def _print(model: "ParsimoniousTopicModel") -> None:
    """Print the topics, the choices of the model and the curve of BIC."""
    listing.print_lines(_lines(model))


def _lines(model: "ParsimoniousTopicModel") -> "Iterator[Text]":
    from rich.text import Text

    yield Text()
    yield from listing.topic_lines(document_of(model, _WORDS, "salience"))
    yield _choice(model)
    if len(model.path_) > 1:
        yield from _curve_lines(model, listing.width())


def _choice(model: "ParsimoniousTopicModel") -> "Text":
    """Return how many topics and salient words the model chose."""
    from rich.text import Text

    from leantopics.analysis.topics import chosen_row, shared_words

    chosen = chosen_row(model)
    salient = counted(round(chosen["salient_per_topic"]), "salient word")
    shared = ", ".join(shared_words(model, 10))
    level = show.level(model)
    text = Text(f"\n{show.number(model)} chosen.", style="bold green")
    text.append(
        f" On average, a document has {chosen['topics_per_document']:.2f} "
        f"{level}s\nand a {level} has {salient} out of {len(model.vocabulary_):,}.",
        style="not bold default",
    )
    if shared:
        text.append(
            f" All topics share words such as\n{shared}.", style="not bold default"
        )
    return text


def _curve_lines(model: "ParsimoniousTopicModel", width: int) -> "Iterator[Text]":
    """Yield a plot of BIC against the number of topics."""
    from rich.text import Text

    points = [(row["n_topics"], row["criterion"]) for row in model.path_]
    yield Text("\nBIC (nats) by number of topics: the lowest is chosen", style="bold")
    style = _style()
    for line in curve(points, width=width, style=style):
        text = Text(line)
        text.highlight_words([style.least, style.pointer], "bold green")
        yield text
    yield Text("number of topics".rjust(width))


def _style() -> Style:
    """Return the characters that standard output can show."""
    try:
        BRAILLE.least.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return PLAIN
    return BRAILLE
