"""The objective: BIC of the paper (label bic) as a sum of named terms."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from leantopics._arrays import Floats

TWO_PI = 2.0 * np.pi


class BicTerms(NamedTuple):
    """The terms of BIC in nats; they sum to BIC."""

    topic_switches: float
    word_switches: float
    word_switches_constant: float
    proportions: float
    word_probabilities: float
    neg_log_likelihood: float


def log_choose(n_topics: int) -> Floats:
    """Logarithms of the binomials C(M, m), m = 0 .. M.

    Examples
    --------
    >>> np.exp(log_choose(3)).round(6)
    array([1., 3., 3., 1.])
    """
    m = np.arange(n_topics + 1.0)
    out: Floats = gammaln(n_topics + 1.0) - gammaln(m + 1) - gammaln(n_topics - m + 1)
    return out


class WordPrior(NamedTuple):
    """Cost of the word switches: (ucost), or its exact form for small vocabularies.

    ``weight`` scales the entropy in the objective of the word switches: 1 as in the
    paper, log(2) / M as in the authors' program.
    """

    exact: bool
    weight: float = 1.0

    def cost(self, n_salient: float, n_switches: float) -> float:
        """``M N H(p) log 2`` nats with p = N0 / (M N); ``M N log 2`` from p = 1/2 on.

        Examples
        --------
        >>> round(WordPrior(exact=True).cost(10, 100), 3)
        69.315
        >>> round(WordPrior(exact=False).cost(10, 100), 3)
        32.508
        """
        p = n_salient / n_switches
        if self.exact or p >= 0.5:
            return n_switches * float(np.log(2.0))
        if p == 0.0:
            return 0.0
        return -n_switches * float(p * np.log(p) + (1.0 - p) * np.log1p(-p))

    def price(self, n_salient: float, n_switches: float) -> float:
        """Slope of the cost: the price of one more salient word, by the tangent."""
        p = n_salient / n_switches
        if self.exact or p >= 0.5:
            return 0.0
        return self.weight * float(np.log((1.0 - p) / p))

    def flip_prices(self, n_salient: float, n_switches: float) -> tuple[float, float]:
        """Exact cost of one more salient word, and refund for one less (dcostu)."""
        here = self.cost(n_salient, n_switches)
        more = self.cost(n_salient + 1.0, n_switches) - here
        less = here - self.cost(n_salient - 1.0, n_switches)
        return self.weight * more, self.weight * less


def bic_terms(
    *,
    with_topics: np.ndarray,
    proportions: float,
    salient_in_topic: np.ndarray,
    tokens_in_topic: Floats,
    n_words: int,
    log_likelihood: float,
    word_prior: WordPrior,
) -> BicTerms:
    """Evaluate (bic) term by term; ``log_likelihood`` is that of (parsmdl).

    ``with_topics`` (M + 1,) has the numbers of documents with 0, 1, ... topics, and
    ``proportions`` is the sum of (M_d - 1) log(L_d / 2 pi) over the documents. N_j and
    Lbar_j of the topics are ``salient_in_topic`` and ``tokens_in_topic`` (M,).
    """
    n_docs, n_topics = int(with_topics.sum()), len(salient_in_topic)
    n_switches = float(n_topics * n_words)
    choose = log_choose(n_topics) * with_topics
    constant = 0.0 if word_prior.exact else -0.5 * float(np.log(n_switches))
    tokens = np.log(tokens_in_topic / TWO_PI)
    return BicTerms(
        topic_switches=n_docs * float(np.log(n_topics)) + float(choose.sum()),
        word_switches=word_prior.cost(float(salient_in_topic.sum()), n_switches),
        word_switches_constant=constant,
        proportions=0.5 * proportions,
        word_probabilities=0.5 * float((salient_in_topic * tokens).sum()),
        neg_log_likelihood=-log_likelihood,
    )


def total(terms: BicTerms, word_weight: float = 1.0) -> float:
    """Sum of the terms, the word switches scaled by ``word_weight``."""
    return float(sum(terms)) + (word_weight - 1.0) * terms.word_switches
