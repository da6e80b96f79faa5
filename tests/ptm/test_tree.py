"""The tree of topics: its prices are changes of BIC, and no cheaper join is missed."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import xlogy
from tests import reference
from tests.ptm.search.test_fitter import searched

from leantopics import make_corpus
from leantopics.engine.threads import Inline, engine
from leantopics.ptm import snapshot, tree
from leantopics.ptm.objective import WordPrior
from leantopics.ptm.search import starts


def fitted_tree(
    n_topics, *, exact, topics_per_doc=1, n_docs=150, n_words=60, single=False
):
    """A fit, what it knows of its topics, and its tree."""
    corpus, _ = make_corpus(
        n_docs,
        n_words,
        4,
        salient_per_topic=6,
        boost=4,
        doc_length=60,
        topics_per_doc=topics_per_doc,
        random_state=0,
    )
    problem = searched(corpus.counts)
    prior = WordPrior(exact)
    fitted = problem.start(n_topics)
    if single:
        one = starts.one_topic_each(fitted.data, fitted.parameters, Inline())
        fitted = fitted._replace(parameters=one)
    taken, _ = snapshot.take(fitted, 0.0, Inline())
    known = tree.topic_words(taken, fitted.data, Inline())
    return fitted, taken, known, prior


class Partition:
    """The twin: groups of topics, and the expected complete-data BIC of a partition.

    Responsibilities stay those of the fit, so a group has the counts of its topics.
    """

    def __init__(self, counts, fitted, prior):
        model = reference.dense_model(fitted.data, fitted.parameters)
        order = np.argsort(
            -(counts.sum(axis=1) @ np.where(model.v, model.alpha, 0.0)), kind="stable"
        )
        self.x = reference.expected_counts(counts, model)[order]
        self.v, self.u, self.beta0 = model.v[:, order], model.u[order], model.beta0
        self.length, self.exact = counts.sum(axis=1), prior.exact
        n_topics, n_words = self.u.shape
        self.slope = prior.price(float(self.u.sum()), float(n_topics * n_words))
        seen = np.where(self.u, self.x, 0.0).sum(axis=1)
        share = np.where(self.u, self.beta0, 0.0).sum(axis=1)
        self.level = np.where(seen > 0, seen / share, self.x.sum(axis=1))

    def words(self, group):
        """Salient words of a group: those of the fit, or chosen by their deviance."""
        if len(group) == 1:
            return self.u[group[0]]
        x = self.x[group].sum(axis=0)
        expected = sum(self.level[j] for j in group) * self.beta0
        tokens = self.length @ self.v[:, group].any(axis=1)
        price = 0.5 * math.log(tokens / (2 * math.pi)) + self.slope
        return xlogy(x, x / expected) - x + expected > price

    def bic(self, groups):
        """Up to the likelihood of the shared model, the same for all partitions."""
        n_groups = len(groups)
        v = np.array([self.v[:, group].any(axis=1) for group in groups]).T
        words = [self.words(group) for group in groups]
        value = n_salient = 0.0
        for k, group in enumerate(groups):
            x, u = self.x[group].sum(axis=0), words[k]
            n_salient += u.sum()
            value += 0.5 * u.sum() * math.log(self.length @ v[:, k] / (2 * math.pi))
            if x[u].sum() > 0:
                scale = x[u].sum() / self.beta0[u].sum()
                value -= xlogy(x[u], x[u] / (scale * self.beta0[u])).sum()
        n_switches = n_groups * len(self.beta0)
        value += reference.word_switch_cost(n_salient, n_switches, self.exact)
        value -= 0.0 if self.exact else 0.5 * math.log(n_switches)
        present = v.sum(axis=1)
        value += len(v) * math.log(n_groups)
        value += sum(math.log(math.comb(n_groups, int(m))) for m in present)
        return value + 0.5 * float((present - 1) @ np.log(self.length / (2 * math.pi)))


def partitions(found, n_topics):
    """The groups before the first join and after each, in the order of the nodes."""
    groups = {j: [j] for j in range(n_topics)}
    yield list(groups.values())
    for step, (a, b) in enumerate(found.children):
        groups[n_topics + step] = groups.pop(int(a)) + groups.pop(int(b))
        yield list(groups.values())


CASES = [(exact, mixing) for exact in (False, True) for mixing in (1, 2)]


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request):
    exact, mixing = request.param
    fitted, taken, known, prior = fitted_tree(7, exact=exact, topics_per_doc=mixing)
    counts = reference.dense_data(fitted.data)
    found = tree.agglomerate(known, taken, prior, Inline())
    return Partition(counts, fitted, prior), found, (fitted, known, taken, prior)


def test_prices_are_changes_of_the_expected_bic(case):
    twin, found, _ = case
    values = [twin.bic(groups) for groups in partitions(found, 7)]
    np.testing.assert_allclose(found.rise, np.diff(values), rtol=1e-9, atol=1e-6)


def test_no_pair_is_cheaper_than_the_one_joined(case):
    twin, found, _ = case
    for groups, rise in zip(partitions(found, 7), found.rise, strict=False):
        now = twin.bic(groups)
        rises = []
        for a, b in itertools.combinations(range(len(groups)), 2):
            others = [group for k, group in enumerate(groups) if k not in (a, b)]
            rises.append(twin.bic([groups[a] + groups[b], *others]) - now)
        assert rise == pytest.approx(min(rises), abs=1e-6)


def test_the_tree_is_the_one_of_brute_force(case):
    """All partitions that one join leads to, priced anew; the cheapest is kept."""
    twin, found, _ = case
    groups = [[j] for j in range(7)]
    for after in [*partitions(found, 7)][1:]:
        joined = []
        for pair in itertools.combinations(groups, 2):
            others = [group for group in groups if group not in pair]
            joined.append([*others, pair[0] + pair[1]])
        groups = min(joined, key=twin.bic)
        assert {frozenset(group) for group in groups} == {*map(frozenset, after)}


def test_prices_are_changes_of_bic_if_documents_have_one_topic_each():
    fitted, taken, known, prior = fitted_tree(6, exact=False, single=True)
    counts = reference.dense_data(fitted.data)
    twin = Partition(counts, fitted, prior)
    assert (twin.v.sum(axis=1) == 1).all()
    found = tree.agglomerate(known, taken, prior, Inline())

    def bic(groups):
        u = np.array([twin.words(group) for group in groups])
        v = np.array([twin.v[:, group].any(axis=1) for group in groups]).T
        x = np.array([twin.x[group].sum(axis=0) for group in groups])
        beta = reference.word_probabilities(x, u, twin.beta0)
        model = reference.Model(v.astype(float), v, beta, u, twin.beta0)
        return reference.bic(counts, model)

    values = [bic(groups) for groups in partitions(found, 6)]
    np.testing.assert_allclose(found.rise, np.diff(values), rtol=1e-9, atol=1e-6)


def test_the_tree_is_the_same_for_any_number_of_threads(case):
    _, found, (_, known, taken, prior) = case
    with engine(3) as workers:
        again = tree.agglomerate(known, taken, prior, workers)
    for one, two in zip(found, again, strict=True):
        np.testing.assert_array_equal(one, two)


def test_groups_are_moved_when_their_room_is_used_up():
    """Many topics with the same words: joined counts hardly need less room."""
    fitted, taken, known, prior = fitted_tree(20, exact=False, n_docs=300, n_words=40)
    twin = Partition(reference.dense_data(fitted.data), fitted, prior)
    found = tree.agglomerate(known, taken, prior, Inline())
    values = [twin.bic(groups) for groups in partitions(found, 20)]
    np.testing.assert_allclose(found.rise, np.diff(values), rtol=1e-9, atol=1e-6)
