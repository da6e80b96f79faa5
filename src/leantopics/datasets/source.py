"""Where a named corpus comes from: a folder, the cache, or a public archive.

In a folder, a corpus is a file of JSON lines. Each document is an object with ``id``,
``text``, ``labels``, ``split`` ("train", "test" or null) and other fields that depend
on the corpus. A public archive is converted to such a file once, in the cache.

If the SHA-256 of the public archive is published, the archive must have it. If not, the
documents are checked by their number and, where possible, by a digest of their words;
the SHA-256 is recorded at the first download, and later downloads must have the same.
The file in the cache is checked against its own SHA-256 each time it is read.
"""

import hashlib
import json
import lzma
import os
import re
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import zstandard

from leantopics.datasets.fetch import Archive, cache_folder, fetch, sha256_of
from leantopics.storage import atomic_file

VARIABLE = "LEANTOPICS_DATA"
SUFFIXES = (".xz", ".zst", ".gz", "")

_BROKEN = (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, OSError)

Row = dict[str, Any]
PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Source:
    """A corpus of texts: its file, and the public archive that file is made from.

    Attributes
    ----------
    file : str
        Name of the file without the suffix of its compression.
    archive : Archive
        The public archive.
    convert : callable
        Yields the rows of the file from the path of the archive.
    n_docs : int
        The archive must hold this many documents or more.
    digest : str
        The `content_digest` that they must have; "" if it is unknown.
    """

    file: str
    archive: Archive
    convert: Callable[[Path], Iterable[Row]]
    n_docs: int
    digest: str = ""

    def find(self, folder: PathLike | None, download: bool) -> Path:
        """Return the file: from the folder, the cache, or by download.

        Without a folder, it is that of the environment variable ``LEANTOPICS_DATA``. It
        may also hold the public archive itself.
        """
        chosen = folder or os.environ.get(VARIABLE)
        if chosen:
            for suffix in SUFFIXES:
                if (file := Path(chosen, self.file + suffix)).is_file():
                    return file
        cached = self.cached
        if (download or not folder) and (recorded := _recorded(cached)):
            if not cached.is_file() or sha256_of(cached) != recorded:
                raise ValueError(
                    f"{cached} is damaged: its SHA-256 is not the recorded one; "
                    f"delete {_record(cached)}, and it will be made again."
                )
            return cached
        unpack(self.archive, self._prepare, f"{self.file}.xz", chosen, download)
        return cached

    def _prepare(self, archive: Path) -> None:
        """Write the file from the archive, and the checksums of both next to it."""
        cached = self.cached
        first = cached.with_name(self.archive.name)
        sha256 = sha256_of(archive)
        expected = self.archive.sha256 or _recorded(first)
        if expected and sha256 != expected:
            hint = "" if self.archive.sha256 else f", or delete {_record(first)}"
            raise ValueError(
                f"{archive.name} has the SHA-256 {sha256}, but must have {expected}; "
                f"download it again{hint}."
            )
        rows = list(self.convert(archive))
        self._check(rows)
        cached.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(cached) as out:
            packer = zstandard.ZstdCompressor(level=9)
            with packer.stream_writer(out, closefd=False) as stream:
                for row in rows:
                    stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        # The file counts only with its checksum, which therefore comes last.
        _write_record(first, sha256)
        _write_record(cached, sha256_of(cached))

    @property
    def cached(self) -> Path:
        """Where the file is in the cache, if it was made from the archive."""
        return cache_folder() / f"{self.file}.zst"

    def _check(self, rows: list[Row]) -> None:
        """Refuse unexpected documents."""
        if len(rows) < self.n_docs:
            got = f"{len(rows)} documents, but must hold {self.n_docs}"
        elif self.digest and content_digest(rows) != self.digest:
            got = "other documents than expected"
        else:
            return
        raise ValueError(
            f"{self.archive.name} holds {got}; the published archive may have changed, "
            f"so put {self.file}.xz into the folder that {VARIABLE} names."
        )


def content_digest(rows: Iterable[Row]) -> str:
    """Return a SHA-256 of ids, labels and words, in any order of the documents.

    Words are runs of the letters a to z in lower case; whatever is between them, and
    its encoding, does not matter.

    Examples
    --------
    >>> rows = [{"id": "1", "labels": ["b", "a"], "text": "A cat."}]
    >>> again = [{"id": "1", "labels": ["a", "b"], "text": "a  CAT"}]
    >>> content_digest(rows) == content_digest(again)
    True
    """
    lines = (
        f"{row['id']}\t{' '.join(sorted(row['labels']))}\t"
        + " ".join(re.findall("[a-z]+", row["text"].lower()))
        for row in rows
    )
    parts = sorted(hashlib.sha256(line.encode()).digest() for line in lines)
    return hashlib.sha256(b"".join(parts)).hexdigest()


def unpack(
    archive: Archive,
    use: Callable[[Path], None],
    name: str,
    chosen: PathLike | None,
    download: bool,
) -> None:
    """Use an archive that is in the chosen folder, or else downloaded for this.

    If it is neither, the file ``name`` is absent.
    """
    if chosen and (local := Path(chosen, archive.name)).is_file():
        use(local)
    elif download:
        cache = cache_folder()
        cache.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".download-", dir=cache) as folder:
            target = Path(folder, archive.name)
            fetch(archive, target)
            use(target)
    else:
        raise absent(name, chosen)


def absent(name: str, chosen: PathLike | None) -> FileNotFoundError:
    """Return the error that says what to do about a file that is not there."""
    variable = f"the environment variable {VARIABLE} (or the argument folder)"
    if not chosen:
        return FileNotFoundError(
            f"{name} is not part of leantopics: set {variable} to the folder that "
            "holds it, or give download=True."
        )
    return FileNotFoundError(
        f"{Path(chosen, name)} is missing: put it there, or set {variable} to the "
        f"folder that holds {name}, or give download=True."
    )


def read_members(archive: Path) -> Iterator[tuple[list[str], bytes]]:
    """Yield the path of each regular file of a tar archive, in parts, and its bytes.

    Nothing is extracted: the path is not used, and no file is written.

    Examples
    --------
    >>> import io, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "toy.tar.gz")
    ...     with tarfile.open(file, "w:gz") as tar:
    ...         member = tarfile.TarInfo("../pets/1")
    ...         member.size = 5
    ...         tar.addfile(member, io.BytesIO(b"a cat"))
    ...     list(read_members(file))
    [(['..', 'pets', '1'], b'a cat')]
    """
    try:
        with tarfile.open(archive, "r:*") as tar:
            for member in tar:
                stream = tar.extractfile(member) if member.isfile() else None
                if stream is not None:
                    yield member.name.split("/"), stream.read()
            # Read to the end, where the checksum of the compressed bytes is.
            while tar.fileobj is not None and tar.fileobj.read(1 << 20):
                pass
    except _BROKEN as error:
        raise ValueError(
            f"{archive.name} cannot be unpacked: it is damaged or not an archive "
            f"({error})."
        ) from None


def _record(file: Path) -> Path:
    return file.with_name(f"{file.name}.sha256")


def _recorded(file: Path) -> str:
    """Return the recorded SHA-256 of a file, "" if there is none."""
    record = _record(file)
    return record.read_text().partition(" ")[0] if record.is_file() else ""


def _write_record(file: Path, sha256: str) -> None:
    """Record a SHA-256 in the form that ``sha256sum --check`` reads."""
    with atomic_file(_record(file)) as out:
        out.write(f"{sha256}  {file.name}\n".encode())
