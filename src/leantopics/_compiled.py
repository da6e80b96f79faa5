"""Whether the kernels are compiled, as those of every wheel are."""

from importlib.util import find_spec


def require() -> None:
    """Refuse to run kernels that are not compiled: they would take hours.

    Examples
    --------
    >>> require()
    """
    if find_spec("leantopics._cyutility") is None:
        raise ImportError(
            "The kernels of leantopics must be compiled, and here they are not: "
            "install a wheel, or run `python -m pip install --editable .` where the "
            "sources are; with Cython, `python setup.py build_ext --inplace` will do."
        )
