"""Topics whose share differs by group, date or number: those for which BIC says so."""

import datetime
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import ndtri, xlogy

from leantopics._arrays import Floats, Longs
from leantopics._dates import day_of
from leantopics._validation import check_at_least, check_choice, check_level
from leantopics._words import counted
from leantopics.analysis.certificate import log_choose
from leantopics.analysis.groups import wilson
from leantopics.analysis.trends import fit_trends, resampled_shares, shares_at
from leantopics.corpus.validation import safe_matrix

KINDS = ("auto", "groups", "number", "date")
_RESAMPLES, _ENDS, _CELLS = 499, (0.1, 0.9), 4_000_000


class Share(NamedTuple):
    """Mean proportion of a topic in the documents of a group, or at a number."""

    group: str
    share: float
    low: float
    high: float
    """Ends of the interval, by the bootstrap over documents."""
    documents: int
    """Documents of the group; of a trend, all."""


class Effect(NamedTuple):
    """Whether a topic differs."""

    topic: int
    differs: bool
    """Whether BIC is lower if the topic has its own share in each group."""
    nats: float
    """By how much, without the cost to say which topics differ."""
    p: float
    """Share of permutations of the groups in which some topic has as much."""
    shares: list[Share]


class Effects(NamedTuple):
    """The result of `find_effects`: every topic, those that differ most first."""

    kind: str
    """"groups", "number" or "date"."""
    effects: list[Effect]
    documents: int
    without: int
    """Documents without a value."""

    @property
    def found(self) -> list[Effect]:
        """The topics that differ."""
        return [effect for effect in self.effects if effect.differs]

    def describe(self, by: str, names: Sequence[str], most: int = 4) -> str:
        """Return the effects in sentences, one for each topic that differs.

        Parameters
        ----------
        by : str
            Name of the field.
        names : sequence of str
            Names of the topics.
        most : int
            Most groups to name, those that differ most from the mean.
        """
        lines = []
        for effect in self.found:
            shares = effect.shares
            if self.kind == "groups" and len(shares) > most:
                total = sum(each.documents for each in shares)
                mean = sum(each.share * each.documents for each in shares) / total
                shares = sorted(shares, key=lambda each: -abs(each.share - mean))[:most]
            where = ", ".join(
                f"{each.share:.1%} {'in' if self.kind == 'groups' else 'at'} "
                f"{each.group} ({each.low:.1%} to {each.high:.1%})"
                for each in shares
            )
            verb = "differs by" if self.kind == "groups" else "changes with"
            lines.append(
                f"Topic {effect.topic} ({names[effect.topic]}) {verb} {by}: {where}; "
                f"{effect.nats:,.0f} nats, p = {effect.p:.3g}."
            )
        rest = len(self.effects) - len(lines)
        if not lines:
            return f"No topic differs by {by}."
        if rest:
            verb = "does" if rest == 1 else "do"
            lines.append(f"{counted(rest, 'other topic')} {verb} not.")
        return "\n".join(lines)


