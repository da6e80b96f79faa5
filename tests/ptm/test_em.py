import math

import numpy as np
import pytest
from tests import reference
from tests.ptm.instances import csr, random_counts

from leantopics.datasets import make_corpus
from leantopics.engine.threads import Inline
from leantopics.ptm import em, initialise, invariants, state
from leantopics.ptm.group_tasks import expect, expected
from leantopics.ptm.kernels import words
from leantopics.ptm.objective import WordPrior, total
from leantopics.ptm.updates import WordRules


def random_corpus(seed, *, n_docs=30, n_words=25, n_topics=4, **options):
    rng = np.random.default_rng(seed)
    return random_counts(rng, n_docs, n_words, n_topics, **options)[0]


def with_oddities(counts):
    """Documents of one word, of one token, and copies of other documents."""
    counts = counts.copy()
    counts[0] = 0.0
    counts[0, 3] = 1.0
    counts[1] = 0.0
    counts[1, 5] = 9.0
    counts[2:5] = counts[5]
    counts[0] += (counts.sum(axis=0) == 0).astype(float)
    return counts


CORPORA = {
    "made": lambda: (
        make_corpus(60, 80, 4, salient_per_topic=12, boost=4, doc_length=60)[0]
        .counts.toarray()
        .astype(float)
    ),
    "absent words": lambda: (
        make_corpus(50, 60, 4, salient_per_topic=12, boost=4, dip=0.0)[0]
        .counts.toarray()
        .astype(float)
    ),
    "random": lambda: random_corpus(0),
    "fractional": lambda: random_corpus(1, fractional=True),
    "short documents": lambda: random_corpus(2, length=4.0),
    "long documents": lambda: random_corpus(3, length=300.0),
    "one word, one token, copies": lambda: with_oddities(random_corpus(4)),
    "all alike": lambda: np.tile(random_corpus(5, n_docs=1), (20, 1)),
    "unseen words": lambda: np.hstack([random_corpus(6), np.zeros((30, 3))]),
}

PRIORS = {
    "entropy": lambda n_topics: WordPrior(exact=False),
    "exact": lambda n_topics: WordPrior(exact=True),
    "weighted": lambda n_topics: WordPrior(False, math.log(2) / n_topics),
}


class Watch:
    """Dense value of the objective after every word pass and every topic pass."""

    def __init__(self, monkeypatch, counts, prior):
        self.counts, self.prior, self.values = counts, prior, []
        topic_pass, expected = em.topic_pass, em.expected

        def watched(data, topics, salient, table, *rest):
            self.table = table
            self.record(data, topics)
            return topic_pass(data, topics, salient, table, *rest)

        def settled(work, data, *rest, **own):
            out = expected(work, data, *rest, **own)
            if own:
                self.record(data, out.topics)
            return out

        monkeypatch.setattr(em, "topic_pass", watched)
        monkeypatch.setattr(em, "expected", settled)

    def record(self, data, topics):
        mixes = reference.all_mixes(topics)
        n_topics = int(max(part.topic.max() for part in mixes)) + 1
        parts = [reference.dense_mixes(part, n_topics) for part in mixes]
        v, alpha = (np.vstack(each) for each in zip(*parts, strict=True))
        u, over = reference.dense_table(self.table, n_topics)
        beta0 = data.shared.beta0
        model = reference.Model(
            alpha, v, np.where(u, (1 + over) * beta0, 0.0), u, beta0
        )
        self.values.append(self.objective(model))

    def objective(self, model):
        return reference.bic(
            self.counts, model, exact=self.prior.exact, weight=self.prior.weight
        )


def run_fit(data, start, prior, **options):
    """A fit, with options of `em.Start`, `em.Stopping`, `em.Hooks` and `WordRules`."""
    options = {"tol": 1e-6, "max_iter": 100, "max_cycles": 20} | options

    def some(kind, *given):
        names = [name for name in kind._fields if name in options]
        return kind(*given, **{name: options.pop(name) for name in names})

    found = em.fit(
        data,
        some(em.Start, start),
        some(WordRules, prior),
        Inline(),
        some(em.Stopping),
        some(em.Hooks),
    )
    assert options == {}
    return found


def begin(data, n_topics, seed, how="seeded"):
    random = np.random.RandomState(seed)
    if how == "random":
        return initialise.random_topics(data, n_topics, random, Inline())
    return initialise.seeded(data, n_topics, 2, random, Inline())


