"""Coherence of topics: how often their top words co-occur in a reference corpus."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from leantopics._validation import check_choice
from leantopics.evaluation.checks import Floats, Ints
from leantopics.evaluation.windows import (
    Topics,
    Windows,
    document_windows,
    sliding_windows,
)

MEASURES = ("coh", "u_mass", "npmi", "uci", "c_v")


class Coherence(NamedTuple):
    """Coherence of topics."""

    name: str
    """The measure and its window, such as "npmi_document" or "c_v_window110"."""
    value: float
    """Mean over the topics that have two words or more; NaN if none has."""
    by_topic: Floats
    """Coherence of each topic, shape (M,); NaN if it has fewer than two words."""
    n_windows: int
    """Number of windows of the reference corpus."""
    n_unseen: int
    """Number of top words, of all topics together, that no window holds."""


def coherence(
    topics: Topics,
    reference: Any,
    measure: str = "npmi",
    *,
    window: int | None = None,
    epsilon: float | None = None,
) -> Coherence:
    """Coherence of topics by how often their words share a window.

    With S(k) the number of windows that hold word k of a topic, S(k, l) of those that
    hold two words, n of all windows, e the ``epsilon`` and p = S / n:

    - "coh", of the paper and [1]_: sum over l < k of log((S(k, l) + e) / S(l));
    - "u_mass": mean over l < k of log((p(k, l) + e) / p(l));
    - "uci" [2]_: mean over pairs of log((p(k, l) + e) / (p(k) p(l)));
    - "npmi": mean over pairs of the same, divided by -log(p(k, l) + e);
    - "c_v" [3]_: mean cosine of a word's NPMI with all words of the topic, including
      itself, and the sum of these vectors over the words.

    Two words that are in every window have NPMI 1. A pair with a word that no window
    holds counts as 0.

    Parameters
    ----------
    topics : sequence of M sequences
        Distinct words of each topic, most probable first: column numbers if the
        reference is counts, tokens otherwise. See `top_words`.
    reference : array or sparse matrix of shape (D, N), or sequence of lists of tokens
        The corpus in which windows are counted, as counts or as tokens in order.
    measure : {"npmi", "uci", "c_v", "u_mass", "coh"}
        The measure.
    window : int, optional
        Tokens of a sliding window, usually 10 for "npmi" and "uci" and 110 for "c_v".
        By default the window is the whole document, the only choice with counts.
    epsilon : float, optional
        By default 1 for "coh", a number of windows, and 1e-12 for the others, a share
        of the windows.

    References
    ----------
    .. [1] D. Mimno et al., "Optimizing semantic coherence in topic models", EMNLP 2011.
    .. [2] D. Newman et al., "Automatic evaluation of topic coherence", NAACL 2010.
    .. [3] M. Röder, A. Both and A. Hinneburg, "Exploring the space of topic coherence
       measures", WSDM 2015.

    Examples
    --------
    >>> counts = np.array([[1, 1, 0], [2, 1, 0], [0, 0, 3], [0, 1, 1]])
    >>> found = coherence([[0, 1], [0, 2]], counts)
    >>> found.name, found.by_topic.round(2)
    ('npmi_document', array([ 0.42, -0.95]))
    >>> coherence([[1, 0]], counts, "coh").value
    0.0
    >>> coherence([["a", "b"]], [["a", "b", "x", "a"]], "npmi", window=2).name
    'npmi_window2'
    """
    _check_topics(topics)
    _check_options(measure, window, epsilon)
    if epsilon is None:
        epsilon = 1.0 if measure == "coh" else 1e-12
    windows = _windows(reference, topics, window)
    values, n_unseen = np.full(len(topics), np.nan), 0
    for j, words in enumerate(topics):
        together = windows.together(words)
        n_unseen += int((together.diagonal() == 0).sum())
        if len(words) > 1:
            values[j] = _value(measure, together, windows.n_windows, epsilon)
    defined = values[~np.isnan(values)]
    return Coherence(
        f"{measure}_document" if window is None else f"{measure}_window{window}",
        float(defined.mean()) if len(defined) else np.nan,
        values,
        windows.n_windows,
        n_unseen,
    )


def _windows(reference: Any, topics: Topics, window: int | None) -> Windows:
    """Return the windows of a reference corpus, counts or tokens."""
    if getattr(reference, "ndim", 1) != 2:
        return sliding_windows(reference, topics, window)
    if window is None:
        return document_windows(reference, topics)
    raise ValueError(
        f"window={window} needs the order of the tokens, got counts; give lists of "
        "tokens, or leave window out."
    )


def _value(measure: str, together: Ints, n_windows: int, epsilon: float) -> float:
    """Coherence of one topic from the windows (T, T) that hold its words."""
    seen = together.diagonal() > 0
    alone = np.maximum(together.diagonal(), 1)
    k, m = np.tril_indices(len(alone), -1)
    if measure == "coh":
        value = np.log((together[k, m] + epsilon) / alone[m])
        return float(value[seen[k] & seen[m]].sum())
    both = together / n_windows + epsilon
    if measure == "u_mass":
        value = np.log(both[k, m] / (alone[m] / n_windows))
        return float(np.where(seen[k] & seen[m], value, 0.0).mean())
    share = alone / n_windows
    value = np.log(both / np.outer(share, share))
    if measure != "uci":
        always = both >= 1.0
        value = np.where(always, 1.0, value / -np.log(np.where(always, 0.5, both)))
    value = np.where(np.outer(seen, seen), value, 0.0)
    if measure != "c_v":
        return float(value[k, m].mean())
    whole = value.sum(axis=0)
    length = np.linalg.norm(value, axis=1) * np.linalg.norm(whole)
    cosine = value @ whole / np.where(length > 0, length, 1.0)
    return float(cosine.mean())


def _check_topics(topics: Topics) -> None:
    if len(topics) == 0:
        raise ValueError("There must be topics, got none.")
    for j, topic in enumerate(topics):
        if isinstance(topic, str):
            raise TypeError(f"Topics must be lists of words, got the string {topic!r}.")
        if len(topic) == 0 or len(set(topic)) < len(topic):
            raise ValueError(
                f"A topic must hold words, each once, got {list(topic)} as topic {j}."
            )


def _check_options(measure: str, window: int | None, epsilon: float | None) -> None:
    check_choice("measure", measure, MEASURES)
    if window is not None and not (isinstance(window, Integral) and window >= 1):
        raise ValueError(f"window must be a positive whole number, got {window!r}.")
    if epsilon is not None and not epsilon > 0:
        raise ValueError(f"epsilon must be positive, got {epsilon!r}.")