def find_effects(
    doc_topic: Any,
    values: Sequence[Any],
    *,
    kind: str = "auto",
    level: float = 0.95,
    draws: int = 199,
    random_state: int = 0,
) -> Effects:
    """Find the topics whose share differs between groups, or changes with a number.

    A topic has either one share in all documents, or its own in each group; of a
    number or date, a share whose logit is linear in it. Each further parameter costs
    half the logarithm of the number of documents, and which k of M topics differ costs
    ``log C(M, k)``. The set of topics with the lowest BIC is chosen.

    Parameters
    ----------
    doc_topic : array or sparse matrix of shape (D, M)
        Proportions of topics; rows sum to one.
    values : sequence, length D
        The group, number or date of each document. Documents with None are left out.
    kind : {"auto", "groups", "number", "date"}
        What values are. "auto": dates or numbers, if all are and there are more
        than ten different ones; otherwise groups.
    level : float
        Confidence of the intervals, between 0 and 1.
    draws : int
        Number of permutations for the p-values, which hold for all topics at once.
    random_state : int
        Seed of permutations and bootstrap.

    Returns
    -------
    Effects

    Examples
    --------
    >>> alpha = np.tile([[0.9, 0.1], [0.2, 0.8]], (30, 1))
    >>> found = find_effects(alpha, ["old", "new"] * 30)
    >>> sorted((effect.topic, effect.p) for effect in found.found)
    [(0, 0.005), (1, 0.005)]
    >>> found.effects[0].shares[0].group
    'new'
    """
    check_choice("kind", kind, KINDS)
    check_level(level)
    check_at_least("draws", draws)
    alpha = sparse.csr_array(safe_matrix(doc_topic, "doc_topic"), dtype=np.float64)
    if alpha.shape[0] != len(values):
        raise ValueError(
            "doc_topic and values must be of the same documents. Got "
            f"{alpha.shape[0]} and {len(values)} of them instead."
        )
    kept = [d for d, value in enumerate(values) if value is not None]
    here = [values[d] for d in kept]
    kind, numbers = _read(here, kind)
    random = np.random.default_rng(random_state)
    alpha, without = alpha[kept], len(values) - len(kept)
    sampling = (level, draws, random)
    if kind == "groups":
        effects = _by_group(alpha, [str(value) for value in here], *sampling)
    else:
        effects = _by_number(alpha, numbers, kind, *sampling)
    return Effects(kind, effects, len(kept), without)


def _read(values: list[Any], kind: str) -> tuple[str, Floats]:
    """What the values are, and their numbers if they are numbers or dates."""
    readers: dict[str, Callable[[Any], float]] = {
        "date": lambda value: day_of(str(value)).toordinal(),
        "number": float,
    }
    for each, read in readers.items():
        if kind not in ("auto", each):
            continue
        try:
            numbers = np.array([read(value) for value in values], dtype=np.float64)
        except (TypeError, ValueError):
            if kind == each:
                wanted = "dates such as 2026-11-16" if each == "date" else "numbers"
                raise ValueError(
                    f"The values must be {wanted} for kind={each!r}, but one of them "
                    'is not: give kind="groups".'
                ) from None
            continue
        enough = kind == each or len(np.unique(numbers)) > 10
        if not (enough and np.isfinite(numbers).all()):
            continue
        if len(np.unique(numbers)) < 2:
            break
        return each, numbers
    n_different = len({str(value) for value in values})
    if n_different < 2:
        raise ValueError(
            "Documents must have at least two different values to compare. Got "
            f"{n_different} in {len(values)} documents."
        )
    return "groups", np.zeros(0)


def _by_group(
    alpha: sparse.csr_array,
    groups: list[str],
    level: float,
    draws: int,
    random: np.random.Generator,
) -> list[Effect]:
    names, number = np.unique(groups, return_inverse=True)
    size = np.bincount(number)
    if len(names) > len(groups) / 2:
        raise ValueError(
            "Groups must have two documents or more on average. Got "
            f"{len(names)} groups of {len(groups)} documents: group by a period of a "
            'date, or give kind="number".'
        )
    observed = _sums(alpha, number, size)
    price = 0.5 * (len(names) - 1) * math.log(len(groups))
    gain = _gain(observed, size)
    drawn = (
        _gain(_sums(alpha, random.permutation(number), size), size)
        for _ in range(draws)
    )
    p = _corrected(gain, np.array([each.max() for each in drawn]))
    own = (alpha[np.flatnonzero(number == g)] for g in range(len(names)))
    samples = np.stack([_resampled(part, random) for part in own], axis=1)
    tails = [0.5 - 0.5 * level, 0.5 + 0.5 * level]
    low, high = np.quantile(samples, tails, axis=0)
    z, share = float(ndtri(0.5 + 0.5 * level)), observed / size[:, None]

    def shares(topic: int) -> list[Share]:
        out = []
        for g, name in enumerate(names.tolist()):
            ends = (float(low[g, topic]), float(high[g, topic]))
            if share[g, topic] <= 0.0 or share[g, topic] >= 1.0:
                ends = wilson(float(share[g, topic]), float(size[g]), z)
            out.append(Share(name, float(share[g, topic]), *ends, int(size[g])))
        return out

    return _chosen(gain - price, p, shares)


