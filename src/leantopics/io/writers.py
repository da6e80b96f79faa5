"""Write corpora to files that `leantopics.read_corpus` reads back unchanged.

Text formats hold texts, whose words are counted again; the others hold counts, with the
vocabulary, and for lda-c the labels, in files next to them.
"""

import csv
import gzip
import io
import lzma
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from leantopics.corpus import Corpus
from leantopics.io.count_lines import (
    fits_line,
    ldac_lines,
    matrix_market,
    uci_lines,
    vocabulary_lines,
)
from leantopics.io.kinds import SAVED, format_of
from leantopics.io.source import open_records
from leantopics.io.streams import COMPRESSED, bare_path
from leantopics.storage import atomic_file, is_zip, json_bytes

FORMATS = (SAVED, "jsonl", "csv", "tsv", "ldac", "uci", "mtx")
"""What `write_corpus` can write."""
TEXT_FORMATS = ("jsonl", "csv", "tsv")
"""Those that hold texts, not counts."""


def write_corpus(
    corpus: Corpus, path: str | os.PathLike[str], *, format: str | None = None
) -> list[str]:
    r"""Write a corpus to a folder or file, completely or not at all.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    path : path
        Where to write; a corpus of the same format there is replaced, anything else is
        left alone. A file is compressed if its name ends with .gz, .xz or .zst.
    format : str, optional
        One of `FORMATS`; found from the name if not given: without a suffix, or with
        .zip, it is a saved corpus.

    Returns
    -------
    list of str
        The parts of the corpus that the format cannot hold.

    Examples
    --------
    >>> import tempfile
    >>> corpus = Corpus([[2, 0, 1]], vocabulary=["cat", "dog", "paw"], ids=["first"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lost = write_corpus(corpus, folder + "/docword.toy.txt")
    ...     text = Path(folder, "docword.toy.txt").read_text()
    ...     sorted(os.listdir(folder)), text, lost
    (['docword.toy.txt', 'vocab.toy.txt'], '1\n3\n2\n1 1 2\n1 3 1\n', ['ids'])
    """
    found = target_format(path, format)
    if found == SAVED:
        corpus.save(path)
        return []
    target, lines = Path(path), _lines(corpus, found)
    beside = {} if found in TEXT_FORMATS else _files_beside(corpus, target, found)
    _check_places(target, beside, found)
    with ExitStack() as stack:  # the first file is put in place last
        for file, content in {target: lines, **beside}.items():
            out = stack.enter_context(_opened(file))
            for line in content:
                out.write(line)
    return left_out(corpus, found)


def write_texts(corpus: Corpus, out: BinaryIO, format: str) -> list[str]:
    """Write the texts of a corpus to an open stream, in one of `TEXT_FORMATS`.

    Returns the parts of the corpus that the format cannot hold.
    """
    for line in _lines(corpus, format):
        out.write(line)
    return left_out(corpus, format)


def target_format(path: str | os.PathLike[str], format: str | None) -> str:
    """Return the format to write: the given one, or the one that the name implies.

    Examples
    --------
    >>> target_format("news", None), target_format("news.mtx.gz", None)
    ('saved', 'mtx')
    """
    name = os.fspath(path)
    saved = SAVED if is_zip(name) or not Path(name).suffix else None
    found = format or format_of(name) or saved
    if found not in FORMATS:
        raise ValueError(
            f"The format of {name} cannot be inferred from its name; give one of "
            f"{', '.join(FORMATS)} (--to)."
        )
    return found


def left_out(corpus: Corpus, format: str) -> list[str]:
    """Return the parts of a corpus that a format cannot hold.

    Examples
    --------
    >>> left_out(Corpus([[1]], ids=["a"], labels=["pets"]), "ldac")
    ['ids']
    """
    if format in (SAVED, "jsonl"):
        return []
    if format in TEXT_FORMATS:
        columns = set(_columns(corpus))
        lost = {name for row in corpus.metadata or [] for name in row} - columns
        unlabelled = any(corpus.labels or []) and "label" not in columns
        fields = [f"the field {name}" for name in sorted(lost)]
        return ["labels", *fields] if unlabelled else fields
    first = 1 if format == "uci" else 0
    numbers = [str(first + d) for d in range(len(corpus))]
    has = {
        "ids": corpus.ids != numbers,
        "labels": corpus.labels is not None
        and not (format == "ldac" and _single_labels(corpus)),
        "metadata": corpus.metadata is not None,
        "texts": corpus.texts is not None,
    }
    return [part for part, is_lost in has.items() if is_lost]


def _lines(corpus: Corpus, format: str) -> Iterable[bytes]:
    """Return the lines of the main file; refuse a corpus that does not fit it."""
    if format in TEXT_FORMATS:
        _check_texts(corpus, format)
    if format == "jsonl":
        return _json_lines(corpus)
    if format in TEXT_FORMATS:
        return _table_lines(corpus, "," if format == "csv" else "\t")
    if format == "ldac":
        return ldac_lines(corpus)
    return uci_lines(corpus) if format == "uci" else [matrix_market(corpus)]


