"""Downloads that are complete and as expected, or not there at all."""

import hashlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from leantopics._progress import Bar

CACHE_VARIABLE = "LEANTOPICS_CACHE"
PAUSES = (1.0, 2.0, 4.0)  # seconds between attempts
TIMEOUT = 30.0  # seconds without a byte
_CHUNK = 1 << 16
# With compressed transfer, the file would arrive unpacked.
_HEADERS = {"User-Agent": "leantopics", "Accept-Encoding": "identity"}


class Archive(NamedTuple):
    """A public file: its name, its addresses, and its SHA-256 if that is published.

    Examples
    --------
    >>> Archive("toy.tar.gz", ("https://example.org/toy.tar.gz",)).sha256 is None
    True
    """

    name: str
    addresses: tuple[str, ...]
    """They are tried in this order."""
    sha256: str | None = None


def cache_folder() -> Path:
    """Return the folder for files that can be downloaded or computed again.

    The environment variable ``LEANTOPICS_CACHE`` names it. The default is
    ``leantopics`` in the system's folder for caches.

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
    from platformdirs import user_cache_path

    return user_cache_path("leantopics", appauthor=False, opinion=False)


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def fetch(archive: Archive, target: Path) -> None:
    """Download an archive; `target` is either complete or not touched.

    Each address is tried several times with growing pauses, unless it refuses or sends
    unexpected bytes. Without a published SHA-256, any complete file is accepted. If no
    address has the file, a ConnectionError gives the reason of each. A bar is shown if
    standard error is a terminal.
    """
    from requests import RequestException

    failures = []
    for address in archive.addresses:
        try:
            return _retrieve(address, archive, target)
        except (RequestException, ValueError) as error:
            failures.append(f"{address}: {_reason(error)}")
        except OSError as error:
            error.filename = target  # the system does not say which one it is about
            raise
    raise ConnectionError(
        f"{archive.name} could not be downloaded ({'; '.join(failures)}); try again "
        "later, or get the file in another way."
    )


def _retrieve(address: str, archive: Archive, target: Path) -> None:
    """Download from one address, in several attempts."""
    import pooch
    from requests import RequestException

    pooch.get_logger().setLevel("WARNING")  # the bar and the errors say the rest
    for pause in (*PAUSES, None):
        try:
            with _bar(archive.name) as bar, ExitStack() as answers:
                pooch.retrieve(
                    address,
                    archive.sha256,
                    target.name,
                    target.parent.absolute(),
                    downloader=pooch.HTTPDownloader(
                        bar,
                        _CHUNK,
                        timeout=TIMEOUT,
                        headers=_HEADERS,
                        # pooch leaves an answer open that ends in an error.
                        hooks={"response": lambda r, **_: answers.enter_context(r)},
                    ),
                )
            return
        except RequestException as error:
            if pause is None or _is_final(error):
                raise
            time.sleep(pause)


def _is_final(error: Any) -> bool:
    """Return whether another attempt would fail in the same way."""
    if error.response is None:
        return isinstance(error, ValueError)  # such as an address of another kind
    code = error.response.status_code
    return code < 500 and code not in (408, 429)


def _reason(error: BaseException) -> str:
    """Return the message of the innermost cause, which is the plainest."""
    while error.__context__ is not None:
        error = error.__context__
    return re.split(r"\. | for url", str(error) or type(error).__name__)[0]


@contextmanager
def _bar(name: str) -> Iterator[Any]:
    """Yield a bar in the form that pooch expects; False without a terminal."""
    with Bar(name, None, of_bytes=True) as bar:
        if not bar.is_shown:
            yield False
            return
        shown = SimpleNamespace(
            reset=lambda: bar.update(completed=0), close=bar.rich.refresh
        )
        shown.update = lambda n: bar.update(total=shown.total or None, advance=n)
        yield shown
