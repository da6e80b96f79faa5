"""Topic models as predictors of words, ours and the peers, and what their fits cost.

Word distributions are means of posteriors. Proportions of new documents are found as
each library does it, and once more by an inference that is the same for all.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks import ours, peers
from benchmarks.timing import Run, clock
from leantopics import ParsimoniousTopicModel
from leantopics.evaluation import held_out_log_likelihood
from leantopics.evaluation.mixture import mix_words
from leantopics.study.measure import Cell

Counts = sparse.csr_array
Floats = NDArray[np.float64]
STEPS = 100
"""Of the same inference for all, and of a sampler's own."""


class Predictor(NamedTuple):
    """A fitted model."""

    spent: Run
    topic_word: Any
    """(M, N): rows proportional to probabilities of words."""
    prior: Any
    """(M,): Dirichlet prior of proportions, as the model was given or learned it."""
    infer: Callable[[Counts], Any]
    """Rows proportional to topics of documents, each of which has words."""


def measure(
    contender: str,
    train: Counts,
    test: Counts,
    order: int | str,
    seed: int,
    options: dict[str, Any],
) -> Cell:
    """Held-out log-likelihood per word of all that a contender makes of one fit."""
    ours.warm_up()
    asked = {"order": order, "seed": seed}
    found = CONTENDERS[contender].fit(train, order, seed, **options)
    models = found if isinstance(found, dict) else {contender: found}
    return Cell(
        [
            {"contender": label, **asked, **_scores(model, train, test), **model.spent}
            for label, model in models.items()
        ],
        {},
    )


def _scores(model: Predictor, train: Counts, test: Counts) -> dict[str, float]:
    counts = np.asarray(train.sum(axis=0)).ravel()
    beta, prior = _normalised(model.topic_word), np.asarray(model.prior, np.float64)

    def score(infer: Callable[[Counts], Any]) -> float:
        def proportions(observed: Counts) -> Floats:
            filled = np.diff(observed.indptr) > 0
            out = np.zeros((len(filled), len(prior)))
            out[filled] = infer(observed[filled])
            out[out.sum(axis=1) == 0.0] = prior
            return _normalised(out)

        return held_out_log_likelihood(
            test, proportions, beta, seen=counts > 0, shared=counts / counts.sum()
        ).per_word

    return {
        "topics": len(prior),
        "held_out": score(model.infer),
        "same_inference": score(lambda observed: mode(observed, beta, prior)),
    }


def mode(counts: Counts, beta: Floats, prior: Floats) -> Floats:
    """Proportions alpha of the most sum_n c_n log q_n + sum_j prior_j log alpha_j."""
    alpha: Floats = np.full((counts.shape[0], len(prior)), 1.0 / len(prior))
    for _ in range(STEPS):
        q, _ = mix_words(counts, alpha, beta)
        ratio = Counts((counts.data / q, counts.indices, counts.indptr), counts.shape)
        alpha = _normalised(alpha * (ratio @ beta.T) + prior)
    return alpha


def _parsimonious(
    counts: Counts, order: int | str, seed: int, *, refine: int
) -> dict[str, Predictor]:
    """Our model, and the same fit refined."""
    model = ParsimoniousTopicModel(
        order, evidence="words", inference="all", random_state=seed
    )
    with clock() as spent:
        model.fit(counts)
    with clock() as more:
        refined = ours.refined(model, counts, refine)
    whole = {name: spent[name] + more[name] for name in spent}
    return {
        label: Predictor(
            time, one.predictive_components_, ours.topic_prior(one), one.transform
        )
        for label, one, time in (
            (OURS, model, spent),
            (f"{OURS}, refine={refine}", refined, whole),
        )
    }


def _sklearn(counts: Counts, order: int, seed: int, **options: Any) -> Predictor:
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        order, learning_method="batch", random_state=seed, n_jobs=1, **options
    )
    with clock() as spent:
        model.fit(counts)
    prior = np.full(order, model.doc_topic_prior_)
    return Predictor(spent, model.components_, prior, model.transform)