def _by_number(
    alpha: sparse.csr_array,
    numbers: Floats,
    kind: str,
    level: float,
    draws: int,
    random: np.random.Generator,
) -> list[Effect]:
    x = (numbers - numbers.mean()) / numbers.std()
    trends, n_docs = fit_trends(alpha, x), len(x)
    mean = np.asarray(alpha.mean(axis=0)).ravel()
    spread = np.maximum(mean * (1.0 - mean) * n_docs, 1e-300)

    def score(values: Floats) -> Floats:
        return (values @ alpha) ** 2 / (2.0 * spread)

    drawn = np.array([score(random.permutation(x)).max() for _ in range(draws)])
    p = _corrected(score(x), drawn)
    ends = np.quantile(numbers, _ENDS)
    at = (ends - numbers.mean()) / numbers.std()
    share, columns = shares_at(trends, at), alpha.tocsc()
    tails = [0.5 - 0.5 * level, 0.5 + 0.5 * level]
    named = [f"{end:.6g}" for end in ends.tolist()]
    if kind == "date":
        days = [datetime.date.fromordinal(round(end)) for end in ends.tolist()]
        named = [day.isoformat() for day in days]

    def shares(topic: int) -> list[Share]:
        own = columns[:, [topic]].toarray().ravel()
        drawn = resampled_shares(trends, own, x, at, topic, _RESAMPLES, random)
        low, high = np.quantile(drawn, tails, axis=0)
        numbers = (share[:, topic].tolist(), low.tolist(), high.tolist())
        return [Share(*row, n_docs) for row in zip(named, *numbers, strict=True)]

    return _chosen(trends.gain - 0.5 * math.log(n_docs), p, shares)


def _sums(alpha: sparse.csr_array, number: Longs, size: Longs) -> Floats:
    """(G, M): sums of proportions by group."""
    shape, order = (len(size), alpha.shape[0]), np.argsort(number, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(size)))
    groups = sparse.csr_array((np.ones(len(order)), order, indptr), shape=shape)
    return np.asarray((groups @ alpha).toarray(), dtype=np.float64)


def _resampled(alpha: sparse.csr_array, random: np.random.Generator) -> Floats:
    """(`_RESAMPLES`, M): means of as many documents, drawn with replacement."""
    n, done, parts = alpha.shape[0], 0, []
    while done < _RESAMPLES:
        rows = min(_RESAMPLES - done, max(1, _CELLS // n))
        times = random.multinomial(n, np.full(n, 1.0 / n), size=rows)
        parts.append(np.asarray(times @ alpha, dtype=np.float64) / n)
        done += rows
    return np.concatenate(parts)


def _gain(sums: Floats, size: Longs) -> Floats:
    """(M,): log-likelihood of own shares over that of one, of fractional documents."""

    def likely(yes: Floats, n: Any) -> Floats:
        share = np.clip(yes / n, 0.0, 1.0)
        value: Floats = n * (xlogy(share, share) + xlogy(1.0 - share, 1.0 - share))
        return value

    own = likely(sums, size[:, None]).sum(axis=0)
    found: Floats = np.maximum(own - likely(sums.sum(axis=0), size.sum()), 0.0)
    return found


def _corrected(gain: Floats, best: Floats) -> Floats:
    """P-values for all topics at once, from the best topic of each permutation."""
    as_good = (best[:, None] >= gain - 1e-9).sum(axis=0)
    found: Floats = (1.0 + as_good) / (1.0 + len(best))
    return found


def _chosen(nats: Floats, p: Floats, shares: Any) -> list[Effect]:
    """Topics by falling gain; the first k differ, those with the lowest BIC."""
    order = np.argsort(-nats, kind="stable")
    value = np.concatenate(([0.0], np.cumsum(nats[order]))) - log_choose(len(nats))
    most = int(value.argmax())
    return [
        Effect(int(j), place < most, float(nats[j]), float(p[j]), shares(int(j)))
        for place, j in enumerate(order)
    ]
