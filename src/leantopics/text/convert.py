"""Any source to a saved corpus, in memory that its vocabulary bounds."""

import json
import os
import shutil
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import IO, Any, overload

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics.analyser import split_analyser
from leantopics.canonical import index_type
from leantopics.readers import Record, open_records
from leantopics.readers.streams import STDIN
from leantopics.storage import atomic_file, check_target, save_folder
from leantopics.storage.durable import only_one
from leantopics.text.read import nothing_message
from leantopics.text.vectorizer import TextVectorizer, merge
from leantopics.text.words import tokenizer_name

_DONE = "progress.json"
_ARRAYS = {"words": np.int32, "values": np.float64, "sizes": np.int64}
_LINES = ("ids", "labels", "metadata", "texts", "forms")
_EVERY = 1 << 22
"""Stored counts after which what is done is written down."""
_CHUNK = 1 << 20
"""Stored counts that are worked on at once."""


def convert_corpus(
    source: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    vectorizer: TextVectorizer | None = None,
    report: Callable[[int], object] = lambda n_docs: None,
    **reading: Any,
) -> int:
    r"""Read a corpus from any source and save it, never holding much of it in memory.

    Texts are cut into words once, as they come; what is counted goes to a folder beside
    the target, ``<name>.partial``. When all is read the vocabulary is chosen, and the
    counts are brought into its order. What is saved is the same as that of
    `read_corpus` with texts kept. If the work is interrupted, the same call goes on
    from the partial folder.

    Parameters
    ----------
    source : path or "-"
        See `leantopics.readers.open_records`.
    path : path
        Where to save the corpus.
    vectorizer : TextVectorizer, optional
        How to count words of text; it is fitted in place.
    report : callable, optional
        Is told now and then how many documents are read.
    **reading
        Parameters of `leantopics.readers.open_records`.

    Returns
    -------
    int
        The number of documents.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from leantopics import Corpus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "pets.txt")
    ...     _ = file.write_text("a cat and a dog\na dog\n")
    ...     n_docs = convert_corpus(file, folder + "/pets")
    ...     n_docs, Corpus.open(folder + "/pets").vocabulary
    (2, ['and', 'cat', 'dog'])
    """
    target = Path(os.path.realpath(path))
    check_target(target, "corpus")
    vectorizer = vectorizer or TextVectorizer()
    records = open_records(source, **reading)
    partial = target.with_name(f"{target.name}.partial")
    with only_one(target.with_name(f".{target.name}.convert"), str(target)):
        spool = _Spool(partial, _about(source, vectorizer, reading))
        n_docs = spool.fill(iter(records), records.has_counts, vectorizer, report)
        if n_docs:
            if records.has_counts:
                words = spool.given_words(records.n_words, records.vocabulary)
                spool.save(target, *words, analyser=None)
            else:
                words = spool.chosen_words(vectorizer)
                spool.save(target, *words, analyser=vectorizer.to_dict())
        shutil.rmtree(partial)
    if not n_docs:
        raise ValueError(nothing_message(records.source, reading.get("where")))
    return n_docs


def _about(
    source: str | os.PathLike[str], vectorizer: TextVectorizer, reading: dict[str, Any]
) -> dict[str, Any]:
    """What tells one conversion from another; nothing does for standard input."""
    name = os.fspath(source)
    stamp = []
    if name != STDIN:
        found = os.stat(name)
        stamp = [os.path.abspath(name), found.st_size, found.st_mtime_ns]
    settings = {key: str(value) for key, value in vectorizer.get_params().items()}
    if vectorizer.tokenizer is not None:
        settings["tokenizer"] = tokenizer_name(vectorizer.tokenizer)
    options = {key: str(value) for key, value in reading.items() if value is not None}
    return {"source": stamp, "text": settings, "reading": options}


