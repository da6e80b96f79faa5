"""Files in object stores, such as S3, by fsspec."""

import re
from typing import Any, BinaryIO, cast

from leantopics._extras import MissingExtraError, check_extra

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)


def is_remote(source: str) -> bool:
    """Whether a source is an address, not a path.

    Examples
    --------
    >>> is_remote("s3://bucket/texts.jsonl"), is_remote("C:/texts.jsonl")
    (True, False)
    """
    return bool(_ADDRESS.match(source))


def open_remote(source: str) -> BinaryIO:
    """Open a file of an object store for reading."""
    return cast(BinaryIO, _asked(source, lambda fs, path: fs.open(path, "rb")))


def stamp_of(source: str) -> list[object]:
    """Return what changes when a file of an object store changes; [] if unknown."""
    about = _asked(source, lambda fs, path: fs.info(path))
    known = [
        str(about[name])
        for name in ("ETag", "etag", "md5Hash", "LastModified", "mtime", "created")
        if about.get(name)
    ]
    return [source, about.get("size"), *known] if known else []


def _asked(source: str, ask: Any) -> Any:
    """Ask an object store; whatever goes wrong is one sentence."""
    check_extra("remote")
    import fsspec

    try:
        return ask(*fsspec.core.url_to_fs(source))
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {source}.") from None
    except ImportError as error:
        kind = source.partition("://")[0]
        raise MissingExtraError(
            f"Reading {kind}:// needs a package that is missing ({error}): pip install "
            "'leantopics[remote]'."
        ) from None
    except Exception as error:  # each store has errors of its own
        why = " ".join(str(error).split()) or type(error).__name__
        raise OSError(f"{source} cannot be read: {why}.") from error