def _json_lines(corpus: Corpus) -> Iterator[bytes]:
    for id_, text, labels, metadata in _documents(corpus):
        row = {"id": id_, "text": text, "labels": labels, **metadata}
        yield json_bytes(row) + b"\n"


def _table_lines(corpus: Corpus, delimiter: str) -> Iterator[bytes]:
    columns = _columns(corpus)
    yield _table_line(columns, delimiter)
    for id_, text, labels, metadata in _documents(corpus):
        row = {**metadata, "id": id_, "text": text, "label": "".join(labels)}
        yield _table_line([row[name] for name in columns], delimiter)


def _table_line(cells: list[str], delimiter: str) -> bytes:
    # All cells are quoted: not every version of csv quotes a carriage return by itself.
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerow(cells)
    return line.getvalue().removesuffix("\r\n").encode() + b"\n"


def _columns(corpus: Corpus) -> list[str]:
    """Return the columns of a table: labels if single, metadata if all are strings."""
    rows, lists = corpus.metadata or [], corpus.labels or []
    fields = dict.fromkeys(name for row in rows for name in row)
    whole = [f for f in fields if all(isinstance(row.get(f), str) for row in rows)]
    single = any(lists) and all(len(own) <= 1 and all(own) for own in lists)
    return ["id", "text", *(["label"] if single else []), *whole]


def _files_beside(corpus: Corpus, target: Path, format: str) -> dict[Path, list[bytes]]:
    """Return the files of vocabulary and labels, at the first place readers look."""
    bare = bare_path(str(target))
    own = bare.name.replace("docword", "vocab", 1)
    place = bare.with_suffix(".vocab") if own == bare.name else bare.with_name(own)
    files = {place: vocabulary_lines(corpus)}
    if format == "ldac" and (labels := _single_labels(corpus)):
        lines = [f"{label}\n".encode() for label in labels]
        files[bare.with_suffix(".labels")] = lines
    return files


def _single_labels(corpus: Corpus) -> list[str] | None:
    """Return the labels if each document has one that fits on a line, else None."""
    lists = corpus.labels or []
    fit = all(len(own) == 1 and fits_line(own[0]) for own in lists)
    return [own[0] for own in lists] if lists and fit else None


def _check_texts(corpus: Corpus, format: str) -> None:
    """Refuse a corpus without texts, or with fields whose names are reserved."""
    if corpus.texts is None:
        others = ", ".join(name for name in FORMATS if name not in TEXT_FORMATS)
        raise ValueError(
            f"The format {format} holds texts, but the corpus has counts only; choose "
            f"one of {others}."
        )
    reserved = {"id", "text", "labels"} | ({"label"} if format != "jsonl" else set())
    for row in corpus.metadata or []:
        if clash := sorted(reserved & set(row)):
            raise ValueError(
                f"The corpus has a field {clash[0]!r} in its metadata, a name that the "
                f"format {format} needs for the {clash[0]} of a document; choose "
                f"{SAVED}."
            )


def _documents(
    corpus: Corpus,
) -> Iterator[tuple[str, str, list[str], dict[str, Any]]]:
    labels = corpus.labels or [[] for _ in corpus.ids]
    metadata = corpus.metadata or [{} for _ in corpus.ids]
    return zip(corpus.ids, corpus.texts or [], labels, metadata, strict=True)


def _check_places(target: Path, beside: dict[Path, list[bytes]], format: str) -> None:
    """Refuse to replace what is not a corpus, or belongs to another one."""
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"The folder {target.parent} does not exist; make it before saving there."
        )
    replaces = os.path.lexists(target)
    if target in beside or (replaces and not _is_corpus(target, format)):
        raise FileExistsError(
            f"{target} is not a corpus in the format {format}; choose another place."
        )
    for file, lines in beside.items():
        taken = not replaces and os.path.lexists(file)
        if taken and not (file.is_file() and file.read_bytes() == b"".join(lines)):
            raise FileExistsError(
                f"{file} exists, but {target}, which it would belong to, does not; "
                "move it or choose another name."
            )
    marks = bare_path(str(target)).with_suffix(".labels")
    for suffix in ("", *COMPRESSED):
        stale = marks.with_name(marks.name + suffix)
        if format == "ldac" and stale not in beside and stale.exists():
            raise FileExistsError(
                f"{stale} would be taken for the labels of {target}; move it or choose "
                "another name."
            )


def _is_corpus(path: Path, format: str) -> bool:
    """Return whether the first document of a file can be read."""
    if not path.is_file():  # reading a pipe could block
        return False
    try:
        return next(iter(open_records(path, format=format)), None) is not None
    except (OSError, ValueError):
        return False


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file, compressed by its suffix, that is put in place if nothing fails."""
    with atomic_file(path) as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as gz:
                yield cast(BinaryIO, gz)
        elif path.suffix == ".xz":
            with lzma.LZMAFile(raw, "wb") as xz:
                yield cast(BinaryIO, xz)
        elif path.suffix == ".zst":
            with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as zst:
                yield cast(BinaryIO, zst)
        else:
            yield raw
