"""Files and folders that are put in place complete and on disk, or not at all."""

import io
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

if sys.platform != "win32":
    import fcntl


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that is put in place only if nothing fails.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(folder + "/note") as out:
    ...         _ = out.write(b"whole")
    ...     Path(folder, "note").read_bytes()
    b'whole'
    """
    target = Path(os.path.realpath(path))
    fresh = _beside(target, "new")
    try:
        with durable_file(fresh) as out:
            yield out
        os.replace(fresh, target)
        _sync(target.parent)
    except BaseException as error:
        with suppress(OSError):
            fresh.unlink()
        if isinstance(error, OSError) and error.filename == str(fresh):
            error.filename = os.fspath(path)
        raise


@contextmanager
def atomic_folder(target: Path) -> Iterator[Path]:
    """Make a folder to fill, which replaces `target` if nothing fails.

    No system can rename a folder onto one that is not empty, so the old one is moved
    aside first. A process killed between the two renames leaves nothing at `target`,
    but both folders complete next to it: `saved_path` then reads the old one, and the
    next save puts it back. (Linux can exchange two folders at once, but not on every
    file system, so this would still be needed.) The old folder is deleted only when the
    new one is in place for good. So if `target` is missing, the folder that was moved
    aside is complete. The caller has `claimed` the place.
    """
    fresh, aside = _beside(target, "new"), _beside(target, "old")
    replaces = os.path.lexists(target)
    try:
        fresh.mkdir()
        yield fresh
        _sync(fresh)
        if replaces:
            os.rename(target, aside)
        try:
            os.rename(fresh, target)
        except BaseException:
            if replaces:
                with suppress(OSError):  # otherwise it is read where it is
                    os.rename(aside, target)
            raise
        _sync(target.parent)
    except BaseException:
        _remove(fresh)
        raise
    _remove(aside)


@contextmanager
def durable_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file whose bytes are on disk when it is closed."""
    with named_file(path, "xb") as out:
        yield out
        sync_file(out)


def named_file(path: Path, mode: str) -> BinaryIO:
    """Open a file for writing whose errors have its name, which the system omits.

    Examples
    --------
    >>> with named_file(Path(os.devnull), "wb") as out:
    ...     out.write(b"lost")
    4
    """
    return cast(BinaryIO, _Named(cast(io.FileIO, open(path, mode, buffering=0))))


def sync_file(out: BinaryIO) -> None:
    """Flush everything that was written to a file to the disk."""
    out.flush()
    try:
        os.fsync(out.fileno())
    except OSError as error:
        raise _named(error, out.name) from None


class _Named(io.BufferedWriter):
    """Every write, including the last one in `close`, uses one of these two methods."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise _named(error, self.name) from None

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise _named(error, self.name) from None


def _named(error: OSError, path: str | os.PathLike[str]) -> OSError:
    """Add the name of the file to an error of the system."""
    error.filename = os.fspath(path)
    return error


@contextmanager
def claimed(target: Path) -> Iterator[None]:
    """Let one process at a time save to `target`; clean up after killed ones.

    The lock is on a file next to `target`, and the system frees it when its holder
    dies. So whoever has the lock knows that all leftovers there belong to nobody. On
    Windows and some network file systems there are no locks: leftovers stay, and
    processes that save to one place at once still write to separate folders.
    """
    path = target.with_name(f".{target.name}.lock")
    handle = _lock(path)
    try:
        if handle is not None:
            _clear_up(target)
        yield
    finally:
        _unlock(path, handle)


@contextmanager
def only_one(path: Path, what: str) -> Iterator[None]:
    """Refuse to continue while another process holds the same lock file.

    If there are no locks, a file next to it replaces the lock. Windows deletes this
    file when its holder ends; elsewhere a killed process leaves it.
    """
    sign = path.with_name(f"{path.name}.held")
    held: int | None = None
    try:
        handle = _lock(path, wait=False)
        if handle is None:
            how = os.O_CREAT | os.O_EXCL | getattr(os, "O_TEMPORARY", 0)
            held = os.open(sign, how, 0o666)
    except BlockingIOError:
        raise BlockingIOError(
            f"Another process is working on {what}: wait for it, or choose another "
            "place."
        ) from None
    except FileExistsError:
        raise BlockingIOError(
            f"Another process is working on {what}, or was killed there: wait for it, "
            f"choose another place, or, if it was killed, delete {sign}."
        ) from None
    try:
        yield
    finally:
        _unlock(path, handle)
        if held is not None:
            with suppress(OSError):
                os.unlink(sign)
            os.close(held)


def saved_path(path: Path) -> Path:
    """Return where the folder saved as `path` is: there, or moved aside."""
    if os.path.exists(path):
        return path
    return _aside(Path(os.path.realpath(path))) or path


def _lock(path: Path, wait: bool = True) -> int | None:
    """Lock a file that lock holders create and remove.

    Returns None if there are no locks. Raises `BlockingIOError` if another process has
    the lock and this one does not ``wait``.
    """
    if sys.platform == "win32":
        return None
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            if os.path.samestat(os.fstat(handle), os.stat(path)):
                return handle
        except FileNotFoundError:  # its holder has removed it: try again
            pass
        except BlockingIOError:
            os.close(handle)
            raise
        except OSError:  # no locks here
            os.close(handle)
            with suppress(OSError):
                os.unlink(path)
            return None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _unlock(path: Path, handle: int | None) -> None:
    """Remove the file of a lock, then free the lock."""
    if sys.platform != "win32" and handle is not None:
        with suppress(OSError):
            os.unlink(path)
        fcntl.flock(handle, fcntl.LOCK_UN)  # also that of a forked process
        os.close(handle)


def _clear_up(target: Path) -> None:
    """Put back what a killed save moved aside; delete other leftovers."""
    if not os.path.lexists(target) and (old := _aside(target)):
        os.rename(old, target)
    for rest in (*_left(target, "old"), *_left(target, "new")):
        _remove(rest)


def _aside(target: Path) -> Path | None:
    """Return what was moved aside from a target that is now missing."""
    left = _left(target, "old")
    if len(left) > 1:  # one of them could not be deleted in time
        raise FileExistsError(
            f"{target} is missing, and interrupted saves left {left[0].name} and "
            f"{left[1].name} next to it; rename the right one to {target.name}."
        )
    return left[0] if left else None


def _beside(target: Path, end: str) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.{end}")


def _left(target: Path, end: str) -> list[Path]:
    """Return the leftovers that were named by `_beside`."""
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.{end}")
    try:
        found = [entry for entry in os.listdir(target.parent) if name.fullmatch(entry)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [target.with_name(entry) for entry in sorted(found)]


def _remove(path: Path) -> None:
    """Delete a file or a folder if it exists, as far as possible."""
    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def _sync(folder: Path) -> None:
    """Make renames in `folder` durable."""
    if os.name == "nt":  # Windows cannot open folders, and needs no such flush
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        raise _named(error, folder) from None
    finally:
        os.close(handle)
