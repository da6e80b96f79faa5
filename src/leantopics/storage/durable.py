"""Files and folders that come to their place whole and on the disk, or not at all."""

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
    """Open a file for writing that takes its place only when all went well.

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
    """Make a folder to be filled, which takes the place of `target` when all went well.

    No system can rename a folder onto a full one, so the old one is moved aside first.
    A process killed between the two renames leaves nothing at `target`, but both
    folders whole beside it: `standing` then reads the old one, and the next save puts
    it back. (Linux could exchange two folders at once, but not on every file system, so
    that this would be needed none the less.) The old one is deleted only when the new
    one is in its place for good, so whenever `target` is missing, what was moved aside
    is whole.

    Parameters
    ----------
    target : path
        The place, which the caller has `claimed`.
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
                with suppress(OSError):  # else it is read where it is
                    os.rename(aside, target)
            raise
        _sync(target.parent)
    except BaseException:
        _remove(fresh)
        raise
    _remove(aside)


@contextmanager
def durable_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file whose bytes are on the disk when it is closed."""
    with named_file(path, "xb") as out:
        yield out
        sync_file(out)


def named_file(path: Path, mode: str) -> BinaryIO:
    """Open a file for writing whose failures have its name, which the system omits.

    Examples
    --------
    >>> with named_file(Path(os.devnull), "wb") as out:
    ...     out.write(b"lost")
    4
    """
    return cast(BinaryIO, _Named(cast(io.FileIO, open(path, mode, buffering=0))))


def sync_file(out: BinaryIO) -> None:
    """Let all that was written to a file be on the disk."""
    out.flush()
    try:
        os.fsync(out.fileno())
    except OSError as error:
        raise _named(error, out.name) from None


class _Named(io.BufferedWriter):
    """Every write, also the last of `close`, goes through one of these two."""

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
    """Say in what the system raised which file it is about."""
    error.filename = os.fspath(path)
    return error


@contextmanager
def claimed(target: Path) -> Iterator[None]:
    """Let one process at a time save to `target`; clear up after those killed there.

    The lock is on a file beside, and the system frees it when its holder dies: who has
    it knows that whatever else lies beside is nobody's. Where there are no locks, which
    is on Windows and on some network file systems, all is left as it is; processes that
    save to one place at once still write to folders of their own.
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
    """Refuse to go on while another process does so with the same lock file.

    Where there are no locks, a file beside stands for one. Windows deletes it with its
    holder; elsewhere a killed process leaves it.

    Raises
    ------
    BlockingIOError
        If one does.
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
            f"Another process is at work on {what}: wait for it, or choose another "
            "place."
        ) from None
    except FileExistsError:
        raise BlockingIOError(
            f"Another process is at work on {what}, or was killed there: wait for it, "
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


def standing(path: Path) -> Path:
    """Return where the folder saved as `path` is: there, or aside by a killed save."""
    if os.path.exists(path):
        return path
    return _aside(Path(os.path.realpath(path))) or path


def _lock(path: Path, wait: bool = True) -> int | None:
    """Take the lock on a file that its holders make and remove.

    None where there are no locks; `BlockingIOError` if another process has it and this
    one does not ``wait``.
    """
    if sys.platform == "win32":
        return None
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            if os.path.samestat(os.fstat(handle), os.stat(path)):
                return handle
        except FileNotFoundError:  # its holder has removed it: there may be a next one
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
    """Put back what a killed save has moved aside; delete what others have left."""
    if not os.path.lexists(target) and (old := _aside(target)):
        os.rename(old, target)
    for rest in (*_left(target, "old"), *_left(target, "new")):
        _remove(rest)


def _aside(target: Path) -> Path | None:
    """Return what was moved aside from a place where nothing is now."""
    left = _left(target, "old")
    if len(left) > 1:  # one of them could not be deleted when it should
        raise FileExistsError(
            f"{target} is missing, and interrupted saves left {left[0].name} and "
            f"{left[1].name} beside it; rename the right one to {target.name}."
        )
    return left[0] if left else None


def _beside(target: Path, end: str) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.{end}")


def _left(target: Path, end: str) -> list[Path]:
    """Return what `_beside` has named so."""
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.{end}")
    try:
        found = [entry for entry in os.listdir(target.parent) if name.fullmatch(entry)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [target.with_name(entry) for entry in sorted(found)]


def _remove(path: Path) -> None:
    """Delete a file or a folder as far as it is there and can be deleted."""
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
