"""The decorator of all kernels, and the message shown before they compile."""

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, overload

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

_log = logging.getLogger("leantopics")


@overload
def kernel(function: Function) -> Function: ...
@overload
def kernel(*, error_model: str) -> Callable[[Function], Function]: ...
def kernel(function: Any = None, *, error_model: str = "python") -> Any:
    """Compile a function at its first call; it runs without the interpreter lock.

    The compiled code is cached beside the source or in the user's cache folder. If
    neither can be written, every process compiles again.

    Examples
    --------
    >>> @kernel
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    if function is None:
        return partial(kernel, error_model=error_model)
    options: Any = {
        "nogil": True,
        "error_model": error_model,
        "no_cfunc_wrapper": True,  # never called from C, and a fifth of the time
    }
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:
        return njit(**options)(function)


def warn_first_compile(largest: Any) -> None:
    """Warn that kernels will be compiled, if this one is neither loaded nor cached.

    Parameters
    ----------
    largest : kernel
        The kernel of the model that takes longest to compile.
    """
    if getattr(largest, "signatures", True):  # plain Python has none
        return
    function, folder = largest.py_func, largest.stats.cache_path
    module = function.__module__.rpartition(".")[2]
    line = function.__code__.co_firstlineno
    name = f"{module}.{function.__name__}-{line}.*"
    if folder is None or not any(Path(folder).glob(name)):
        _log.warning("First use: compiling takes half a minute; later fits load it.")
