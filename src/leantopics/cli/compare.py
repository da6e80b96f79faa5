"""``leantopics compare``: the study's methods on a corpus of one's own."""

from pathlib import Path
from typing import Any

import click

from leantopics._extras import check_extra
from leantopics.cli.options import (
    READING_OPTIONS,
    TEXT_OPTIONS,
    corpus_argument,
    together,
)
from leantopics.cli.output import printing
from leantopics.cli.reading import read_documents
from leantopics.cli.reproduce import (
    JSON_HELP,
    STUDY_OPTIONS,
    output_option,
    summarise,
)
from leantopics.cli.show import waiting

_ORDERS = {
    "max_topics": click.option(
        "--max-topics",
        type=click.IntRange(min=1),
        metavar="M",
        help="Most topics, with which every sweep begins (50).",
    ),
    "min_topics": click.option(
        "--min-topics",
        type=click.IntRange(min=1),
        metavar="M",
        help="Fewest topics, with which it ends (2).",
    ),
}


_EXAMPLES = """\b
Examples:
  leantopics compare texts.jsonl -o out
  leantopics compare texts.jsonl -o out --methods ptm,lda --max-topics 20 --csv
"""


@click.command("compare", epilog=_EXAMPLES)
@corpus_argument
@output_option
@together("settings", {**_ORDERS, **STUDY_OPTIONS})
@together("text", TEXT_OPTIONS)
@together("reading", READING_OPTIONS)
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

    CORPUS is anything that `leantopics fit` takes. Documents whose field split says
    test are test documents; where there is no such field, a fifth is drawn. Labels are
    compared if there are any. What was interrupted goes on where it stopped.
    """
    check_extra("study")
    with waiting("reading"):
        from leantopics.study import compare
        from leantopics.study.published import ORDER

        documents = read_documents(corpus, text, reading)
    name = "stdin" if corpus == "-" else Path(corpus).name.partition(".")[0]
    if name in ORDER:  # the numbers of the paper are of its own documents
        name += "-own"
    rows = compare(documents, output, name=name, show=True, **settings)
    summarise(output, rows, form)
