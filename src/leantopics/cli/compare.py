"""``leantopics compare``: compare the methods of the paper on your own corpus."""

from pathlib import Path
from typing import Any

import click

from leantopics._extras import check_extra
from leantopics.cli import options
from leantopics.cli.output import printing
from leantopics.cli.reading import read_documents
from leantopics.cli.reproduce import (
    JSON_HELP,
    STUDY_OPTIONS,
    study_output_option,
    summarise,
)
from leantopics.cli.show import waiting

_NUMBERS = {
    "max_topics": options.positive(
        "--max-topics",
        metavar="M",
        help="Number of topics at which every sweep begins (50).",
    ),
    "min_topics": options.positive(
        "--min-topics", metavar="M", help="Number of topics at which it ends (2)."
    ),
}

_EXAMPLES = """\b
Examples:
  leantopics compare texts.jsonl -o out
  leantopics compare texts.jsonl -o out --methods ptm,lda --max-topics 20 --csv
"""


@click.command("compare", epilog=_EXAMPLES)
@options.corpus_argument
@study_output_option
@options.together("settings", {**_NUMBERS, **STUDY_OPTIONS})
@options.together("text", options.TEXT_OPTIONS)
@options.together("reading", options.READING_OPTIONS)
@printing(JSON_HELP)
def command(
    corpus: str,
    output: Path,
    settings: dict[str, Any],
    text: dict[str, Any],
    reading: dict[str, Any],
    form: str,
) -> None:
    """Compare the methods of the paper on CORPUS.

    CORPUS is anything that `leantopics fit` takes. Documents whose field split is test
    are the test documents; without such a field, a fifth of all documents is drawn. If
    documents have labels, the methods are also compared by how well they predict them.
    To resume an interrupted run, repeat the command.
    """
    check_extra("study")
    with waiting("reading"):
        from leantopics.study import compare
        from leantopics.study.published import N_TOPICS

        documents = read_documents(corpus, text, reading)
    name = "stdin" if corpus == "-" else Path(corpus).name.partition(".")[0]
    if name in N_TOPICS:  # the published numbers are for the documents of the paper
        name += "-own"
    rows = compare(documents, output, name=name, show=True, **settings)
    summarise(output, rows, form)
