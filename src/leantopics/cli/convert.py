"""``leantopics convert``: write a corpus in another format."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics._words import counted
from leantopics.cli import options
from leantopics.cli.fitting import check_target
from leantopics.cli.messages import tell
from leantopics.cli.reading import check_no_text, of_text, read_documents
from leantopics.cli.show import waiting

if TYPE_CHECKING:
    from leantopics import Corpus

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
@options.corpus_argument
@click.option(
    "-o",
    "--output",
    type=options.source,
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
@options.together("pictures", options.PICTURE_OPTIONS)
@options.together("text", options.TEXT_OPTIONS)
@options.together("reading", options.READING_OPTIONS)
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
    _check_pictures(images, found in TEXTS, pictures, {**text, **reading})
    if not images and found == "saved" and _is_streamed(corpus, output):
        with waiting("reading") as status:
            n_docs = _stream(corpus, output, text, reading, status)
        tell(f"{counted(n_docs, 'document')} written to {output}")
        return
    if images:
        documents = _convert_pictures(corpus, output, pictures)
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
        option = options.first_option(text)
        raise click.UsageError(f"{option} applies to counts, but {target} holds texts.")
    if target == "saved":
        check_target(output, "corpus")


def _check_pictures(
    images: bool, to_texts: bool, pictures: dict[str, Any], others: dict[str, Any]
) -> None:
    """Refuse options of text with pictures, and options of pictures without them."""
    if not images and pictures:
        option = options.first_option(pictures)
        raise click.UsageError(f"{option} can be used only with --images.")
    if images and others:
        option = options.first_option(others)
        raise click.UsageError(f"{option} cannot be used with --images.")
    if images and to_texts:
        raise click.UsageError(
            "Pictures become counts, not texts: give a folder or file of counts."
        )
    learning = [name for name in ("n_words", "random_state") if name in pictures]
    if "codebook" in pictures and learning:
        raise click.UsageError(
            f"{options.first_option(learning)} is for learning a new codebook, so it "
            "cannot be used with --codebook."
        )


def _convert_pictures(folder: str, output: str, pictures: dict[str, Any]) -> "Corpus":
    """Read pictures; write a new codebook, if none is given, beside the output."""
    from leantopics.images import VisualWords, read_images

    shown = {"n_jobs": pictures.get("n_jobs", -1), "verbose": int(sys.stderr.isatty())}
    if "codebook" in pictures:
        words = VisualWords.load(pictures["codebook"]).set_params(**shown)
        return read_images(folder, words=words)
    beside = Path(output).with_suffix(".codebook")
    check_target(beside, "codebook")
    words = VisualWords(**{"random_state": 0, **pictures, **shown})
    documents = read_images(folder, words=words)
    words.save(beside)
    tell(f"{counted(len(words.codewords_), 'codeword')} written to {beside}")
    return documents
