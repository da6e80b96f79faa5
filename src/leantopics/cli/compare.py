"""``leantopics compare``: the study's methods on a corpus of one's own."""

from pathlib import Path
from typing import Any

import click

from leantopics.cli.fit import check_kind
from leantopics.cli.options import READING_OPTIONS, TEXT_OPTIONS, together
from leantopics.cli.reproduce import STUDY_OPTIONS, output_option, summarise
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


@click.command("compare")
@click.argument("corpus")
@output_option
@together("settings", {**_ORDERS, **STUDY_OPTIONS})
@together("text", TEXT_OPTIONS)
@together("reading", READING_OPTIONS)
def command(
    corpus: str,
    output: Path,
    settings: dict[str, Any],
    text: dict[str, Any],
    reading: dict[str, Any],
) -> None:
    """Compare the methods of the paper on CORPUS.

    CORPUS is anything that `leantopics fit` takes. Documents whose field split says
    test are test documents; where there is no such field, a fifth is drawn. Labels are
    compared if there are any. What was interrupted goes on where it stopped.
    """
    with waiting("reading"):
        from leantopics import TextVectorizer, read_corpus
        from leantopics.study import compare

        vectorizer = TextVectorizer(**text)
        documents = read_corpus(corpus, vectorizer=vectorizer, **reading)
    check_kind(corpus, hasattr(vectorizer, "vocabulary_"), text, reading)
    name = "stdin" if corpus == "-" else Path(corpus).name.partition(".")[0]
    compare(documents, output, name=name, show=True, **settings)
    summarise(output)
