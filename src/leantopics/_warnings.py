"""Warnings that name the line of the user, however deep in the package they arise."""

import sys
import warnings
from types import FrameType

_BETWEEN = ("leantopics", "sklearn")
"""Packages whose frames lie between the line of the user and a warning."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of the first line, going outwards, that is not of the library.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn("The sea is rough.")
    >>> print(caught[0].message)
    The sea is rough.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back and _package(frame) in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _package(frame: FrameType) -> str:
    """Return the package of the code of a frame."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