class _Spool:
    """What is counted so far, in files that only grow."""

    def __init__(self, folder: Path, about: dict[str, Any]) -> None:
        self._folder, self._about = folder, about
        self._done: dict[str, Any] = {"n_docs": 0, "bytes": {}, "has": {}}
        if (folder / _DONE).is_file():
            kept = json.loads((folder / _DONE).read_text())
            if kept["about"] != about:
                raise ValueError(
                    f"{folder} is of another conversion, or its source has changed: "
                    "convert as before to go on, or delete it to start afresh."
                )
            if about["source"]:
                self._done = kept
        folder.mkdir(exist_ok=True)
        for name in (*_ARRAYS, *_LINES):
            size = self._done["bytes"].get(name, 0)
            with open(folder / name, "ab") as out:
                if out.tell() < size:
                    raise self._damage(name, size, out.tell())
                out.truncate(size)
        self._check_length("sizes", self._done["n_docs"])
        n_counts = int(self._array("sizes", np.int64).sum())
        self._check_length("words", n_counts)
        self._check_length("values", n_counts)

    def _check_length(self, name: str, n_items: int) -> None:
        expected = n_items * np.dtype(_ARRAYS[name]).itemsize
        size = (self._folder / name).stat().st_size
        if size != expected:
            raise self._damage(name, expected, size)

    def _damage(self, name: str, expected: int, size: int) -> ValueError:
        return ValueError(
            f"{self._folder} is damaged, its file {name} must have {expected} bytes, "
            f"got {size}: delete the folder to start afresh."
        )

    def fill(
        self,
        records: Iterator[Record],
        has_counts: bool,
        vectorizer: TextVectorizer,
        report: Callable[[int], object],
    ) -> int:
        """Add all records that are not there yet; return the number of documents."""
        number = _Numbers((form, n) for n, form in enumerate(self._lines("forms")))
        analyze = None if has_counts else vectorizer.begin()
        n_docs, pending = self._done["n_docs"], 0
        words: Any
        values: Any
        has = {"labels": False, "metadata": False} | self._done["has"]
        with ExitStack() as stack:
            out = {
                name: stack.enter_context(open(self._folder / name, "ab"))
                for name in (*_ARRAYS, *_LINES)
            }
            for record in islice(records, n_docs, None):
                if analyze is None:
                    words, values = record.counts or ([], [])
                else:
                    known = len(number)
                    counter = Counter(analyze(record.text or ""))
                    words = [*map(number.__getitem__, counter)]
                    values = [*counter.values()]
                    new = [*islice(reversed(number), len(number) - known)]
                    for form in reversed(new):
                        _write_line(out["forms"], form)
                _write_array(out["words"], words, np.int32)
                _write_array(out["values"], values, np.float64)
                out["sizes"].write(struct.pack("<q", len(words)))
                _write_line(out["ids"], record.id)
                _write_line(out["labels"], json.dumps(list(record.labels)))
                _write_line(out["metadata"], json.dumps(dict(record.metadata)))
                _write_line(out["texts"], record.text or "")
                has["labels"] |= bool(record.labels)
                has["metadata"] |= bool(record.metadata)
                n_docs, pending = n_docs + 1, pending + len(words)
                if pending >= _EVERY:
                    self._write_down(out, n_docs, has)
                    report(n_docs)
                    pending = 0
            self._write_down(out, n_docs, has)
        return int(n_docs)

    def _write_down(
        self, out: Mapping[str, IO[bytes]], n_docs: int, has: dict[str, bool]
    ) -> None:
        for stream in out.values():
            stream.flush()
        sizes = {name: stream.tell() for name, stream in out.items()}
        self._done = {"n_docs": n_docs, "bytes": sizes, "has": dict(has)}
        with atomic_file(self._folder / _DONE) as stream:
            stream.write(json.dumps({**self._done, "about": self._about}).encode())

    def given_words(
        self, n_words: int | None, vocabulary: list[str] | None
    ) -> tuple[list[str], npt.NDArray[np.int64]]:
        """Vocabulary of counts, and the columns of their words."""
        if n_words is None:
            n_words = 1 + int(self._array("words", np.int32).max(initial=-1))
        names = vocabulary or [str(n) for n in range(n_words)]
        return names, np.arange(n_words)

    def chosen_words(
        self, vectorizer: TextVectorizer
    ) -> tuple[list[str], npt.NDArray[np.int64]]:
        """Vocabulary of texts, and the columns of the forms, -1 where there is none."""
        columns = vectorizer.learn([*self._lines("forms")], self._parts)
        return vectorizer.vocabulary_, columns

    def save(
        self,
        target: Path,
        vocabulary: list[str],
        columns: npt.NDArray[np.int64],
        *,
        analyser: dict[str, Any] | None,
    ) -> None:
        """Bring the counts into the order of the vocabulary, and save the corpus.

        Texts are saved if there is an analyser, that is, if texts were counted.
        """
        ends = [np.zeros(1, np.int64)]
        kind = index_type(len(self._array("words", np.int32)))
        with (
            open(self._folder / "data", "wb") as data,
            open(self._folder / "indices", "wb") as indices,
        ):
            for part in self._parts(len(columns)):
                merged = merge(part, columns, len(vocabulary))
                merged.eliminate_zeros()
                _write_array(data, merged.data, np.float64)
                _write_array(indices, merged.indices, kind)
                ends.append(ends[-1][-1] + merged.indptr[1:].astype(np.int64))
        arrays = {
            "data": self._array("data", np.float64),
            "indices": self._array("indices", kind),
            "indptr": np.concatenate(ends).astype(kind),
        }
        n_docs, has = self._done["n_docs"], self._done["has"]
        names = [name for name in ("labels", "metadata") if has[name]]
        texts = [] if analyser is None else ["texts"]
        settings, lists = split_analyser(analyser)
        save_folder(
            target,
            kind="corpus",
            content={"shape": [n_docs, len(vocabulary)], "analyser": settings},
            arrays=arrays,
            strings={
                "vocabulary": vocabulary,
                **{name: self._lines(name) for name in ("ids", *names, *texts)},
                **lists,
            },
        )

    def _array(self, name: str, kind: type) -> npt.NDArray[Any]:
        size = (self._folder / name).stat().st_size
        if not size:
            return np.empty(0, kind)
        return np.asarray(np.memmap(self._folder / name, kind, "r"))

    def _lines(self, name: str) -> "_Lines":
        n_lines = self._done["n_docs"]
        if name == "forms":
            with open(self._folder / name, "rb") as lines:
                n_lines = sum(1 for _ in lines)
        return _Lines(self._folder / name, n_lines)

    def _parts(self, n_columns: int | None = None) -> Iterator[Any]:
        """The counts as they were spooled, some rows at a time."""
        words, values, sizes = (self._array(*each) for each in _ARRAYS.items())
        indptr = np.concatenate(([0], np.cumsum(sizes)))
        width = n_columns or int(words.max(initial=-1)) + 1
        marks = np.arange(0, max(1, indptr[-1]), _CHUNK)
        cuts = np.unique(np.searchsorted(indptr, marks))
        for first, last in zip(cuts, [*cuts[1:], len(sizes)], strict=True):
            part = slice(indptr[first], indptr[last])
            rows = (values[part], words[part], indptr[first : last + 1] - part.start)
            yield sparse.csr_array(rows, shape=(last - first, width))


class _Numbers(dict[str, int]):
    """Forms by the order in which they were first asked for."""

    def __missing__(self, form: str) -> int:
        self[form] = number = len(self)
        return number


class _Lines(Sequence[str]):
    """Strings that stay in a file, one in a line, as JSON."""

    def __init__(self, path: Path, n_lines: int) -> None:
        self._path, self._n_lines = path, n_lines

    def __len__(self) -> int:
        return self._n_lines

    def __iter__(self) -> Iterator[str]:
        with open(self._path, encoding="ascii") as lines:
            yield from map(json.loads, lines)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return [*self][index]


def _write_line(out: IO[bytes], text: str) -> None:
    out.write(json.dumps(text).encode() + b"\n")


def _write_array(out: IO[bytes], values: Any, kind: type) -> None:
    out.write(np.asarray(values, dtype=kind).tobytes())
