"""``leantopics convert``: write a corpus in another format."""

import sys
from typing import Any

import click

from leantopics._words import counted
from leantopics.cli.fitting import check_target
from leantopics.cli.messages import tell
from leantopics.cli.options import (
    PICTURE_OPTIONS,
    READING_OPTIONS,
    TEXT_OPTIONS,
    corpus_argument,
    together,
)
from leantopics.cli.pictures import check_pictures, convert_pictures
from leantopics.cli.reading import check_no_text, of_text, read_documents
from leantopics.cli.show import waiting

TEXTS = ("jsonl", "csv", "tsv")
TARGETS = ("saved", *TEXTS, "ldac", "uci", "mtx")
"""As in `leantopics.io.writers`, which is too slow to import for a help text."""
_EXAMPLES = """\b
Examples:
  leantopics convert texts.csv -o texts.jsonl.gz
  leantopics convert texts.jsonl -o counts.ldac --stem english --min-df 5
  leantopics convert docword.nips.txt -o nips
  leantopics convert photos/ -o photos-corpus --images
  leantopics convert texts.csv -o - --to jsonl | leantopics fit - -o model
"""


@click.command("convert", epilog=_EXAMPLES)
@corpus_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(allow_dash=True, readable=False),
    required=True,
    metavar="OUT",
    help="File or folder to write; - writes texts to standard output.",
)
@click.option(
    "--to",
    "target",
    type=click.Choice(TARGETS),
    help="Format to write, if the name of OUT does not show it.",
)
@click.option(
    "--images",
    is_flag=True,
    help="CORPUS is a folder of pictures; its subfolders give the labels.",
)
@together("pictures", PICTURE_OPTIONS)
@together("text", TEXT_OPTIONS)
@together("reading", READING_OPTIONS)
def command(
    corpus: str,
    output: str,
    target: str | None,
    images: bool,
    pictures: dict[str, Any],
    text: dict[str, Any],
    reading: dict[str, Any],
) -> None:
    """Write CORPUS in another format.

    CORPUS is anything that `leantopics fit` takes. OUT decides what is written. A name
    without a suffix is a folder with a saved corpus, and .zip is the same in one file.
    Texts go to .jsonl, .csv or .tsv. Counts go to .ldac, docword.NAME.txt or .mtx, with
    the vocabulary next to them. Files of texts and counts are compressed if the name
    ends with .gz, .xz or .zst.

    Reading OUT gives the same counts. A message lists what the format cannot hold. An
    existing corpus is replaced; anything else is left alone.

    With --images, CORPUS is a folder of pictures, which become counts of visual words.
    They are counted with the codebook of --codebook. Without it, one is learned from
    the pictures and written next to OUT, with the suffix .codebook. Pictures that
    cannot be read are reported and left out.
    """
    from leantopics.io.writers import target_format, write_corpus, write_texts

    found = target or ("" if output == "-" else target_format(output, None))
    _check(output, found, text)
    check_pictures(images, found in TEXTS, pictures, {**text, **reading})
    if not images and found == "saved" and _is_streamed(corpus, output):
        with waiting("reading") as status:
            n_docs = _stream(corpus, output, text, reading, status)
        tell(f"{counted(n_docs, 'document')} written to {output}")
        return
    if images:
        documents = convert_pictures(corpus, output, pictures)
    else:
        with waiting("reading"):
            documents = read_documents(corpus, text, {**reading, "keep_texts": True})
    with waiting("writing"):
        if output == "-":
            lost = write_texts(documents, sys.stdout.buffer, found)
        else:
            lost = write_corpus(documents, output, format=found)
    if lost:
        tell(f"Left out, as the format {found} cannot hold it: {', '.join(lost)}.")
    place = "standard output" if output == "-" else output
    tell(f"{counted(documents.n_docs, 'document')} written to {place}")


def _is_streamed(corpus: str, output: str) -> bool:
    """Return whether documents can be copied to the folder one by one."""
    from leantopics.storage import is_saved, is_zip

    return not (is_zip(output) or is_zip(corpus) or is_saved(corpus, "corpus"))


def _stream(
    corpus: str,
    output: str,
    text: dict[str, Any],
    reading: dict[str, Any],
    status: Any,
) -> int:
    from leantopics import TextVectorizer
    from leantopics.io import open_records
    from leantopics.text.convert import convert_corpus

    text, reading = of_text(text, reading)
    if open_records(corpus, **reading).has_counts:
        check_no_text(corpus, text)
    vectorizer = TextVectorizer(**text)
    return convert_corpus(
        corpus,
        output,
        vectorizer=vectorizer,
        report=lambda n_docs: status.update(f"reading: {counted(n_docs, 'document')}"),
        **reading,
    )


def _check(output: str, target: str, text: dict[str, Any]) -> None:
    """Refuse combinations that cannot work, before anything is read."""
    if output == "-" and target not in TEXTS:
        raise click.UsageError(
            f"Standard output takes texts only: give --to, one of {', '.join(TEXTS)}."
        )
    if text and target in TEXTS:
        option = f"--{next(iter(text)).replace('_', '-')}"
        raise click.UsageError(f"{option} applies to counts, but {target} holds texts.")
    if target == "saved":
        check_target(output, "corpus")
