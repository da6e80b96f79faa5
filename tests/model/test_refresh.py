"""Models refreshed on old and new documents, and what the ledger says of them."""

import re

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from tests.model.recount import assert_bic_is_right, assert_sound

from leantopics import Corpus, ParsimoniousTopicModel, load_model, make_corpus
from leantopics.ptm import changes
from leantopics.ptm.checkpoint import Checkpoint, FitInterruptedError


@pytest.fixture(scope="module")
def planted():
    """Documents of five topics, and the topic that each has most of."""
    corpus, truth = make_corpus(
        300, 200, 5, topics_per_doc=1.1, salient_per_topic=20, boost=5, doc_length=100
    )
    return corpus, truth.alpha.toarray().argmax(axis=1)


@pytest.fixture(scope="module")
def known(planted):
    """A model of the documents without the last topic, named by hand."""
    corpus, topic = planted
    model = fit(corpus.counts[topic != 4])
    model.topic_names = [f"name {j}" for j in range(model.n_topics_)]
    return model


def fit(X, **settings):
    return ParsimoniousTopicModel(
        random_state=0, **{"evidence": "words", **settings}
    ).fit(X)


def test_the_same_documents_keep_every_topic(known, planted):
    corpus, topic = planted
    X = corpus.counts[topic != 4]
    again = known.refresh(X)
    assert again.bic_ <= known.bic_ + 1e-6 * known.bic_
    assert [row["change"] for row in again.changes_] == ["kept"] * known.n_topics_
    assert all(row["share"] > 0.95 for row in again.changes_)
    assert again.topic_names == [f"name {row['before'][0]}" for row in again.changes_]
    assert again.is_fitted_to(X)


def test_a_new_topic_is_born_and_the_others_keep_their_names(known, planted):
    corpus, topic = planted
    model = known.refresh(corpus.counts)
    assert model.converged_
    assert_sound(model, corpus.counts)
    assert_bic_is_right(model, corpus.counts)
    changed = [row for row in model.changes_ if row["change"] != "kept"]
    new = max(changed, key=lambda row: -row["bic_change"])
    assert new["change"] in ("born", "split into")
    has = model.topic_proportions_[:, [new["after"]]].toarray().ravel() > 0.5
    assert ((topic == 4) == has).mean() > 0.95
    assert model.topic_names[new["after"]] not in known.topic_names
    named = {row["after"]: row for row in model.changes_ if row["change"] == "kept"}
    assert len(named) >= 4
    for k, row in named.items():
        assert model.topic_names[k] == row["name_before"][0]
    scratch = fit(corpus.counts)
    assert model.bic_ < scratch.bic_ + 0.001 * scratch.bic_


def test_topics_grow_that_no_split_finds(planted):
    """Half of the topics are known before."""
    corpus, truth = make_corpus(
        600, 400, 12, topics_per_doc=1.5, salient_per_topic=30, boost=5, doc_length=120
    )
    topics = truth.alpha.toarray()
    few = fit(corpus.counts[topics[:, 6:].sum(axis=1) < 0.2])
    model, scratch = few.refresh(corpus.counts), fit(corpus.counts)
    assert few.n_topics_ < scratch.n_topics_
    assert abs(model.n_topics_ - scratch.n_topics_) <= 1
    assert model.bic_ < scratch.bic_ + 0.0005 * scratch.bic_
    assert model.converged_
    assert_sound(model, corpus.counts)


def test_the_search_grows_topics_only_if_that_pays(known, planted):
    corpus, topic = planted
    X = corpus.counts[topic != 4]
    assert known.refresh(X).n_topics_ == known.n_topics_


def test_numbers_are_kept_on_demand(known, planted):
    corpus, _ = planted
    by_mass = known.refresh(corpus.counts)
    assert (np.diff(by_mass.topic_mass_) <= 0.0).all()
    model = known.refresh(corpus.counts, renumber=False)
    kept = [row for row in model.changes_ if row["change"] == "kept"]
    assert kept
    assert all(row["before"] == [row["after"]] for row in kept)
    assert model.bic_ == by_mass.bic_
    assert_bic_is_right(model, corpus.counts)
    words = {frozenset(w for w, _ in m.top_words(j)) for m in (model, by_mass)
             for j in range(m.n_topics_)}  # fmt: skip
    assert len(words) == model.n_topics_
    assert model.hierarchy().children.shape == by_mass.hierarchy().children.shape


