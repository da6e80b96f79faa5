"""What somebody knows of the topics before a fit."""

import importlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from leantopics._extras import check_extra
from leantopics._validation import check_choice

LINKS = ("together", "apart")
_PARTS = ("words", "not_words", "documents", *LINKS)
_FIELDS = {*_PARTS, "labels", "trust", "bound"}


class Guide:
    """Known topics: words that they must or may not have, and documents of theirs.

    Parameters
    ----------
    words : mapping of name to words
        Words that must be salient in a topic, as the fit counts them.
    not_words : mapping of name to words
        Words that may not be salient in it; they keep their shared probability.
    documents : mapping of name to documents
        Documents that belong to a topic, and to no other one: rows, or ids of the
        corpus.
    labels : sequence, mapping or "corpus", optional
        The same the other way round: the name of the topic of each document, None where
        it is not known; or the names by row or id; or the labels of the corpus where a
        document has exactly one.
    together, apart : sequences of sequences of documents
        Documents that have the same topic, and documents that each have another one.
        They have one topic each.
    trust : {"guide", "data"}
        With "data", beliefs that cost more than ``bound`` are dropped.
    bound : float
        Nats of BIC that a belief may cost, if the data are trusted.

    Examples
    --------
    >>> guide = Guide(words={"refunds": ["refund", "chargeback"]})
    >>> guide.names
    ['refunds']
    """

    def __init__(
        self,
        words: Mapping[str, Iterable[str]] | None = None,
        not_words: Mapping[str, Iterable[str]] | None = None,
        documents: Mapping[str, Iterable[int | str]] | None = None,
        labels: Any = None,
        *,
        together: Iterable[Sequence[int | str]] | None = None,
        apart: Iterable[Sequence[int | str]] | None = None,
        trust: str = "guide",
        bound: float = 10.0,
    ) -> None:
        check_choice("trust", trust, ("guide", "data"))
        if not (isinstance(bound, int | float) and bound >= 0.0):
            raise ValueError(
                f"bound must be a number from 0 up. Got {bound!r} instead."
            )
        self.words = _lists("words", words)
        self.not_words = _lists("not_words", not_words)
        self.documents = _lists("documents", documents)
        self.labels = labels
        self.together = _groups("together", together)
        self.apart = _groups("apart", apart)
        self.trust, self.bound = trust, float(bound)

    def __repr__(self) -> str:
        parts = [f"{name}={getattr(self, name)!r}" for name in _PARTS]
        return f"Guide({', '.join(parts)}, labels=..., trust={self.trust!r})"

    @property
    def names(self) -> list[str]:
        """Names of the topics with words or documents of their own, as given."""
        return list(dict.fromkeys([*self.words, *self.documents]))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Guide":
        """Read a guide from a file of JSON or YAML, an object with the parameters.

        Parameters
        ----------
        path : path
            The file; YAML if its name ends in ``.yaml`` or ``.yml``, which needs the
            extra ``yaml``.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "guide.json")
        ...     _ = file.write_text('{"words": {"refunds": ["refund"]}}')
        ...     Guide.read(file).words
        {'refunds': ['refund']}
        """
        form, load = "JSON", json.loads
        if Path(path).suffix.lower() in (".yaml", ".yml"):
            check_extra("yaml")
            form, load = "YAML", importlib.import_module("yaml").safe_load
        try:
            found = load(Path(path).read_text(encoding="utf-8"))
        except OSError:
            raise
        except Exception as error:  # those of PyYAML have no base that json shares
            why = " ".join(str(error).split())
            raise ValueError(f"{path} must be a guide in {form}: {why}.") from None
        odd = sorted(map(str, {*found} - _FIELDS)) if isinstance(found, dict) else found
        if odd or not isinstance(found, dict):
            raise ValueError(
                f"{path} must be a {form} object with {', '.join(sorted(_FIELDS))}. "
                f"Got {odd!r} instead."
            )
        return cls(**found)


def checked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Refuse costs of beliefs, as read from a file, that a fit could not have.

    Examples
    --------
    >>> checked([{"topic": "sea"}])
    Traceback (most recent call last):
    ...
    ValueError: the guide_costs
    """
    for row in rows:
        if (
            set(row) != {"topic", "belief", "what", "nats", "held"}
            or not _is_about(row["belief"], row["topic"], row["what"])
            or type(row["nats"]) is not float
            or type(row["held"]) is not bool
        ):
            raise ValueError("the guide_costs")
    return rows


def _is_about(belief: str, topic: Any, what: Any) -> bool:
    """Whether the topic and the object of a belief are of the types of its kind."""
    if belief in LINKS:
        rows = isinstance(what, list) and all(type(row) is int for row in what)
        return topic is None and rows
    if belief == "document":
        return isinstance(topic, str) and type(what) is int
    words = belief in ("word", "not word") and type(what) is str
    return words and isinstance(topic, str)


def _lists(what: str, given: Any) -> dict[str, list[Any]]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(
            f"{what} of a guide must be lists by the name of a topic, such as "
            f'{{"refunds": [...]}}. Got {given!r} instead.'
        )
    for name, values in given.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise TypeError(
                f"{what} of a guide must be lists. Got {values!r} for {name!r} instead."
            )
    return {str(name): list(values) for name, values in given.items()}


def _groups(kind: str, given: Any) -> list[list[Any]]:
    """Lists of documents that must be together or apart.

    Examples
    --------
    >>> _groups("apart", [["a", "b"], (3, 4)])
    [['a', 'b'], [3, 4]]
    """
    if given is None:
        return []
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise TypeError(
            f"{kind} of a guide must be lists of documents, such as [[3, 5], [2, 8]]. "
            f"Got {given!r} instead."
        )
    groups = [*given]
    for each in groups:
        if isinstance(each, str) or not isinstance(each, Sequence) or len(each) < 2:
            raise TypeError(
                f"{kind} of a guide must be lists of two or more documents each, such "
                f"as [[3, 5], [2, 8]]. Got {each!r} instead."
            )
    return [[*each] for each in groups]
