"""Packages that only some work needs: looked for before the work, never after it."""

from importlib.util import find_spec

_EXTRAS = {
    "arrow": ("Parquet and Arrow files need", {"pyarrow": "pyarrow"}),
    "dask": ("A fit on a cluster needs", {"distributed": "Dask"}),
    "images": ("Pictures need", {"cv2": "OpenCV", "PIL": "Pillow"}),
    "plot": ("Plots need", {"matplotlib": "matplotlib"}),
    "remote": ("Addresses such as s3:// need", {"fsspec": "fsspec"}),
    "report": ("Figures of a report need", {"matplotlib": "matplotlib"}),
    "serve": (
        "Serving needs",
        {"h11": "h11", "starlette": "starlette", "uvicorn": "uvicorn"},
    ),
    "study": ("A study needs", {"matplotlib": "matplotlib"}),
    "yaml": ("A guide in YAML needs", {"yaml": "PyYAML"}),
}
"""Of each extra: who needs it, and its modules by the name that people know."""


class MissingExtraError(ModuleNotFoundError):
    """Packages are missing; the message is the command that installs them."""


def check_extra(extra: str) -> None:
    """Refuse work whose packages, one of the extras of the project, are missing.

    Raises
    ------
    MissingExtraError
        If they are.

    Examples
    --------
    >>> check_extra("report")
    """
    work, packages = _EXTRAS[extra]
    missing = [name for module, name in packages.items() if not find_spec(module)]
    if missing:
        raise MissingExtraError(
            f"{work} {', '.join(missing)}: pip install 'leantopics[{extra}]'."
        )