def test_a_topic_dies_with_its_documents(known, planted):
    corpus, topic = planted
    shares = known.topic_proportions_
    gone = int(np.asarray(shares[topic[topic != 4] == 0].sum(axis=0)).argmax())
    model = known.refresh(corpus.counts[(topic != 4) & (topic != 0)])
    now = {j: row for row in model.changes_ for j in row["before"]}
    assert now[gone]["change"] in ("died", "merged from")
    assert model.n_topics_ < known.n_topics_


def test_words_are_matched_by_name_and_may_be_new(known, planted):
    corpus, topic = planted
    X = corpus.counts[topic != 4]
    words = [f"w{n}" for n in range(X.shape[1])]
    model = fit(Corpus(X, words))
    turn = np.random.default_rng(0).permutation(X.shape[1])
    extra = sparse.csr_array(np.ones((X.shape[0], 2)))
    wider = Corpus(
        sparse.csr_array(sparse.hstack([X[:, turn], extra])),
        [*(words[n] for n in turn), "new", "newer"],
    )
    again = model.refresh(wider)
    assert again.vocabulary_ == wider.vocabulary
    assert [row["change"] for row in again.changes_] == ["kept"] * model.n_topics_
    for row in again.changes_:
        before = {word for word, _ in model.top_words(row["before"][0], 5)}
        assert len(before & {w for w, _ in again.top_words(row["after"], 8)}) >= 4
    assert_sound(again, wider.counts)


def test_words_that_are_gone_are_told(planted):
    corpus, _ = planted
    words = [f"w{n}" for n in range(corpus.n_words)]
    model = fit(Corpus(corpus.counts, words))
    fewer = Corpus(corpus.counts[:, 3:], words[3:])
    with pytest.warns(UserWarning, match=r"^3 of the 200 words of the model do not"):
        again = model.refresh(fewer)
    assert again.vocabulary_ == words[3:]


def test_pinned_words_stay_with_their_topic(known, planted):
    corpus, topic = planted
    X = corpus.counts[topic != 4]
    word = next(
        w for n, w in enumerate(known.vocabulary_)
        if n not in known.salient_word_prob_[[1]].indices
    )  # fmt: skip
    model = known.edit(X, pin={1: [word]})
    (pinned,) = model.pinned_words_
    again = model.refresh(corpus.counts)
    (now,) = again.pinned_words_
    assert again.pinned_words_ == {now: [word]}
    assert again.topic_names[now] == model.topic_names[pinned]
    assert again.vocabulary_.index(word) in again.salient_word_prob_[[now]].indices


def test_a_fixed_number_of_topics_stays(planted):
    corpus, topic = planted
    model = fit(corpus.counts[topic != 4], n_topics=3)
    again = model.refresh(corpus.counts)
    assert again.n_topics_ == 3
    assert_bic_is_right(again, corpus.counts)


def test_both_levels_are_refreshed(planted, tmp_path):
    corpus, topic = planted
    X = 3.0 * corpus.counts  # words that come three at a time
    model = fit(X[topic != 4], evidence="bursts")
    again = model.refresh(X)
    assert len(again.parents_) == again.finer_.n_topics_
    assert again.finer_.changes_
    for level in (again, again.finer_):
        assert level.is_fitted_to(X)
    again.save(tmp_path / "m")
    loaded = load_model(tmp_path / "m")
    assert loaded.changes_ == again.changes_
    assert loaded.finer_.changes_ == again.finer_.changes_


def test_the_number_of_threads_does_not_matter(known, planted):
    corpus, _ = planted
    one, two = (known.set_params(n_jobs=n).refresh(corpus.counts) for n in (1, 2))
    assert one.bic_ == two.bic_
    assert one.changes_ == two.changes_


