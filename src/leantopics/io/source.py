"""Find the format of a source and read its records."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from leantopics.io.counts import check_claim, find_beside
from leantopics.io.fields import Wanted
from leantopics.io.formats import matrix_market, uci
from leantopics.io.formats.folder import read_folder
from leantopics.io.formats.jsonl import read_jsonl
from leantopics.io.formats.ldac import read_ldac
from leantopics.io.formats.plain import read_plain
from leantopics.io.formats.table import read_table
from leantopics.io.record import Record
from leantopics.io.select import Where
from leantopics.io.settings import check_settings
from leantopics.io.streams import (
    COMPRESSED,
    STDIN,
    UNKNOWN_COMPRESSED,
    bare_path,
    is_special,
    read_lines,
    read_words,
)

FORMATS = ("jsonl", "csv", "tsv", "lines", "folder", "ldac", "uci", "mtx")

_BY_SUFFIX = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "lines",
    ".ldac": "ldac",
    ".dat": "ldac",
    ".mtx": "mtx",
}
_COUNT_FORMATS = ("ldac", "uci", "mtx")
_NOT_FROM_STDIN = ("folder", "uci", "mtx")


@dataclass(frozen=True)
class Records:
    """The records of a source, read one by one on iteration.

    Attributes
    ----------
    source : str
        The file or folder, or "-" for standard input.
    format : str
        One of `FORMATS`, or "auto" for standard input.
    has_counts : bool
        Whether the records hold counts, not text.
    n_words : int or None
        For counts, the number of words, if the source gives it.
    vocabulary : list of str or None
        For counts, the words, if there is a vocabulary file.
    """

    source: str
    format: str
    read: Callable[[], Iterator[Record]]
    where: Where
    n_words: int | None = None
    vocabulary: list[str] | None = None

    @property
    def has_counts(self) -> bool:
        """Whether the records hold counts, not text."""
        return self.format in _COUNT_FORMATS

    def __iter__(self) -> Iterator[Record]:
        for record in self.read():
            if self.where.matches(record):
                yield record
        self.where.check_fields()


def open_records(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    text_field: str | None = None,
    id_field: str | None = None,
    label_field: str | None = None,
    vocabulary: str | os.PathLike[str] | None = None,
    labels: str | os.PathLike[str] | None = None,
    where: Mapping[str, str] | None = None,
) -> Records:
    r"""Find the format of a source and return its records, which are read one by one.

    Parameters
    ----------
    source : path or "-"
        A file, possibly compressed as ``.gz``, ``.xz`` or ``.zst``; a folder of text
        files; or standard input, which is JSON lines if it begins with ``{`` and one
        document a line otherwise.
    format : str, optional
        One of `FORMATS`; found from the name if not given.
    encoding : str
        Encoding of text files.
    text_field, id_field, label_field : str, optional
        Fields of JSON lines, columns of CSV or TSV. If not given, the text is the
        first of text, body, content, abstract and document that exists; the id is
        ``id``; the labels are ``labels`` or ``label``.
    vocabulary : path, optional
        For counts: the file of words, one a line. If not given, it is looked for
        next to the source, as ``<name>.vocab`` or ``vocab.txt``, and for
        ``docword.<name>.txt`` as ``vocab.<name>.txt``.
    labels : path, optional
        For lda-c: a file with one label a line for each document; if not given,
        ``<name>.labels`` is looked for.
    where : mapping of str to str, optional
        Yield only records whose fields have these values, see `Where`.

    Returns
    -------
    Records
        An iterable of `Record` that knows the vocabulary of counts.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "pets.csv")
    ...     _ = file.write_text("text,kind\na cat,tame\na wolf,wild\n")
    ...     [record.text for record in open_records(file, where={"kind": "wild"})]
    ['a wolf']
    """
    name = os.fspath(source)
    found = _find_format(name, format)
    wanted = Wanted(text_field, id_field, label_field)
    selection = Where(where, label_field, id_field)
    given = {
        "text_field": text_field,
        "id_field": id_field,
        "label_field": label_field,
        "vocabulary": vocabulary,
        "labels": labels,
    }
    if found != "auto":
        check_settings(name, found, given, where)

    if found in _COUNT_FORMATS:
        words = _find_vocabulary(name, vocabulary, encoding)
        n_words = None if words is None else len(words)
        if found == "ldac":
            label_file = labels or find_beside(
                name, [bare_path(name).with_suffix(".labels")]
            )
            marks = read_words(label_file, encoding) if label_file else None

            def read() -> Iterator[Record]:
                return read_ldac(name, read_lines(name, encoding), n_words, marks)

            return Records(name, found, read, selection, n_words, words)
        if found == "uci":
            claimed = uci.read_header(name, encoding).n_words
            reader = uci.read_uci
        else:
            claimed = matrix_market.read_header(name, encoding).n_words
            reader = matrix_market.read_matrix_market
        if n_words not in (None, claimed):
            raise ValueError(
                f"{name} has {claimed} words, but its vocabulary has {n_words}; "
                "give the file that belongs to it."
            )
        if words is None:
            check_claim("words", claimed, name)
        return Records(
            name, found, lambda: reader(name, encoding), selection, claimed, words
        )

    def read_text() -> Iterator[Record]:
        if found == "folder":
            return read_folder(name, encoding)
        lines = read_lines(name, encoding)
        kind = found
        if found == "auto":
            first = next(lines, None)
            kind = "jsonl" if first and first.text.lstrip()[:1] == "{" else "lines"
            lines = chain([first] if first else [], lines)
            check_settings(name, kind, given, where)
        if kind == "jsonl":
            return read_jsonl(name, lines, wanted)
        if kind == "lines":
            return read_plain(name, lines)
        return read_table(name, lines, wanted, "," if kind == "csv" else "\t")

    return Records(name, found, read_text, selection)


def _find_format(name: str, format: str | None) -> str:
    """Choose the format; refuse a source that does not exist."""
    if format is not None and format not in FORMATS:
        raise ValueError(
            f"The format must be one of {', '.join(FORMATS)}, got {format!r}."
        )
    if name == STDIN:
        if format in _NOT_FROM_STDIN:
            raise ValueError(f"The format {format} cannot be read from standard input.")
        return format or "auto"
    path = Path(name)
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {name}.")
    if path.suffix in UNKNOWN_COMPRESSED and path.is_file():
        raise ValueError(
            f"{name} has a compression that cannot be read; use one of "
            f"{', '.join(COMPRESSED)}."
        )
    if format is None and path.is_dir():
        return "folder"
    if format is not None:
        if path.is_dir() != (format == "folder"):
            what = "folder" if path.is_dir() else "file"
            raise ValueError(f"{name} is a {what}, not of the format {format}.")
    found = format or format_of(name)
    if found is None:
        raise ValueError(
            f"The format of {name} cannot be inferred from its name; "
            f"give one of {', '.join(FORMATS)} (--format)."
        )
    if found in _NOT_FROM_STDIN and is_special(path):
        raise ValueError(
            f"{name} is a pipe, socket or device, from which the format {found} cannot "
            "be read: write it to a file first."
        )
    return found


def format_of(name: str) -> str | None:
    """Return the format that the name of a file implies, or None.

    Examples
    --------
    >>> format_of("docword.nips.txt.gz"), format_of("nips.txt"), format_of("nips.doc")
    ('uci', 'lines', None)
    """
    bare = bare_path(name)
    if bare.name.startswith("docword") and bare.suffix == ".txt":
        return "uci"
    return _BY_SUFFIX.get(bare.suffix.lower())


def _find_vocabulary(
    name: str, given: str | os.PathLike[str] | None, encoding: str
) -> list[str] | None:
    bare = bare_path(name)
    own = bare.with_name(bare.name.replace("docword", "vocab", 1))
    candidates = [bare.with_suffix(".vocab"), bare.with_name("vocab.txt")]
    if own != bare:
        candidates.insert(0, own)
    file = given or find_beside(name, candidates)
    return None if file is None else read_words(file, encoding)
