"""Read many image files, a few in memory at a time, and log unreadable ones."""

import logging
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import joblib
from PIL import Image

from leantopics._progress import counting
from leantopics.engine.threads import engine
from leantopics.images.pictures import Bytes, read_picture

Path = str | os.PathLike[str]
Result = TypeVar("Result")
_BLOCK = 64
_log = logging.getLogger("leantopics")


def over_pictures(
    paths: Sequence[Path],
    work: Callable[[int, Bytes], Result],
    what: str,
    *,
    n_jobs: int | None,
    verbose: int,
    quiet: bool = False,
) -> Iterator[Result | None]:
    """Yield the result of some work for each picture, in order; None if unreadable.

    The work, called ``what`` in the progress, gets the number of the file and its
    brightness, shape (256, 256). If not ``quiet``, each file that is unreadable or odd
    gets one line in the log, and their numbers are logged at the end. If no picture
    could be read, that is an error at the end.

    Examples
    --------
    >>> from sklearn.datasets import images
    >>> china = os.path.join(os.path.dirname(images.__file__), "china.jpg")
    >>> sizes = lambda i, grey: grey.shape
    >>> list(over_pictures([china], sizes, "measuring", n_jobs=1, verbose=0))
    [(256, 256)]
    """
    refused, odd = 0, 0
    with counting(what, len(paths), verbose) as done:
        attempts = _attempts(paths, work, joblib.effective_n_jobs(n_jobs))
        for path, (result, remark) in zip(paths, attempts, strict=True):
            refused += result is None
            odd += result is not None and bool(remark)
            if remark and not quiet:
                kind = "not counted" if result is None else "odd"
                _log.warning("%s is %s: %s.", _one_line(path), kind, remark)
            yield result
            done(1)
    if refused == len(paths):
        raise ValueError(
            f"None of the {len(paths)} files is a picture that can be read; the last "
            f"one is {_one_line(paths[-1])}: {remark}."
        )
    if (refused or odd) and not quiet:
        numbers = len(paths), refused, odd
        _log.warning("Of %d pictures, %d are not counted and %d are odd.", *numbers)


def _attempts(
    paths: Sequence[Path], work: Callable[[int, Bytes], Result], n_threads: int
) -> Iterator[tuple[Result | None, str]]:
    """Yield the result for each picture, or None, and a remark on it, or ""."""

    def attempt(i: int) -> tuple[Result | None, str]:
        try:
            picture = read_picture(paths[i])
        except ValueError as error:
            return None, str(error)
        return work(i, picture.grey), picture.remark

    with engine(n_threads) as workers:
        for start in range(0, len(paths), _BLOCK):
            block = range(start, min(start + _BLOCK, len(paths)))
            with warnings.catch_warnings():
                # Pillow warns about sizes that we refuse.
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)
                results = workers.map(attempt, block)
            yield from results


def _one_line(path: Path) -> str:
    return " ".join(os.fspath(path).split())
