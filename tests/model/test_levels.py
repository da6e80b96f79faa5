"""Two levels of topics, the tree between them, and what is saved of both."""

import json
import subprocess
import sys
from itertools import chain

import numpy as np
import pytest
from scipy import sparse

from leantopics import Checkpoint, ParsimoniousTopicModel, make_corpus
from leantopics.ptm.attached_texts import keep_texts, kept_texts
from leantopics.ptm.hierarchy import Hierarchy
from leantopics.text import count_texts


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(300, 200, 5, salient_per_topic=20, boost=4, doc_length=80)[0]


@pytest.fixture(scope="module")
def bursty(corpus):
    """The corpus with words that come in bursts."""
    rng = np.random.default_rng(0)
    counts = corpus.counts.copy()
    counts.data *= rng.integers(1, 6, counts.nnz)
    return corpus.with_counts(counts) if hasattr(corpus, "with_counts") else counts


@pytest.fixture(scope="module")
def model(bursty):
    return ParsimoniousTopicModel(evidence="bursts", random_state=0).fit(bursty)


@pytest.fixture(scope="module")
def words(corpus):
    return ParsimoniousTopicModel(8, evidence="words", random_state=0).fit(corpus)


@pytest.fixture(scope="module")
def tree(words):
    return words.hierarchy()


def test_themes_know_their_topics(model):
    finer = model.finer_
    assert (finer.evidence, finer.burstiness_) == ("words", np.inf)
    assert 0.0 < model.burstiness_ < np.inf
    assert model.converged_
    assert finer.converged_
    assert finer.n_topics_ >= model.n_topics_
    assert model.parents_.shape == (finer.n_topics_,)
    assert set(model.parents_) <= set(range(model.n_topics_))


def test_the_search_for_themes_does_not_begin_with_a_few(model):
    """The cheapest cut of the tree may have very few, as EM has not improved others."""
    assert max(row["n_topics"] for row in model.path_) >= min(
        20, model.finer_.n_topics_
    )


def test_the_finer_model_is_the_one_that_words_alone_give(model, bursty):
    alone = ParsimoniousTopicModel(evidence="words", random_state=0).fit(bursty)
    assert model.finer_.bic_ == alone.bic_
    np.testing.assert_array_equal(
        model.finer_.topic_proportions_.toarray(), alone.topic_proportions_.toarray()
    )
    above = alone.coarsen(bursty)
    assert above.bic_ == model.bic_
    np.testing.assert_array_equal(above.parents_, model.parents_)


def test_parents_take_most_words(words, corpus):
    coarser = words.coarsen(corpus, 3)
    length = np.asarray(corpus.counts.sum(axis=1)).ravel()
    above, below = (each.topic_proportions_.toarray() for each in (coarser, words))
    for j, parent in enumerate(coarser.parents_):
        flows = [(length * below[:, j] * above[:, k]).sum() for k in range(3)]
        assert parent == int(np.argmax(flows))


@pytest.mark.parametrize("n", [2, 3, 8])
def test_a_number_from_above_is_certified_and_no_worse_than_from_scratch(
    words, corpus, n
):
    coarser = words.coarsen(corpus, n)
    assert (coarser.n_topics_, coarser.converged_) == (n, True)
    assert coarser.evidence == "words"
    scratch = ParsimoniousTopicModel(n, evidence="words", random_state=0).fit(corpus)
    assert coarser.bic_ <= scratch.bic_ * 1.001


def test_edits_keep_the_levels(model, bursty):
    names = model.finer_.topic_names
    edited = model.edit(bursty, merge=[(0, 1)])
    assert edited.finer_.n_topics_ == model.finer_.n_topics_
    assert edited.parents_.max() < edited.n_topics_
    assert model.finer_.topic_names == names


def test_levels_are_saved(model, bursty, tmp_path):
    model.topic_names = [f"theme {k}" for k in range(model.n_topics_)]
    model.save(tmp_path / "m.zip")
    again = ParsimoniousTopicModel.load(tmp_path / "m.zip")
    np.testing.assert_array_equal(again.parents_, model.parents_)
    assert again.finer_.get_params() == model.finer_.get_params()
    assert again.finer_.bic_ == model.finer_.bic_
    assert again.finer_.vocabulary_ == model.vocabulary_
    for one, two in ((again, model), (again.finer_, model.finer_)):
        np.testing.assert_array_equal(one.transform(bursty), two.transform(bursty))
    known, loaded = model.hierarchy(), again.hierarchy()
    np.testing.assert_array_equal(known.children, loaded.children)
    np.testing.assert_array_equal(known.prices, loaded.prices)


