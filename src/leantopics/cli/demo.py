"""``leantopics demo``: fit a model to texts that are already installed."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from leantopics._words import counted
from leantopics.cli import options, show
from leantopics.cli.fitting import check_target, fit_and_save
from leantopics.cli.messages import tell
from leantopics.cli.output import printing
from leantopics.cli.plot import BRAILLE, PLAIN, Style, curve
from leantopics.cli.topics import print_topics

if TYPE_CHECKING:
    from rich.text import Text

    from leantopics import ParsimoniousTopicModel

_SETTINGS = {
    name: options.MODEL_OPTIONS[name]
    for name in ("max_topics", "random_state", "n_jobs")
}
_PIPE_WIDTH = 80
_TITLE = "Documentation of numpy, scipy and scikit-learn"
_WORDS = 12
"""Most words shown of a topic."""
_TOPICS = 40
"""Most topics shown; the rest are only counted."""
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
    from rich.console import Console

    console = Console(highlight=False)
    width = console.width if console.is_terminal else _PIPE_WIDTH
    lines = [*_topic_lines(model, width), _choice(model)]
    if len(model.path_) > 1:
        lines += _curve_lines(model, width)
    for line in lines:
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def _topic_lines(model: "ParsimoniousTopicModel", width: int) -> "Iterator[Text]":
    """Yield a line for each large topic, with as many words as fit."""
    from rich.text import Text

    from leantopics.analysis.topics import children, finer, salient_words

    yield Text(f"\n{show.level(model)}  share  salient words", style="bold")
    ranked = salient_words(model, _WORDS, "salience")
    below_each = children(model)
    for j, words in enumerate(ranked[:_TOPICS]):
        start = f"{j:5}  {model.topic_mass_[j]:5.1%} "
        yield Text(_filled(start, [word for word, _ in words], " ", width))
        if fine := finer(model):
            below = [fine.topic_names[k] for k in below_each[j]]
            start = f"{'':14}{counted(len(below), 'topic')}:"
            yield Text(_filled(start, below, ", ", width), style="dim")
    if len(ranked) > _TOPICS:
        yield Text(f"       and {len(ranked) - _TOPICS} more", style="dim")


def _filled(line: str, parts: Sequence[str], separator: str, width: int) -> str:
    """Return a line with as many parts at its end as fit."""
    for n, part in enumerate(parts):
        longer = f"{line}{separator if n else ' '}{part}"
        if len(longer) > width:
            break
        line = longer
    return line.rstrip()


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
