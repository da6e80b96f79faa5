"""What a conversion has read so far: files that only grow, and checks of their content.

An interrupted conversion continues from these files, after verifying them. Every file
has a digest, which is updated as it grows. The source is read again up to the remaining
documents, and must give the same digests. Texts are not cut into words again: the
digest of their counts is sealed with what identifies the source, which the folder does
not hold, and the counts must be within bounds.
"""

import hashlib
import hmac
import json
import os
import re
import shutil
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics._limits import MOST_COUNT
from leantopics._validation import are_whole, check, is_numbers
from leantopics.io import Record
from leantopics.storage import LazyList, atomic_file
from leantopics.storage.durable import named_file, sync_file
from leantopics.text.forms import Numbers
from leantopics.text.vectorizer import TextVectorizer

_DONE = "progress.json"
_ARRAYS = {"words": np.int32, "values": np.float64, "sizes": np.int64}
_LINES = ("ids", "labels", "metadata", "texts", "forms")
_FILES = (*_ARRAYS, *_LINES)
_MADE = ("data", "indices")
"""Made from the others after the last document."""
_OURS = (*_FILES, *_MADE, _DONE)
_FRESH = re.compile(rf"\.{_DONE}\.[0-9a-f]+\.new")
"""What a killed process leaves next to the progress file."""
_MOST = 1 << 26
"""Largest size of the progress file in bytes: 64 MiB."""
_EVERY = 1 << 22
"""Stored counts after which the progress is written."""
CHUNK = 1 << 20
"""Stored counts, or bytes, that are processed at once."""
_SENSELESS = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""Errors raised by reading something that makes no sense."""


class _Growing:
    """A file that grows, with the digest of its content."""

    def __init__(self, out: BinaryIO, path: Path) -> None:
        self.out, self._digest = out, hashlib.sha256()
        with open(path, "rb") as stream:
            while piece := stream.read(CHUNK):
                self._digest.update(piece)

    def write(self, piece: bytes) -> None:
        """Append some bytes."""
        self._digest.update(piece)
        self.out.write(piece)

    def digest(self) -> str:
        """Return the SHA-256 of everything in the file."""
        return self._digest.hexdigest()


class _Lines(LazyList[str]):
    """Strings that stay in a file, one per line, as JSON."""

    def __init__(self, path: Path, n_lines: int) -> None:
        self._path, self._n_lines = path, n_lines

    def __len__(self) -> int:
        return self._n_lines

    def __iter__(self) -> Iterator[str]:
        with open(self._path, encoding="ascii") as lines:
            yield from map(json.loads, lines)

    def item(self, index: int) -> str:
        """Read the string of this number."""
        found: list[str] = [*self]
        return found[index]


class Spool:
    """The counts so far, in a folder that is created if it does not exist.

    ``about`` has the settings that identify this conversion, of types that JSON can
    hold. ``source`` is what identifies its source, and is not written to the folder; if
    it is empty, the conversion starts again.
    """

    def __init__(
        self, folder: Path, about: dict[str, Any], source: Sequence[object]
    ) -> None:
        self.folder, self._about = folder, about
        self._key = json.dumps(source).encode()
        self.n_docs, self._n_forms = 0, 0
        self.has: set[str] = set()
        self._done: dict[str, list[Any]] = {
            name: [0, hashlib.sha256().hexdigest()] for name in _FILES
        }
        if self._take_folder():
            n_docs, done = self._progress()
            if source:
                self.n_docs, self._done = n_docs, done
        else:
            self._write_progress()

    def _take_folder(self) -> bool:
        """Make the folder or check that it is ours; return whether it has progress."""
        if not os.path.lexists(self.folder):
            self.folder.mkdir()
        if self.folder.is_symlink() or not self.folder.is_dir():
            raise self._foreign("is not a folder")
        entries = [*os.scandir(self.folder)]
        for entry in entries:
            if not (entry.name in _OURS or _FRESH.fullmatch(entry.name)):
                raise self._foreign(f"holds {entry.name!r}")
            if not entry.is_file(follow_symlinks=False):
                raise self._damage(f"its {entry.name} is not a file")
        begun = any(entry.name == _DONE for entry in entries)
        for entry in entries:
            if not (begun or _FRESH.fullmatch(entry.name)):
                raise self._damage(f"its file {_DONE} is missing")
            if entry.name in _MADE or _FRESH.fullmatch(entry.name):
                os.unlink(entry)
        return begun

    def _progress(self) -> tuple[int, dict[str, list[Any]]]:
        """Read the progress: number of documents, size and digest of each file."""
        try:
            with open(self.folder / _DONE, "rb") as stream:
                raw = stream.read(_MOST + 1)
            kept = json.loads(raw)
            found, seal = kept.pop("sha256"), kept.pop("seal")
            if len(raw) > _MOST or found != _digest_of(kept):
                raise ValueError("its digest")
            if kept["about"] != self._about or seal != self._seal(found):
                raise _OtherError
            n_docs, files = kept["n_docs"], kept["files"]
            sizes = {name: files[name][0] for name in _FILES}
            if not are_whole(n_docs, *sizes.values()):
                raise ValueError("its sizes")
            n_counts = sizes["words"] // 4
            for name, size in (("sizes", n_docs), ("words", n_counts)):
                check(name, sizes[name] == size * np.dtype(_ARRAYS[name]).itemsize)
            check("values", sizes["values"] == 8 * n_counts)
        except _OtherError:
            raise self._other() from None
        except _SENSELESS:
            raise self._damage(f"its file {_DONE} is garbled") from None
        return n_docs, files

    def _seal(self, digest: str) -> str:
        return hmac.new(self._key, digest.encode(), "sha256").hexdigest()

    def _write_progress(self) -> None:
        kept = {"about": self._about, "n_docs": self.n_docs, "files": self._done}
        digest = _digest_of(kept)
        whole = {**kept, "sha256": digest, "seal": self._seal(digest)}
        with atomic_file(self.folder / _DONE) as stream:
            stream.write(json.dumps(whole).encode())

    def _damage(self, why: str) -> ValueError:
        return ValueError(
            f"{self.folder} is damaged, {why}: delete the folder to start again."
        )

    def _other(self) -> ValueError:
        return ValueError(
            f"{self.folder} belongs to another conversion, or its source has changed: "
            "repeat that conversion to continue, or delete the folder to start again."
        )

    def _foreign(self, why: str) -> FileExistsError:
        return FileExistsError(
            f"{self.folder} is needed for the progress of the conversion, but {why}, "
            "which does not belong there: move that away, or convert to another place."
        )

    def fill(
        self,
        records: Iterator[Record],
        has_counts: bool,
        vectorizer: TextVectorizer,
        report: Callable[[int], object],
    ) -> int:
        """Add all records that are still missing; return the number of documents."""
        with ExitStack() as stack:
            files = {name: self._grow(stack, name) for name in _FILES}
            self._pass_over(islice(records, self.n_docs), has_counts)
            number = self._numbers()
            if not has_counts:
                self._check_counts(len(number))
            analyze = None if has_counts else vectorizer.begin()
            pending = 0
            for record in records:
                pieces = self._as_stored(record, has_counts)
                if analyze is not None:
                    known = len(number)
                    counter = Counter(analyze(record.text or ""))
                    words = [*map(number.__getitem__, counter)]
                    pieces |= _counts_of(words, [*counter.values()])
                    new = [*islice(reversed(number), len(number) - known)]
                    pieces["forms"] = b"".join(map(_line_of, reversed(new)))
                for name, piece in pieces.items():
                    files[name].write(piece)
                self.n_docs += 1
                pending += len(pieces["words"]) // 4
                if pending >= _EVERY:
                    self._write_down(files)
                    report(self.n_docs)
                    pending = 0
            self._write_down(files)
        self._n_forms = len(number)
        return self.n_docs

    def _grow(self, stack: ExitStack, name: str) -> _Growing:
        """Open a file to append to; cut off what the progress does not cover."""
        path, (size, digest) = self.folder / name, self._done[name]
        found = path.stat().st_size if path.exists() else 0
        if found < size:
            raise self._damage(f"its file {name} must have {size} bytes, got {found}")
        if found > size:
            os.truncate(path, size)
        file = _Growing(stack.enter_context(named_file(path, "ab")), path)
        if file.digest() != digest:
            raise self._damage(f"the SHA-256 of its file {name} has changed")
        return file

    def _write_down(self, files: Mapping[str, _Growing]) -> None:
        for name, file in files.items():
            sync_file(file.out)
            self._done[name] = [file.out.tell(), file.digest()]
        self._write_progress()

    def _as_stored(self, record: Record, has_counts: bool) -> dict[str, bytes]:
        """Return what the source says about a document, as the files store it."""
        found = {"labels": record.labels, "metadata": record.metadata}
        self.has |= {name for name, value in found.items() if value}
        pieces = {
            "ids": _line_of(record.id),
            "labels": _line_of(json.dumps(list(record.labels))),
            "metadata": _line_of(json.dumps(dict(record.metadata))),
            "texts": _line_of(record.text or ""),
        }
        if has_counts:
            pieces |= _counts_of(*(record.counts or ([], [])))
        return pieces

    def _pass_over(self, records: Iterator[Record], has_counts: bool) -> None:
        """Read the documents that are stored again; refuse a source that changed."""
        digests = {name: hashlib.sha256() for name in _FILES}
        names: set[str] = set()
        for record in records:
            for name, piece in self._as_stored(record, has_counts).items():
                digests[name].update(piece)
                names.add(name)
        if any(digests[name].hexdigest() != self._done[name][1] for name in names):
            raise self._other()

    def _numbers(self) -> Numbers:
        """Read the stored forms, and number them."""
        number = Numbers()
        try:
            with open(self.folder / "forms", "rb") as lines:
                for n, line in enumerate(lines):
                    form = json.loads(line.decode("ascii"))
                    whole = line.endswith(b"\n") and isinstance(form, str)
                    check("forms", whole and number[form] == n)
        except _SENSELESS:
            raise self._damage("its file forms is garbled") from None
        return number

    def _check_counts(self, n_forms: int) -> None:
        """Refuse impossible counts of texts: the code that adds them does not check."""
        words, values, sizes = (self.array(*each) for each in _ARRAYS.items())
        try:
            ends = np.cumsum(sizes)  # a sum that overflows becomes negative
            check("sizes", bool(((sizes >= 0) & (sizes <= len(words))).all()))
            check("sizes", (ends >= 0).all() and ends[-1:].sum() == len(words))
            for first in range(0, len(words), CHUNK):
                part = slice(first, first + CHUNK)
                word, value = words[part], values[part]
                check("words", word.min() >= 0 and word.max() < n_forms)
                whole = is_numbers(value, len(word), least=1.0, most=MOST_COUNT)
                check("values", whole and (value == np.floor(value)).all())
        except ValueError as error:
            raise self._damage(f"{error} is out of bounds") from None

    def delete(self) -> None:
        """Delete the folder, once the corpus is saved."""
        shutil.rmtree(self.folder)

    def array(self, name: str, kind: type) -> npt.NDArray[Any]:
        """Return the numbers of a file, which stay on disk."""
        size = (self.folder / name).stat().st_size
        if not size:
            return np.empty(0, kind)
        return np.asarray(np.memmap(self.folder / name, kind, "r"))

    def lines(self, name: str) -> _Lines:
        """Return the strings of a file, which stay on disk."""
        n_lines = self._n_forms if name == "forms" else self.n_docs
        return _Lines(self.folder / name, n_lines)

    def parts(self) -> Iterator[Any]:
        """Yield the counts as they were spooled, some rows at a time."""
        words, values, sizes = (self.array(*each) for each in _ARRAYS.items())
        indptr = np.concatenate(([0], np.cumsum(sizes)))
        width = int(words.max(initial=-1)) + 1
        marks = np.arange(0, max(1, indptr[-1]), CHUNK)
        cuts = np.unique(np.searchsorted(indptr, marks))
        for first, last in zip(cuts, [*cuts[1:], len(sizes)], strict=True):
            part = slice(indptr[first], indptr[last])
            rows = (values[part], words[part], indptr[first : last + 1] - part.start)
            yield sparse.csr_array(rows, shape=(last - first, width))


class _OtherError(Exception):
    """The folder belongs to another conversion."""


def _digest_of(kept: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def _line_of(text: str) -> bytes:
    """Return a string as the files store it."""
    return json.dumps(text).encode() + b"\n"


def _counts_of(words: Any, values: Any) -> dict[str, bytes]:
    """Return the counts of a document, as the files store them."""
    return {
        "words": _packed(words, np.int32),
        "values": _packed(values, np.float64),
        "sizes": struct.pack("<q", len(words)),
    }


def _packed(values: Any, kind: type) -> bytes:
    """Return numbers as a file stores them."""
    return np.asarray(values, dtype=kind).tobytes()