def test_a_corpus_on_disk_gives_the_same(known, planted, tmp_path):
    corpus, _ = planted
    words = known.vocabulary_
    there = Corpus(corpus.counts, words)
    there.save(tmp_path / "c")
    ours = known.refresh(Corpus.open(tmp_path / "c"))
    assert ours.bic_ == known.refresh(there).bic_


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda X: X[:, :7], "X must be a Corpus, or have the 200 columns of the fit."),
        (lambda X: Corpus(X, [f"z{n}" for n in range(X.shape[1])]),
         "X must have words that set the topics of the model apart, such as "),
        (lambda X: X * 0.0, "X must have at least one document with a word in it."),
    ],
)  # fmt: skip
def test_wrong_documents_are_refused(known, planted, make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        known.refresh(make(planted[0].counts))


def shares(random, n_docs, n_topics):
    found = random.dirichlet(np.full(n_topics, 0.3), n_docs)
    found[found < 0.05] = 0.0
    return found / found.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(5))
def test_flow_passes_all_words_on(seed):
    random = np.random.default_rng(seed)
    before, after = shares(random, 40, 4), shares(random, 40, 6)
    length = random.integers(1, 50, 40).astype(float)
    pair = (sparse.csr_array(before), sparse.csr_array(after))
    flow = changes.passage(*pair, length, {}).flow
    np.testing.assert_allclose(flow.sum(axis=1), length @ before)
    np.testing.assert_allclose(flow.sum(axis=0), length @ after)
    same = changes.passage(pair[0], pair[0], length, {}).flow
    np.testing.assert_allclose(same, np.diag(length @ before), atol=1e-9)


def rows_of(flow):
    flow = np.array(flow, dtype=float)
    pairs = np.array(linear_sum_assignment(flow, maximize=True))
    without = np.ones(len(flow)), np.ones(flow.shape[1])
    worth = changes.Worth(*without, lambda one, two: 1.0 * one)
    found = changes.follow(flow, pairs, {})
    rows = changes.ledger(found, worth, [str(j) for j in range(len(flow))])
    return [(row["before"], row["change"], row["after"]) for row in rows]


@pytest.mark.parametrize(
    ("flow", "rows"),
    [
        ([[9, 0], [0, 9]], [([0], "kept", 0), ([1], "kept", 1)]),
        ([[9], [5]], [([0, 1], "merged from", 0)]),
        ([[9, 4]], [([0], "split into", 0), ([0], "split into", 1)]),
        ([[9, 3, 0], [0, 3, 9], [0, 3, 0]],
         [([0], "kept", 0), ([2], "moved", 1), ([1], "kept", 2)]),
        ([[9, 1, 4], [2, 9, 4]],
         [([0], "split into", 0), ([1], "kept", 1), ([0], "split into", 2)]),
        ([[9, 1, 3], [2, 9, 3], [2, 1, 3]],
         [([0], "kept", 0), ([1], "kept", 1), ([2], "moved", 2)]),
        ([[9, 0], [0, 9], [1, 2]],
         [([0], "kept", 0), ([1, 2], "merged from", 1)]),
        ([[9, 0, 0], [0, 9, 0], [1, 1, 1]],
         [([0], "kept", 0), ([1], "kept", 1), ([2], "moved", 2)]),
    ],
)  # fmt: skip
def test_the_ledger_has_every_topic(flow, rows):
    found = rows_of(flow)
    assert {k for _, _, k in found if k is not None} == set(range(len(flow[0])))
    assert {j for before, _, _ in found for j in before} == set(range(len(flow)))
    assert found == rows


@pytest.mark.parametrize("evidence", ["words", "bursts"])
def test_a_refresh_stopped_again_and_again_ends_the_same(planted, tmp_path, evidence):
    corpus, topic = planted
    model = fit(corpus.counts[topic != 4], evidence=evidence)
    whole = model.refresh(corpus.counts)
    stops = 0
    for length in (2, 9, 25, 10**9):
        checkpoint = Checkpoint(tmp_path / "c", every=0.0 if stops % 2 else 1e9)
        seen = []

        def count(step, seen=seen, checkpoint=checkpoint, length=length):
            seen.append(step)
            checkpoint.stop = len(seen) > length

        model.set_params(callback=count)
        try:
            again = model.refresh(corpus.counts, checkpoint=checkpoint)
            break
        except FitInterruptedError:
            stops += 1
    assert stops >= 2
    assert again.bic_ == whole.bic_
    assert again.changes_ == whole.changes_
    model.set_params(callback=None)
    with pytest.raises(ValueError, match="is the checkpoint of a fit with other"):
        model.refresh(corpus.counts[1:], checkpoint=Checkpoint(tmp_path / "c", 0))
