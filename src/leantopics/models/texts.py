"""Texts given where counts of words are expected: counted, or refused in a sentence."""

from typing import TYPE_CHECKING, Any

from leantopics import _frames

if TYPE_CHECKING:
    from leantopics.models.base import TopicModel

_EXPECTED = "X must be counts of words, a matrix or a Corpus."


def counts_of(model: "TopicModel", X: Any, *, fitted: bool) -> Any:
    """Return X, or the counts of its texts if a fitted model knows how to count them.

    ``fitted`` says whether X was given to a method of a fitted model.
    """
    if _frames.is_frame(X):
        _check_no_texts(X, fitted)
        return X
    if isinstance(X, str):
        raise ValueError(f"{_EXPECTED} Got one text instead: give a list of texts.")
    if not _are_texts(X):
        return X
    if not fitted:
        raise ValueError(
            f"{_EXPECTED} Got texts instead: leantopics.fit_texts(texts) counts them "
            "and fits a model; count_texts(texts) makes a Corpus of them."
        )
    if model.analyser_ is None:
        raise ValueError(
            f"{_EXPECTED} Got texts instead, and the model does not know how to count "
            "them because it was fitted to counts: count them as for the fit, or fit a "
            "model with leantopics.fit_texts."
        )
    from leantopics.text.columns import check_texts

    def counter() -> Any:
        from leantopics.text import TextVectorizer

        return TextVectorizer.from_dict(model.analyser_ or {}).counter()

    return model._once("counter", counter)(check_texts(X, "transform"))


def _are_texts(X: Any) -> bool:
    """Whether X is a sequence whose first known item is a text."""
    shape = getattr(X, "shape", None)
    flat = isinstance(X, list | tuple) if shape is None else len(shape) == 1
    if not flat:
        return False
    return isinstance(next((x for x in X if not _frames.is_missing(x)), None), str)


def _check_no_texts(X: Any, fitted: bool) -> None:
    columns = _frames.text_columns(X)
    if not columns:
        return
    name = columns[0]
    way = f"leantopics.fit_texts(df, text={name!r})"
    raise ValueError(
        f"{_EXPECTED} Got a data frame with texts in its column {name!r} instead: "
        f"{f'give df[{name!r}]' if fitted else f'use {way}'}."
    )