def test_both_levels_have_the_same_names_when_loaded(tmp_path):
    """Phrases are looked for in the texts, which both levels keep."""
    rng = np.random.default_rng(0)
    phrases = ["stock market", "market share", "york new", "new city"]
    fillers = ["bank price fund trade", "river street park house"]
    texts = [
        " ".join([*rng.permutation(phrases[2 * (d % 2) :][:2] * 3), fillers[d % 2]])
        for d in range(60)
    ]
    corpus = count_texts(texts)
    model = ParsimoniousTopicModel(random_state=0).fit(corpus)
    keep_texts(model, corpus)
    model.save(tmp_path / "m")
    loaded = ParsimoniousTopicModel.load(tmp_path / "m")
    for one, two in ((model, loaded), (model.finer_, loaded.finer_)):
        assert kept_texts(one) == kept_texts(two) is not None
        assert one.topic_names == two.topic_names


def test_another_process_has_the_hierarchy_without_documents(model, tmp_path):
    model.save(tmp_path / "m")
    program = (
        "import json, sys; from leantopics import load_model; "
        "model = load_model(sys.argv[1]); tree = model.hierarchy(); "
        "print(json.dumps([tree.children.tolist(), tree.prices.tolist(), "
        "tree.themes.tolist(), tree.names, model.topic_names]))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "m")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    tree = model.hierarchy()
    arrays = [each.tolist() for each in (tree.children, tree.prices, tree.themes)]
    assert json.loads(done.stdout) == [*arrays, tree.names, model.topic_names]


def test_the_same_levels_for_any_number_of_threads(model, bursty):
    two = ParsimoniousTopicModel(evidence="bursts", random_state=0, n_jobs=2)
    two.fit(bursty)
    assert two.bic_ == model.bic_
    np.testing.assert_array_equal(two.hierarchy().prices, model.hierarchy().prices)


def test_the_same_levels_after_a_stop(model, bursty, tmp_path):
    place = tmp_path / "c"
    once = Checkpoint(place, every=0.0)
    again = ParsimoniousTopicModel(evidence="bursts", random_state=0)
    again.fit(bursty, checkpoint=once)
    resumed = ParsimoniousTopicModel(evidence="bursts", random_state=0)
    resumed.fit(bursty, checkpoint=Checkpoint(place))
    assert again.bic_ == resumed.bic_ == model.bic_
    assert resumed.finer_.bic_ == model.finer_.bic_


class TestHierarchy:
    def test_cuts_are_nested_and_in_order_of_size(self, tree):
        for n in range(1, 9):
            groups = tree.cut(n)
            assert set(groups) == set(range(n))
            shares = np.bincount(groups, tree.shares)
            assert (np.diff(shares) <= 1e-12).all()
        few, more = tree.levels([3, 6])
        for group in range(6):
            assert len(set(few[more == group])) == 1

    def test_themes_are_cuts_of_their_tree(self, model):
        tree = model.hierarchy()
        n_themes = len(set(tree.themes))
        groups = tree.cut(n_themes)
        pairs = set(zip(groups, tree.themes, strict=True))
        assert len(pairs) == n_themes

    def test_folded_proportions(self, tree, words):
        folded = tree.fold(words.topic_proportions_, 3).toarray()
        groups = tree.cut(3)
        for group in range(3):
            part = words.topic_proportions_.toarray()[:, groups == group].sum(axis=1)
            np.testing.assert_allclose(folded[:, group], part)

    def test_forms(self, tree):
        nested = tree.to_dict()

        def leaves(node):
            kids = node.get("children")
            return [node["topic"]] if kids is None else [*chain(*map(leaves, kids))]

        assert sorted(leaves(nested)) == list(range(8))
        assert nested["price"] == tree.prices[-1]
        assert tree.to_newick().count("(") == 7
        frame = tree.to_frame()
        assert list(frame["groups"]) == [7, 6, 5, 4, 3, 2, 1]
        assert list(frame["price"]) == list(tree.prices)
        assert frame["topics"].iloc[-1] == 8

    def test_names_with_quotes_in_newick(self):
        tree = Hierarchy(
            np.array([[0, 1]]),
            np.array([1.0]),
            np.array([0.5, 0.5]),
            ["it's", "b", "c"],
            None,
        )
        assert tree.to_newick() == "('it''s':1,'b':1)'c';"

    @pytest.mark.parametrize("n", [0, 9, 2.0, True, "3"])
    def test_no_such_cut(self, tree, n):
        with pytest.raises(ValueError, match="number of groups must be from 1 to 8"):
            tree.cut(n)

    @pytest.mark.parametrize("numbers", [[], [3, 3], [6, 3]])
    def test_levels_that_do_not_nest(self, tree, numbers):
        with pytest.raises(ValueError, match="each greater than the one before"):
            tree.levels(numbers)

    def test_more_levels_than_topics(self, tree):
        with pytest.raises(ValueError, match="number of groups must be from 1 to 8"):
            tree.levels([3, 9])

    def test_themes_that_are_not_known(self, tree):
        with pytest.raises(ValueError, match=r"model.coarsen\(X\) finds them"):
            tree.themes  # noqa: B018

    def test_columns_that_do_not_match(self, tree):
        with pytest.raises(ValueError, match=r"a column for each of 8 topics\. Got 3"):
            tree.fold(sparse.csr_array((2, 3)), 2)

    def test_a_model_without_counts_asks_for_the_documents(self, words, corpus):
        old = ParsimoniousTopicModel(8, evidence="words", random_state=0).fit(corpus)
        old._counted = None
        with pytest.raises(ValueError, match=r"hierarchy\(X\)"):
            old.hierarchy()
        np.testing.assert_array_equal(
            old.hierarchy(corpus).prices, words.hierarchy().prices
        )


@pytest.mark.parametrize("n", [1, 9, 0, True, 2.5, "few"])
def test_a_number_that_coarsen_cannot_reach(words, corpus, n):
    with pytest.raises(ValueError, match='"auto" or a number of topics from 2 to 8'):
        words.coarsen(corpus, n)


def test_other_documents_are_refused(words, corpus):
    with pytest.raises(ValueError, match="the documents of the fit"):
        words.coarsen(corpus.counts[:50])


def test_evidence_of_another_name(words, corpus):
    with pytest.raises(ValueError, match="evidence must be"):
        words.coarsen(corpus, 3, evidence="letters")


def test_words_have_no_finer_topics(words, corpus):
    with pytest.raises(ValueError, match="the finest"):
        words.finer(corpus)


def test_finer_topics_of_a_fixed_number(bursty):
    themes = ParsimoniousTopicModel(3, evidence="bursts", random_state=0).fit(bursty)
    finer = themes.finer(bursty)
    assert themes.finer_ is finer is themes.finer(bursty)
    assert finer.evidence == "words"


def test_one_topic_has_a_hierarchy(corpus):
    tree = ParsimoniousTopicModel(1, random_state=0).fit(corpus).hierarchy()
    assert tree.cut(1).tolist() == [0]
    assert tree.to_dict()["topic"] == 0


class TestCutModels:
    @pytest.mark.parametrize("n", [2, 3, 5, 7])
    def test_bic_of_a_cut_is_what_the_prices_add_up_to(self, words, tree, n):
        cut = words.at(n)
        assert (cut.n_topics_, cut.stop_reason_, cut.converged_) == (n, "tree", False)
        rise = tree.prices[: 8 - n].sum()
        assert cut.bic_ == pytest.approx(words.bic_ + rise, abs=1e-3)

    def test_bic_of_a_cut_is_no_lower_than_of_the_fit_from_it(self, words, corpus):
        cut, fitted = words.at(3), words.at(3, corpus)
        assert fitted.converged_
        assert fitted.bic_ <= cut.bic_ + 1e-6

    def test_documents_keep_their_topics(self, words, tree):
        cut = words.at(3)
        np.testing.assert_allclose(
            cut.topic_proportions_.toarray(),
            tree.fold(words.topic_proportions_, 3).toarray(),
        )
        np.testing.assert_allclose(
            cut.topic_mass_, np.bincount(tree.cut(3), words.topic_mass_)
        )

    def test_words_of_a_cut_sum_to_one(self, words):
        np.testing.assert_allclose(words.at(3).components_.sum(axis=1), 1.0)

    def test_a_cut_can_be_used_and_saved(self, words, corpus, tmp_path):
        cut = words.at(3)
        cut.save(tmp_path / "cut.zip")
        again = ParsimoniousTopicModel.load(tmp_path / "cut.zip")
        np.testing.assert_array_equal(again.transform(corpus), cut.transform(corpus))
        assert len(again.topic_names) == 3

    def test_themes_are_cut_at_their_topics(self, model):
        n = min(model.finer_.n_topics_, model.n_topics_ + 1)
        if n not in {row["n_topics"] for row in model.path_}:
            assert model.at(n).evidence == "words"
        assert model.at(2).n_topics_ == 2

    @pytest.mark.parametrize("n", [1, 9, 2.0, True, "3"])
    def test_no_such_number(self, words, n):
        with pytest.raises(
            ValueError, match="n_topics must be from 2 to 8, the numbers"
        ):
            words.at(n)