@pytest.mark.parametrize("kind", PRIORS)
@pytest.mark.parametrize("name", CORPORA)
def test_bic_never_rises_and_is_what_it_says(monkeypatch, name, kind):
    counts = CORPORA[name]()
    n_topics = 4
    prior = PRIORS[kind](n_topics)
    data = state.prepare(csr(counts))
    for seed, how in ((0, "seeded"), (1, "random")):
        start = begin(data, n_topics, seed, how)
        with monkeypatch.context() as patch:
            watch = Watch(patch, counts, prior)
            watch.values.append(watch.objective(reference.dense_model(data, start)))
            fit = run_fit(data, start, prior)
        steps = np.diff(watch.values)
        assert np.isfinite(watch.values).all()
        assert steps.max() <= 1e-7
        # What was recorded is what the history says, and what comes back.
        model = reference.dense_model(data, fit.parameters)
        last = fit.history[-1]
        np.testing.assert_allclose(
            watch.values[2::2], [each.objective for each in fit.history], rtol=1e-9
        )
        terms = reference.bic_terms(counts, model, exact=prior.exact)
        assert fit.terms._asdict() == pytest.approx(terms, rel=1e-6, abs=1e-6)
        assert last.bic == pytest.approx(sum(terms.values()), rel=1e-6)
        assert last.bic == pytest.approx(total(fit.terms))
        assert last.log_likelihood == pytest.approx(-terms["neg_log_likelihood"])
        assert fit.converged == (fit.stop_reason == "converged")
        x = reference.expected_counts(counts, model)
        np.testing.assert_allclose(
            reference.dense_statistics(statistics(data, fit), data.n_words),
            x,
            rtol=1e-9,
            atol=1e-12,
        )
        mu = (x * model.u).sum(axis=1) / (model.beta0 * model.u).sum(axis=1)
        np.testing.assert_allclose(fit.mu, mu, rtol=1e-9, atol=1e-12)
        # Invariants of the model.
        assert model.v.any(axis=1).all()
        assert model.v.any(axis=0).all()
        assert model.u.any(axis=1).all()
        np.testing.assert_allclose(model.alpha.sum(axis=1), 1.0)
        np.testing.assert_allclose(reference.topics(model).sum(axis=1), 1.0)
        assert not model.alpha[~model.v].any()


def statistics(data, fit):
    salient, topics = fit.parameters
    shared = (salient, data.n_words, False)
    return expected(expect, data, topics, Inline(), *shared).counts


def assert_certified(counts, data, prior, fit):
    """No single switch pays at its exact price: all are tried."""
    model = reference.dense_model(data, fit.parameters)
    ratio, prices = reference.ratios(model), reference.topic_prices(counts, model)
    for d, row in enumerate(counts):
        falls, _ = reference.flips(row, ratio, model.v[d], prices)
        assert max(falls.values(), default=0.0) <= 3e-6
    on, off = prior.flip_prices(float(model.u.sum()), float(model.u.size))
    x = reference.expected_counts(counts, model)
    for j in range(len(model.u)):
        common = 0.5 * math.log(prices.tokens[j] / reference.TWO_PI)
        chosen = np.flatnonzero(model.u[j]).astype(np.int32)
        gain, _ = words.best_flip(
            j,
            statistics(data, fit),
            data.shared,
            chosen,
            np.empty(0, np.int32),
            common + on,
            common + off,
        )
        assert gain <= 2e-6
        before = reference.words_value(x[j], model.u[j], model.beta0, 0.0)
        for n in range(data.n_words):
            after = model.u[j].copy()
            after[n] = not after[n]
            if after.any() and model.beta0[n] > 0:
                gain = reference.words_value(x[j], after, model.beta0, 0.0) - before
                cost = common + on if after[n] else -common - off
                assert gain - cost <= 1e-5


@pytest.mark.parametrize("kind", PRIORS)
@pytest.mark.parametrize("name", CORPORA)
def test_converged_fits_are_certified(name, kind):
    counts = CORPORA[name]()
    prior = PRIORS[kind](4)
    data = state.prepare(csr(counts))
    fit = run_fit(data, begin(data, 4, 0), prior, tol=1e-4, max_iter=200)
    assert fit.converged
    assert_certified(counts, data, prior, fit)


