"""``leantopics stability``: which topics recur in further fits."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics._words import counted
from leantopics.cli import options, show
from leantopics.cli.messages import tell
from leantopics.cli.output import Column, print_rows, printing
from leantopics.cli.reading import read_for_model

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel

_COLUMNS = (
    Column("topic"),
    Column("found", title="found again"),
    Column("agreement", piped=".4f", shown=".0%"),
    Column("words", piped=".4f", shown=".0%", title="words that stay"),
    Column("name", style="cyan"),
)
_SETTINGS = {name: options.MODEL_OPTIONS[name] for name in ("random_state", "n_jobs")}
_EXAMPLES = """\b
Examples:
  leantopics stability model texts.jsonl
  leantopics stability model texts.jsonl --bootstrap --repeats 20
"""


@click.command("stability", epilog=_EXAMPLES)
@options.model_argument
@options.corpus_argument
@options.positive(
    "--repeats",
    default=10,
    help="Number of further fits, each as long as the first (10).",
)
@click.option(
    "--bootstrap",
    is_flag=True,
    help="Also draw the documents with replacement, instead of only changing the "
    "starts.",
)
@options.together("settings", _SETTINGS)
@options.together("reading", options.READING_OPTIONS)
@printing("Print one JSON document.")
def command(
    model: Path,
    corpus: str,
    repeats: int,
    bootstrap: bool,
    settings: dict[str, Any],
    reading: dict[str, Any],
    form: str,
) -> None:
    """Fit again and see which topics of MODEL recur.

    CORPUS holds the documents that MODEL was fitted to. A topic is found again in a
    repeat if some topic there shares at least half of the words that either of the two
    explains; its agreement is that share. Words that stay are the salient words that
    are also salient in the matching topic.

    The result is saved in MODEL, and its report shows it. Repeats choose their number
    of topics if MODEL did, and ignore the changes of `leantopics edit`.
    """
    with show.waiting("reading"):
        from leantopics import ParsimoniousTopicModel
        from leantopics.analysis.topics import names_of

        loaded = ParsimoniousTopicModel.load(model)
        seed, before = settings.pop("random_state"), loaded.n_jobs
        loaded.set_params(**settings)
        documents = read_for_model(loaded, model, corpus, reading)
    with show.waiting(f"fitting {counted(repeats, 'time')}"):
        how = "bootstrap" if bootstrap else "starts"
        found = loaded.measure_stability(
            documents, repeats=repeats, how=how, random_state=seed
        )
        loaded.set_params(n_jobs=before)
        loaded.save(model)
    columns = (
        range(loaded.n_topics_),
        found.found.tolist(),
        found.mean_agreement.tolist(),
        found.stays(loaded.salient_word_prob_.indptr).tolist(),
        names_of(loaded),
    )
    keys = [column.name for column in _COLUMNS]
    rows = [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]
    numbers = sorted(found.orders.tolist())
    print_rows(form, _COLUMNS, rows, {"orders": numbers, "how": how, "topics": rows})
    tell(f"{_in_words(loaded, numbers)}; saved in {model}")


def _in_words(model: "ParsimoniousTopicModel", numbers: list[int]) -> str:
    """Compare the numbers of topics of the model and of its repeats."""
    own = counted(model.n_topics_, "topic")
    if model.n_topics == "auto":
        same = numbers[0] == numbers[-1]
        theirs = f"{numbers[0]}" if same else f"{numbers[0]} to {numbers[-1]}"
        return f"{own}; the repeats chose {theirs}"
    if model.edits_:
        return (
            f"{own} after changes by hand; the repeats use only this number, so they "
            "test the topics, not their number"
        )
    return f"{own}, as set; the repeats use it too, so they test only the topics"