def _gensim(counts: Counts, order: int, seed: int, **options: Any) -> Predictor:
    from gensim.models import LdaModel

    documents = peers.bags(counts)
    fixed = {"alpha": "auto", "eta": "auto", "eval_every": None, "random_state": seed}
    names = peers.word_names(counts)
    with clock() as spent:
        model = LdaModel(documents, order, id2word=names, **fixed, **options)

    def infer(observed: Counts) -> Any:
        return model.inference(peers.bags(observed))[0]

    return Predictor(spent, model.get_topics(), model.alpha, infer)


def _tomotopy_lda(counts: Counts, order: int, seed: int, *, sweeps: int) -> Predictor:
    import tomotopy

    model = tomotopy.LDAModel(k=order, seed=seed)
    spent = _sample(model, counts, sweeps)
    return _sampled(model, spent, counts.shape[1], range(order), model.alpha)


def _tomotopy_hdp(counts: Counts, order: str, seed: int, *, sweeps: int) -> Predictor:
    import tomotopy

    model = tomotopy.HDPModel(seed=seed)
    spent = _sample(model, counts, sweeps)
    live = [topic for topic in range(model.k) if model.is_live_topic(topic)]
    mass = model.get_count_by_topics()[live]
    prior = model.alpha * mass / mass.sum()
    return _sampled(model, spent, counts.shape[1], live, prior)


def _sample(model: Any, counts: Counts, sweeps: int) -> Run:
    for document in peers.texts(counts):
        model.add_doc(document)
    with clock() as spent:
        model.train(sweeps, workers=1)
    return spent


def _sampled(
    model: Any, spent: Run, n_words: int, topics: Sequence[int], prior: Any
) -> Predictor:
    topic_word = np.zeros((len(topics), n_words))
    columns = [int(word) for word in model.used_vocabs]
    topic_word[:, columns] = [model.get_topic_word_dist(topic) for topic in topics]

    def infer(observed: Counts) -> Any:
        documents = [model.make_doc(words) for words in peers.texts(observed)]
        found, _ = model.infer(documents, iterations=STEPS, workers=1)
        return np.array(found)[:, topics]

    return Predictor(spent, topic_word, prior, infer)


def _mallet(counts: Counts, order: int, seed: int, **options: Any) -> Predictor:
    """pyrmallet reads texts, so that its time has reading them in it."""
    from pyrmallet import LatentDirichletAllocation

    documents = peers.plain_texts(counts)
    model = LatentDirichletAllocation(
        order, random_state=seed, n_inference_iter=STEPS, **options
    )
    with clock() as spent:
        model.fit(documents)
    topic_word = np.zeros((order, counts.shape[1]))
    topic_word[:, peers.spelled_numbers(model.feature_names_in_)] = model.components_

    def infer(observed: Counts) -> Any:
        return model.transform(peers.plain_texts(observed))

    # only the model inside has the prior that it learned
    return Predictor(spent, topic_word, model._model.alpha, infer)


def _normalised(rows: Any) -> Floats:
    wide = np.asarray(rows, dtype=np.float64)
    out: Floats = wide / wide.sum(axis=1, keepdims=True)
    return out


class Contender(NamedTuple):
    """Whose fit it is, and roughly how long it takes at one order."""

    package: str
    cost: float
    fit: Callable[..., Any]


OURS, SKLEARN, GENSIM = "leantopics", "scikit-learn LDA", "gensim LDA"
TOMOTOPY, HDP = "tomotopy LDA", "tomotopy HDP"
MALLET = "pyrmallet LDA"
CONTENDERS = {
    OURS: Contender("leantopics", 1.0, _parsimonious),
    SKLEARN: Contender("scikit-learn", 10.0, _sklearn),
    GENSIM: Contender("gensim", 10.0, _gensim),
    TOMOTOPY: Contender("tomotopy", 40.0, _tomotopy_lda),
    HDP: Contender("tomotopy", 100.0, _tomotopy_hdp),
    MALLET: Contender("pyrmallet", 20.0, _mallet),
}