def any_corpus(seed):
    """A corpus of any small shape, a number of topics, a prior and a start."""
    rng = np.random.default_rng(seed)
    n_docs, n_words = int(rng.integers(6, 40)), int(rng.integers(4, 40))
    n_topics = int(rng.integers(1, min(9, n_docs)))
    counts, _ = random_counts(
        rng,
        n_docs,
        n_words,
        length=float(rng.choice([1.5, 4, 15, 60, 300])),
        fractional=bool(rng.random() < 0.4),
        sharp=float(rng.choice([0.02, 0.1, 1])),
        n_topics=int(rng.integers(2, 7)),
    )
    if rng.random() < 0.3:
        counts[: n_docs // 3] = counts[n_docs // 3]
    if rng.random() < 0.2:
        counts = np.hstack([counts, np.zeros((n_docs, 2))])
    prior = PRIORS[str(rng.choice(list(PRIORS)))](n_topics)
    return counts, n_topics, prior, str(rng.choice(["seeded", "random"]))


# Beyond the first: topics whose only document is short and gives them nothing; salient
# sets of absent words; documents with fewer distinct words than topics.
SEEDS = [*range(50), 246, 341, 692, 756, 1038, 1137, 1176, 1242, 1385]


@pytest.mark.parametrize("seed", SEEDS)
def test_any_corpus_goes_down_to_a_certified_fit(monkeypatch, seed):
    counts, n_topics, prior, how = any_corpus(seed)
    data = state.prepare(csr(counts))
    start = begin(data, n_topics, seed, how)
    watch = Watch(monkeypatch, counts, prior)
    watch.values.append(watch.objective(reference.dense_model(data, start)))
    fit = run_fit(data, start, prior, tol=1e-5, max_iter=300)
    assert np.isfinite(watch.values).all()
    assert np.diff(watch.values).max() <= 1e-6
    assert fit.history[-1].objective == pytest.approx(watch.values[-1], rel=1e-6)
    assert fit.converged
    assert_certified(counts, data, prior, fit)


@pytest.mark.parametrize("seed", [0, 21, 24, 246, 1038])
def test_words_pinned_to_topics_that_never_use_them(seed):
    counts, n_topics, prior, how = any_corpus(seed)
    data = state.prepare(csr(counts))
    options = {"tol": 1e-5, "max_iter": 300}
    fit = run_fit(data, begin(data, n_topics, seed, how), prior, **options)
    seen, rng = np.flatnonzero(counts.sum(axis=0)), np.random.default_rng(seed)
    pinned = {
        topic: np.sort(rng.choice(seen, min(2, len(seen)), replace=False))
        for topic in range(n_topics)
    }
    held = run_fit(fit.data, fit.parameters, prior, pinned=pinned, **options)
    invariants.check(held, prior, Inline())
    assert held.converged
    assert max(np.diff([step.objective for step in held.history]), default=0) <= 1e-6
    salient = held.parameters.salient
    for topic, held_words in pinned.items():
        own = salient.word[salient.indptr[topic] : salient.indptr[topic + 1]]
        assert np.isin(held_words, own).all()


def test_stops_when_told():
    counts = CORPORA["random"]()
    data = state.prepare(csr(counts))
    start = begin(data, 4, 0)
    seen = []
    fit = run_fit(data, start, WordPrior(False), max_iter=2, report=seen.append)
    assert (fit.converged, fit.stop_reason) == (False, "max_iter")
    assert seen == fit.history
    assert [each.iteration for each in fit.history] == [1, 2]
    fit = run_fit(
        data, start, WordPrior(False), report=lambda each: each.iteration == 1
    )
    assert (fit.converged, fit.stop_reason) == (False, "callback")
    assert len(fit.history) == 1


def test_tolerance_without_certificate():
    counts = CORPORA["made"]()
    data = state.prepare(csr(counts))
    plain = run_fit(data, begin(data, 4, 0), WordPrior(False), tol=1e-2, certify=False)
    sure = run_fit(data, begin(data, 4, 0), WordPrior(False), tol=1e-2)
    assert (plain.converged, plain.stop_reason) == (False, "tol")
    assert sure.converged
    assert len(plain.history) <= len(sure.history)
    assert sure.history[-1].topic_flips == 0


def test_one_topic():
    counts = CORPORA["random"]()
    data = state.prepare(csr(counts))
    fit = run_fit(data, begin(data, 1, 0), WordPrior(False))
    assert fit.converged
    model = reference.dense_model(data, fit.parameters)
    assert fit.history[-1].bic == pytest.approx(reference.bic(counts, model))
    # All documents together are the shared model: nothing is worth a switch.
    assert model.u.sum() == 1


def test_a_state_as_given():
    counts = CORPORA["random"]()
    data = state.prepare(csr(counts))
    start = begin(data, 4, 0)
    given = em.given(data, start, WordPrior(False), Inline())
    model = reference.dense_model(data, start)
    terms = reference.bic_terms(counts, model)
    assert given.terms._asdict() == pytest.approx(terms)
    assert given.stop_reason == "given"


@pytest.mark.parametrize("how", ["seeded", "random"])
def test_start(how):
    """One topic a document, all topics used, every seen word salient with (pj)."""
    for seed in range(5):
        counts = random_corpus(seed, n_docs=9)
        data = state.prepare(csr(counts))
        for n_topics in (2, 5, 9):
            model = reference.dense_model(data, begin(data, n_topics, seed, how))
            assert (model.v.sum(axis=1) == 1).all()
            assert model.v.any(axis=0).all()
            x = counts.T @ model.v
            assert (model.u == (x.T > 0)).all()
            np.testing.assert_allclose(
                model.beta,
                reference.word_probabilities(x.T, model.u, model.beta0),
                atol=1e-15,
            )


def test_seeded_start_puts_documents_where_they_are_most_likely():
    """Two kinds of documents without a common word are told apart."""
    counts = np.kron(np.eye(2), np.ones((10, 6))) * 3.0
    data = state.prepare(csr(counts))
    found = 0
    for seed in range(6):
        model = reference.dense_model(data, begin(data, 2, seed))
        first, second = model.v[:10, 0], model.v[10:, 0]
        found += (first.all() and not second.any()) or (
            second.all() and not first.any()
        )
    assert found > 0
