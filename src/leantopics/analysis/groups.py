"""Shares of topics in groups of documents, with confidence intervals."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import ndtri, stdtrit

from leantopics._dates import day_of, iso_date
from leantopics._frames import is_missing
from leantopics._validation import check_level
from leantopics.corpus import Corpus
from leantopics.corpus.validation import safe_matrix

_ROUNDING = 1e-12
"""Shares nearer to 0 or 1 do not vary: their variance is a rounding error."""
PERIODS = {"year": 4, "month": 7, "day": 10}
"""Number of characters of a date such as 2026-11-16 that give the period."""


class GroupShare(NamedTuple):
    """A topic in a group of documents."""

    group: str
    topic: int
    share: float
    """Share of the words of the group."""
    low: float
    high: float
    """Ends of the interval of the share."""
    documents: int
    """Number of documents of the group that have words."""


def topic_shares(
    doc_topic: Any,
    doc_length: Any,
    groups: Sequence[str | None],
    *,
    level: float = 0.95,
) -> list[GroupShare]:
    """Share of each topic among the words of each group, with an interval.

    The share is sum_d L_d alpha[d,j] / sum_d L_d over the documents of the group. Its
    interval is Wilson's, with the quantile of Student's distribution, for the number of
    independent draws that would give the share the same variance as these documents of
    different lengths and topics do. For n documents there are at most n draws for each
    document in which both the topic and others have at least one word, and n if there
    is no such document: the next document of a group may have a topic that the group
    does not have, and traces of the topic do not make that less likely.

    Parameters
    ----------
    doc_topic : array or sparse matrix of shape (D, M)
        Proportions alpha of topics.
    doc_length : array of shape (D,)
        Number of words L_d of each document, not negative.
    groups : sequence of str or None, length D
        The group of each document; documents with None are left out.
    level : float
        Confidence of the interval, between 0 and 1.

    Returns
    -------
    list of GroupShare
        Sorted by group in alphabetical order, then by topic.

    Examples
    --------
    >>> shares = topic_shares([[1, 0], [0.5, 0.5]], [30, 10], ["1987", "1987"])
    >>> [(s.topic, round(s.share, 3)) for s in shares]
    [(0, 0.875), (1, 0.125)]
    """
    check_level(level)
    alpha = sparse.csr_array(safe_matrix(doc_topic, "doc_topic"), dtype=np.float64)
    length = np.asarray(doc_length, dtype=np.float64).ravel()
    if not (length >= 0.0).all():
        raise ValueError(
            f"doc_length must not be negative or NaN. Got {length.min()} instead."
        )
    if not alpha.shape[0] == len(length) == len(groups):
        raise ValueError(
            "doc_topic, doc_length and groups must be of the same documents. Got "
            f"{alpha.shape[0]}, {len(length)} and {len(groups)} of them instead."
        )
    known = [_name(group) for group in groups]
    names = sorted({group for group in known if group is not None})
    number = {name: g for g, name in enumerate(names)}
    of = np.array([-1 if group is None else number[group] for group in known])
    out = []
    for g, name in enumerate(names):
        rows = np.flatnonzero((of == g) & (length > 0.0))
        if len(rows) == 0:
            continue
        for topic, share, low, high in _intervals(alpha[rows], length[rows], level):
            out.append(GroupShare(name, topic, share, low, high, len(rows)))
    return out


def _intervals(
    alpha: sparse.csr_array, length: np.ndarray, level: float
) -> Iterable[tuple[int, float, float, float]]:
    """Yield each topic of one group, its share and the ends of its interval.

    With y_d = L_d alpha[d,j] the share r = sum y / sum L is a ratio, with variance
    n / (n - 1) sum (y_d - r L_d)^2 / (sum L)^2.
    """
    n, total = len(length), float(length.sum())
    words = alpha.multiply(length[:, None]).tocsr()
    share = np.asarray(words.sum(axis=0)).ravel() / total
    squares = np.asarray(words.power(2).sum(axis=0)).ravel()
    cross = np.asarray(words.multiply(length[:, None]).sum(axis=0)).ravel()
    spread = squares - 2.0 * share * cross + share**2 * float((length**2).sum())
    others = np.repeat(length, np.diff(words.indptr)) - words.data
    mixed = words.indices[np.minimum(words.data, others) >= 1.0]
    most = n * np.maximum(1, np.bincount(mixed, minlength=len(share)))
    quantile = 0.5 + 0.5 * level
    for j, r in enumerate(np.clip(share, 0.0, 1.0).tolist()):
        variance = float(spread[j]) * n / max(n - 1, 1) / total**2
        if variance * most[j] > r * (1.0 - r) > _ROUNDING and n > 1:
            draws, z = r * (1.0 - r) / variance, stdtrit(n - 1, quantile)
        else:
            draws, z = most[j], ndtri(quantile)
        yield j, r, *wilson(r, float(draws), float(z))


def wilson(share: float, draws: float, z: float) -> tuple[float, float]:
    """Return Wilson's interval of a share observed in a number of draws.

    Examples
    --------
    >>> low, high = wilson(0.0, 10.0, 1.96)
    >>> low, round(high, 3)
    (0.0, 0.278)
    """
    scale = 1.0 + z * z / draws
    middle = share + z * z / (2.0 * draws)
    reach = z * math.sqrt(share * (1.0 - share) / draws + (z / (2.0 * draws)) ** 2)
    return (
        max(0.0, min(share, (middle - reach) / scale)),
        min(1.0, max(share, (middle + reach) / scale)),
    )


def groups_of(
    corpus: Corpus, field: str, period: str | None = None
) -> list[str | None]:
    """Return the value of a field for every document; None where it is missing.

    Parameters
    ----------
    corpus : Corpus
        The documents. Their labels are the field "labels": a document with several
        labels belongs to a group named after all of them.
    field : str
        A metadata field, or "labels".
    period : {"year", "month", "day"}, optional
        Part to use of a date. Dates are in ISO 8601, such as 2026-11-16 or
        2026-11-16T09:30:00, or name the month in English, such as 16-NOV-2026 or
        "Nov 16, 2026". By default the whole value is used.

    Examples
    --------
    >>> dates = [{"date": "1987-02-26"}, {"date": "1987-06-29T12:00:00"}, {}]
    >>> corpus = Corpus([[1], [1], [1]], metadata=dates)
    >>> groups_of(corpus, "date", "month")
    ['1987-02', '1987-06', None]
    """
    if field in ("labels", "label") and corpus.labels is not None:
        found = [", ".join(sorted(labels)) or None for labels in corpus.labels]
    else:
        rows = corpus.metadata or [{}] * corpus.n_docs
        found = [_name(row.get(field)) for row in rows]
        if not any(found):
            known = sorted({k for row in rows for k, v in row.items() if _name(v)})
            fields = [*known, *(["labels"] if corpus.labels is not None else [])]
            raise ValueError(
                f"No document has a value in the field {field!r} to group by; there "
                f"are {', '.join(fields) or 'no fields at all'}."
            )
    if period is None:
        return found
    if period not in PERIODS:
        raise ValueError(
            f"period must be one of {', '.join(PERIODS)}. Got {period!r} instead."
        )
    return [None if date is None else _period(date, period) for date in found]


def _name(value: Any) -> str | None:
    """Return a value as the name of a group; None for missing ones, as in pandas.

    Examples
    --------
    >>> _name(1987), _name(["b", "a"]), _name(float("nan"))
    ('1987', 'a, b', None)
    """
    if isinstance(value, list | tuple | set):
        return ", ".join(sorted(map(str, value))) or None
    return None if is_missing(value) or value == "" else str(value)


def _period(date: str, period: str) -> str:
    """Return the year, month or day of a date.

    Examples
    --------
    >>> _period("1987-06", "year"), _period("19870629T1200", "month")
    ('1987', '1987-06')
    >>> _period("26-FEB-1987 15:01:01.79", "day"), _period("Feb 6, 1987", "day")
    ('1987-02-26', '1987-02-06')
    """
    size, known = PERIODS[period], iso_date(date)
    try:
        if (len(known) in (4, 7) and len(known) < size) or "W" in known:
            raise ValueError
        day = day_of(date)
    except ValueError:
        raise ValueError(
            f"The {period} of {date!r} is not known: dates must be in ISO 8601, such "
            "as 2026-11-16, or name the month, such as 16 Nov 2026."
        ) from None
    return day.isoformat()[:size]
