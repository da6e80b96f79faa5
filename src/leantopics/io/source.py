"""Find the format of a source and read its records."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leantopics._encodings import AUTO
from leantopics.io.again import format_again, kept, merged
from leantopics.io.counts import check_claim, find_beside
from leantopics.io.formats import matrix_market, uci
from leantopics.io.formats.ldac import read_ldac
from leantopics.io.kinds import (
    COUNT_FORMATS,
    check_settings,
    find_format,
    format_of,
)
from leantopics.io.lines import encoding_of, read_lines, read_words
from leantopics.io.notes import Notes
from leantopics.io.record import Record
from leantopics.io.select import Where
from leantopics.io.streams import bare_path
from leantopics.io.texts import read_texts


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
    encoding : str
        Encoding of its texts; "auto" only for a folder, whose files may differ.
    notes : Notes
        What is reported after the last record.
    kept : mapping
        How it is read, if not by default, as JSON types; see ``again``.
    """

    source: str
    format: str
    read: Callable[[], Iterator[Record]]
    where: Where
    n_words: int | None = None
    vocabulary: list[str] | None = None
    encoding: str = "utf-8"
    notes: Notes = field(default_factory=Notes)
    kept: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_counts(self) -> bool:
        """Whether the records hold counts, not text."""
        return self.format in COUNT_FORMATS

    def __iter__(self) -> Iterator[Record]:
        for record in self.read():
            if self.where.matches(record):
                yield record
        self.notes.report()
        self.where.check_fields()


def open_records(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    encoding: str | None = None,
    text_field: str | None = None,
    id_field: str | None = None,
    label_field: str | None = None,
    columns: Sequence[str] | None = None,
    skip_bad: bool | None = None,
    vocabulary: str | os.PathLike[str] | None = None,
    labels: str | os.PathLike[str] | None = None,
    where: Mapping[str, str] | None = None,
    again: Mapping[str, Any] | None = None,
) -> Records:
    r"""Find the format of a source and return its records, which are read one by one.

    Parameters
    ----------
    source : path or "-"
        A file, possibly compressed as ``.gz``, ``.xz`` or ``.zst``; a folder of text
        files; an address such as ``s3://bucket/texts.jsonl`` (extra ``remote``); or
        standard input, which is JSON lines if it begins with ``{``, a table if its
        first line names a column of texts, and one document per line otherwise.
    format : str, optional
        One of `FORMATS`; found from the name if not given.
    encoding : str, optional
        Encoding of text files, by default UTF-8; "auto" guesses it, for each file of a
        folder.
    text_field, id_field, label_field : str, optional
        Fields of JSON lines, columns of CSV or TSV. If not given, the text is the
        first of text, body, content, abstract and document that exists; the id is
        ``id``; the labels are ``labels`` or ``label``.
    columns : sequence of str, optional
        Names of the columns of CSV or TSV without a header.
    skip_bad : bool, optional
        Whether to leave out files, lines and rows that cannot be read. Their number and
        names are logged.
    vocabulary : path, optional
        For counts: the file of words, one per line. If not given, it is looked for
        next to the source, as ``<name>.vocab`` or ``vocab.txt``, and for
        ``docword.<name>.txt`` as ``vocab.<name>.txt``.
    labels : path, optional
        For lda-c: a file with the label of each document on a line; if not given,
        ``<name>.labels`` is looked for.
    where : mapping of str to str, optional
        Yield only records whose fields have these values, see `Where`.
    again : mapping, optional
        How an earlier source was read (`Records.kept`), for what is not given and
        applies to the format of this one.

    Returns
    -------
    Records
        An iterable of `Record` that knows the vocabulary of counts.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "pets.csv")
    ...     _ = file.write_text("text,kind\na cat,tame\na wolf,wild\n")
    ...     [record.text for record in open_records(file, where={"kind": "wild"})]
    ['a wolf']
    """
    source = os.fspath(source)
    format = format_again(source, format, again)
    found = find_format(source, format)
    given = {
        "encoding": encoding,
        "text_field": text_field,
        "id_field": id_field,
        "label_field": label_field,
        "columns": columns,
        "skip_bad": skip_bad,
        "vocabulary": vocabulary,
        "labels": labels,
    }
    reading = merged(given, again, found)

    def check(kind: str) -> None:
        check_settings(source, kind, given, where)

    if found != "auto":
        check(found)
    selection = Where(where, reading.label_field, reading.id_field)
    differs = kept(reading, format, format_of(source))
    if found in COUNT_FORMATS:
        words = _find_vocabulary(source, vocabulary, reading.encoding)
        read, n_words = _counts_of(source, found, reading.encoding, words, labels)
        return Records(source, found, read, selection, n_words, words)
    notes = Notes(reading.skip_bad)
    if found not in ("folder", "parquet", "arrow"):
        known = encoding_of(source, reading.encoding, notes)
        reading = reading._replace(encoding=known)
    return Records(
        source,
        found,
        lambda: read_texts(source, found, reading, notes, check),
        selection,
        encoding=reading.encoding,
        notes=notes,
        kept=differs,
    )


def _counts_of(
    source: str,
    format: str,
    encoding: str,
    words: list[str] | None,
    labels: str | os.PathLike[str] | None,
) -> tuple[Callable[[], Iterator[Record]], int | None]:
    """Return how to read records of counts, and their number of words, checked."""
    codec = "utf-8" if encoding == AUTO else encoding  # numbers need no guess
    n_words = None if words is None else len(words)
    if format == "ldac":
        beside = [bare_path(source).with_suffix(".labels")]
        file = labels or find_beside(source, beside)
        marks = read_words(file, encoding) if file else None

        def read() -> Iterator[Record]:
            return read_ldac(source, read_lines(source, codec), n_words, marks)

        return read, n_words
    if format == "uci":
        claimed = uci.read_header(source, codec).n_words
        reader = uci.read_uci
    else:
        claimed = matrix_market.read_header(source, codec).n_words
        reader = matrix_market.read_matrix_market
    if n_words not in (None, claimed):
        raise ValueError(
            f"{source} has {claimed} words, but its vocabulary has {n_words}; "
            "give the file that belongs to it."
        )
    if words is None:
        check_claim("words", claimed, source)
    return lambda: reader(source, codec), claimed


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
