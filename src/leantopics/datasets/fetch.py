"""Files from the network: whole and as expected, or not there at all."""

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from leantopics.storage import atomic_file

CACHE_VARIABLE = "LEANTOPICS_CACHE"
ATTEMPTS = 4
FIRST_PAUSE = 1.0  # seconds; each further pause is twice as long
TIMEOUT = 30.0  # seconds without a byte
_CHUNK = 1 << 16
_WORTH_ANOTHER_TRY = (408, 416, 429)  # and all answers from 500 on

Show = Callable[[int, int | None], None]


class Archive(NamedTuple):
    """A public file: its name, where it is, and its SHA-256 where that is published.

    Examples
    --------
    >>> Archive("toy.tar.gz", ("https://example.org/toy.tar.gz",)).sha256 is None
    True
    """

    name: str
    addresses: tuple[str, ...]
    """Tried one after the other."""
    sha256: str | None = None


def cache_folder() -> Path:
    """Return the folder for what can be downloaded or computed again.

    It is named by the environment variable ``LEANTOPICS_CACHE``; without that it is
    ``leantopics`` in the place that the system has for caches.

    Examples
    --------
    >>> import os
    >>> os.environ["LEANTOPICS_CACHE"] = "/data/cache"
    >>> cache_folder().as_posix()
    '/data/cache'
    >>> del os.environ["LEANTOPICS_CACHE"]
    """
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    home = Path.home()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or home / ".cache"
    return Path(base, "leantopics")


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def fetch(archive: Archive, target: Path) -> None:
    """Download an archive; `target` holds all of it in the end, or is not touched.

    Each address gets several attempts with growing pauses. A transfer that broke off
    goes on where it stopped if the server has told a version of the file and still has
    that one, and begins anew otherwise. A bar is shown if standard error is a terminal.

    Parameters
    ----------
    archive : Archive
        What to download. Without a published SHA-256 any whole answer is taken.
    target : path
        The file to write; its folder must exist.

    Raises
    ------
    ConnectionError
        If no address gives the file; the message says why, for each.
    """
    failures = []
    for address in archive.addresses:
        try:
            with atomic_file(target) as out, _bar(archive.name) as show:
                digest = _Transfer(address, out, show).run()
                if archive.sha256 not in (None, digest):
                    raise ValueError(
                        f"its SHA-256 is {digest}, but must be {archive.sha256}"
                    )
            return
        except (OSError, HTTPException, ValueError) as error:
            failures.append(f"{address}: {error or type(error).__name__}")
    raise ConnectionError(
        f"{archive.name} could not be downloaded ({'; '.join(failures)}); try again "
        "later, or get the file in another way."
    )


class _Transfer:
    """One file on its way, over several attempts."""

    def __init__(self, address: str, out: BinaryIO, show: Show) -> None:
        self._address = address
        self._out = out
        self._set_results = show
        self._version = ""  # by which the server knows the bytes that we have
        self._digest = hashlib.sha256()

    def run(self) -> str:
        """Receive the whole file and return its SHA-256."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                self._receive()
                break
            except HTTPError as error:
                error.close()
                self._version = ""
                passing = error.code >= 500 or error.code in _WORTH_ANOTHER_TRY
                if not passing or attempt == ATTEMPTS:
                    raise
            except (OSError, HTTPException):
                if attempt == ATTEMPTS:
                    raise
            time.sleep(FIRST_PAUSE * 2 ** (attempt - 1))
        return self._digest.hexdigest()

    def _receive(self) -> None:
        """Ask for what is missing, and write what comes."""
        # Compressed on the way, the length would not be that of the file.
        headers = {"User-Agent": "leantopics", "Accept-Encoding": "identity"}
        if self._version and self._out.tell():
            headers["Range"] = f"bytes={self._out.tell()}-"
            headers["If-Range"] = self._version
        request = Request(self._address, headers=headers)
        with urlopen(request, timeout=TIMEOUT) as response:
            if response.status != 206:
                self._restart()
            elif not self._goes_on(response.headers.get("Content-Range", "")):
                self._version = ""
                raise ConnectionError("it came in another part than asked for")
            tag = response.headers.get("ETag", "")
            strong = tag if tag.startswith('"') else ""
            self._version = strong or response.headers.get("Last-Modified", "")
            start = self._out.tell()
            total = None if response.length is None else start + response.length
            while chunk := response.read(_CHUNK):
                self._out.write(chunk)
                self._digest.update(chunk)
                self._set_results(self._out.tell(), total)
            if total is not None and self._out.tell() < total:
                raise ConnectionError(
                    f"it broke off after {self._out.tell()} of {total} bytes"
                )

    def _goes_on(self, part: str) -> bool:
        return part.startswith(f"bytes {self._out.tell()}-")

    def _restart(self) -> None:
        self._out.seek(0)
        self._out.truncate()
        self._digest = hashlib.sha256()


@contextmanager
def _bar(name: str) -> Iterator[Show]:
    """Yield a function that shows how many bytes of how many are here."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
