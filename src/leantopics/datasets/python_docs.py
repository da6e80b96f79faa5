"""Real text on every machine: docstrings of numpy, scipy and scikit-learn."""

import inspect
import pkgutil
import warnings
from collections.abc import Iterable, Iterator
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from leantopics.corpus import Corpus

if TYPE_CHECKING:
    from leantopics.text import TextVectorizer

PACKAGES = ("numpy", "scipy", "sklearn")
EXPERIMENTAL = (
    "sklearn.impute._iterative",
    "sklearn.model_selection._search_successive_halving",
)
"""Modules of names that exist only after an import that enables them."""
# Build and test tools, vendored code, modules that act on import, old names.
SKIPPED = {
    "compat", "conftest", "core", "distutils", "estimator_checks", "experimental",
    "externals", "f2py", "matlib", "setup", "testing", "tests", "testutils", "typing",
}  # fmt: skip
MIN_WORDS = 20  # shorter docstrings ("See numpy.abs.") have no topic


def docs_vectorizer() -> "TextVectorizer":
    """Return the default of `load_python_docs`: words of three letters or more."""
    from leantopics.text import TextVectorizer

    return TextVectorizer(pattern=r"[^\W\d_]{3,}", min_df=2)


def load_python_docs(*, vectorizer: "TextVectorizer | None" = None) -> Corpus:
    """Load the docstrings of the installed numpy, scipy and scikit-learn.

    Each public function, class and method with a docstring of 20 words or more is a
    document. Of equal docstrings, the one with the shortest dotted name is kept. There
    are about 4,000 documents; the exact number depends on the installed versions.

    Parameters
    ----------
    vectorizer : TextVectorizer, optional
        How to count words; a fitted one gives the corpus its vocabulary. The default
        takes runs of three letters or more that occur in two documents or more. It
        takes letters only because docstrings are full of printed numbers, so
        ``n_samples`` and ``csr_matrix`` become "samples", "csr" and "matrix", as in
        prose. It takes three letters because shorter words are mostly names of
        variables ("ax", "xi"). It has no stop list and no stems because words that all
        documents use alike belong to the shared vocabulary of the model.

    Returns
    -------
    Corpus
        The texts are the cleaned docstrings, the ids are dotted names, sorted, and the
        label is the part of the package, such as "scipy.signal".

    Examples
    --------
    >>> corpus = load_python_docs()
    >>> i = corpus.ids.index("scipy.signal.butter")
    >>> corpus.labels[i]
    ['scipy.signal']
    >>> print(corpus.texts[i].splitlines()[0])
    Butterworth digital and analog filter design.
    """
    from leantopics.text import count_texts

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated names warn on access
        documents = sorted(_distinct(_docstrings()))
    names, areas, texts = zip(*documents, strict=True)
    return count_texts(
        texts, vectorizer=vectorizer or docs_vectorizer(), ids=names, labels=areas
    )


class _Docstring(NamedTuple):
    """A docstring and its name; the best name sorts first."""

    depth: int  # dots in the name
    alias: bool  # the object has another name: numpy.abs is numpy.absolute
    name: str
    area: str
    text: str


def _distinct(found: Iterable[_Docstring]) -> Iterator[tuple[str, str, str]]:
    """Yield name, area and cleaned text of each docstring, under its best name."""
    seen = set()
    for item in sorted(found):
        if item.text not in seen and len(item.text.split()) >= MIN_WORDS:
            seen.add(item.text)
            yield item.name, item.area, inspect.cleandoc(item.text)


def _docstrings() -> Iterator[_Docstring]:
    """Yield the docstrings of public functions and classes and their own methods."""
    for module in _modules():
        path = module.__name__
        area = ".".join(path.split(".")[:2])
        for name, thing in _public(module):
            things = {name: thing}
            if inspect.isclass(thing):
                methods = (key for key in vars(thing) if not key.startswith("_"))
                things |= {f"{name}.{key}": _look_up(thing, key) for key in methods}
            for key, item in things.items():
                own_name = getattr(item, "__name__", key)
                alias = own_name != key.rpartition(".")[2]
                full = f"{path}.{key}"
                if callable(item) and isinstance(item.__doc__, str):
                    yield _Docstring(full.count("."), alias, full, area, item.__doc__)


def _public(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield the public functions and classes of a module with their names.

    Without ``__all__``, they are those that it defines, not those that it imports.
    """
    declared = vars(module).get("__all__")
    home = module.__name__ if declared is None else module.__name__.split(".")[0]
    for name in dir(module) if declared is None else declared:
        thing = _look_up(module, name)
        origin = getattr(thing, "__module__", None) or home
        if (
            callable(thing)
            and not name.startswith("_")
            and origin not in EXPERIMENTAL
            and f"{origin}.".startswith(f"{home}.")
        ):
            yield name, thing


def _look_up(owner: object, name: str) -> object:
    """Return an attribute, or None if access fails, as for experimental names."""
    try:
        return getattr(owner, name)
    except Exception:
        return None


def _modules() -> Iterator[ModuleType]:
    """Import the packages and their public modules; skip those that do not import."""
    waiting = list(PACKAGES)
    while waiting:
        path = waiting.pop()
        try:
            module = import_module(path)
        except Exception:  # an optional dependency, another operating system
            continue
        yield module
        waiting += [
            f"{path}.{child.name}"
            for child in pkgutil.iter_modules(vars(module).get("__path__", []))
            if child.name not in SKIPPED
            and not child.name.startswith(("_", "cython_", "test_"))
        ]
