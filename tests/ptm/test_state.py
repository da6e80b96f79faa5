import numpy as np
import pytest
from scipy import sparse
from tests import reference
from tests.ptm.instances import csr, random_state

from leantopics.engine.threads import Inline
from leantopics.models.shards import cut_shards
from leantopics.ptm import state
from leantopics.ptm.census import count, prices
from leantopics.ptm.kernels.arrays import Salient
from leantopics.ptm.moves import rearrange


def random_parameters(seed, *, cut=5, **options):
    """A random state as the package keeps it, its documents in two shards."""
    counts, model = random_state(seed, **options)
    data = state.prepare(csr(counts))
    lengths = counts.sum(axis=1)
    data = data._replace(
        groups=[
            state.Documents(
                [reference.counts_of(counts[:cut]), reference.counts_of(counts[cut:])],
                [lengths[:cut], lengths[cut:]],
            )
        ],
        sizes=[[cut, len(counts) - cut]],
    )
    mixes = [
        reference.mixes_of(model.v[rows], model.alpha[rows])
        for rows in (slice(0, cut), slice(cut, None))
    ]
    topics = [state.unknown(mixes)]
    return counts, model, data, state.Parameters(reference.salient_of(model), topics)


@pytest.mark.parametrize("fractional", [False, True])
def test_prepare(fractional):
    counts, _ = random_state(0, fractional=fractional)
    data = state.prepare(csr(counts))
    assert (data.n_docs, data.n_words) == counts.shape
    np.testing.assert_array_equal(reference.dense_data(data), counts)
    lengths = [part for group in data.groups for part in group.open().length]
    np.testing.assert_allclose(np.concatenate(lengths), counts.sum(axis=1))
    beta0 = reference.shared_model(counts)
    np.testing.assert_allclose(data.shared.beta0, beta0)
    base = (counts.sum(axis=0) * np.log(beta0)).sum()
    assert data.base_log_likelihood == pytest.approx(base)


def test_prepare_with_a_word_that_no_document_has():
    counts = np.array([[2.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    data = state.prepare(csr(counts))
    assert data.shared.beta0.tolist() == [0.75, 0.0, 0.25]
    assert np.isfinite(data.base_log_likelihood)


def test_shared_model_in_order():
    beta0 = np.array([0.1, 0.3, 0.1, 0.2, 0.3])
    ours, theirs = state.share(beta0), reference.shared_of(beta0)
    assert ours.order.tolist() == theirs.order.tolist() == [1, 4, 3, 0, 2]
    np.testing.assert_array_equal(ours.sorted_beta0, theirs.sorted_beta0)
    np.testing.assert_allclose(ours.cumulated, theirs.cumulated)


@pytest.mark.parametrize("entries", [1, 7, 50, 1000])
def test_shards_hold_all_documents_in_order(monkeypatch, entries):
    monkeypatch.setattr("leantopics.models.shards.SHARD_ENTRIES", entries)
    counts, _ = random_state(1, n_docs=40)
    counts[7] = 0.0
    counts[7, 3] = 1.0
    shards = cut_shards(csr(counts))
    dense = [reference.dense_counts(shard, counts.shape[1]) for shard in shards]
    np.testing.assert_array_equal(np.vstack(dense), counts)
    assert all(len(part) > 0 for part in dense)
    assert all(shard.indptr[0] == 0 for shard in shards)
    if entries == 1:
        assert len(shards) == 40
    if entries == 1000:
        assert len(shards) == 1


def test_shards_keep_the_types_of_the_kernels():
    counts = sparse.csr_array(np.eye(4, dtype=np.int64))
    (shard,) = cut_shards(counts)
    assert [part.dtype for part in shard] == [np.int64, np.int32, np.float64]


@pytest.mark.parametrize("seed", range(3))
def test_word_major(seed):
    counts, model = random_state(seed, length=8.0)
    salient = reference.salient_of(model)
    # Stored entries that look like nothing: beta = beta0, and beta = 0.
    excess = salient.excess.copy()
    excess[0], excess[-1] = 0.0, -1.0
    salient = salient._replace(excess=excess)
    # The words of a topic come in no order.
    shuffle = np.concatenate(
        [
            low + np.random.default_rng(seed).permutation(high - low)
            for low, high in zip(salient.indptr[:-1], salient.indptr[1:], strict=True)
        ]
    )
    shuffled = salient._replace(
        word=salient.word[shuffle], excess=salient.excess[shuffle]
    )
    table = state.word_major(shuffled, counts.shape[1])
    u, over = reference.dense_table(table, len(model.u))
    assert (u == model.u).all()
    np.testing.assert_array_equal(
        over, reference.dense_salient(salient, counts.shape[1])[1]
    )
    assert table.indptr[-1] == model.u.sum()
    for n in range(counts.shape[1]):
        falling = table.excess[table.indptr[n] : table.indptr[n + 1]]
        assert (np.diff(falling) <= 0).all()
    assert (over == -1.0).any()


def test_word_major_of_words_without_topics():
    nothing = Salient(np.array([0, 1]), np.array([2], np.int32), np.array([0.5]))
    table = state.word_major(nothing, 5)
    assert table.indptr.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("seed", range(3))
def test_prices_and_mass(seed):
    counts, model, data, parameters = random_parameters(
        seed, topics_per_doc=2.5, fractional=True
    )
    census = count(data, parameters, Inline())
    ours = prices(parameters.salient, census)
    theirs = reference.prices_of(reference.topic_prices(counts, model))
    for name, value in ours._asdict().items():
        np.testing.assert_allclose(value, getattr(theirs, name), atol=1e-12)
    mass = rearrange.topic_mass(data, parameters, Inline())
    np.testing.assert_allclose(mass, counts.sum(axis=1) @ model.alpha)
    present = model.v.sum(axis=1)
    assert census.with_topics.tolist() == np.bincount(present, minlength=6).tolist()
    spread = ((present - 1) * np.log(counts.sum(axis=1) / (2 * np.pi))).sum()
    assert sum(census.proportions) == pytest.approx(spread)


def test_single_topics():
    v, alpha = reference.dense_mixes(state.single_topics(np.array([2, 0, 2])), 3)
    assert v.tolist() == [
        [False, False, True],
        [True, False, False],
        [False, False, True],
    ]
    np.testing.assert_array_equal(alpha, v.astype(float))


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 2, 0, 1, 3], [3, 1], [2]])
@pytest.mark.parametrize("seed", range(3))
def test_renumber(seed, order):
    _, model, data, parameters = random_parameters(seed, topics_per_doc=2.5)
    kept = rearrange.renumber(data, parameters, np.array(order), Inline())
    assert kept.n_topics == len(order)
    ours = reference.dense_model(data, kept)
    assert (ours.v == model.v[:, order]).all()
    assert (ours.u == model.u[order]).all()
    np.testing.assert_allclose(ours.beta, model.beta[order])
    alpha = model.alpha[:, order]
    total = alpha.sum(axis=1, keepdims=True)
    some = ours.v.any(axis=1)
    np.testing.assert_allclose(
        ours.alpha[some], (alpha / np.where(total, total, 1))[some]
    )
    for mixes in reference.all_mixes(kept.topics):
        for low, high in zip(mixes.indptr[:-1], mixes.indptr[1:], strict=True):
            assert (np.diff(mixes.topic[low:high]) > 0).all()


def test_renumber_leaves_the_bits_of_documents_that_lose_nothing():
    *_, data, parameters = random_parameters(0, topics_per_doc=2.5)
    order = np.array([4, 3, 2, 1, 0])
    there = rearrange.renumber(data, parameters, order, Inline())
    back = rearrange.renumber(data, there, order, Inline())
    pairs = map(reference.all_mixes, (back.topics, parameters.topics))
    for ours, before in zip(*pairs, strict=True):
        np.testing.assert_array_equal(ours.alpha, before.alpha)
        np.testing.assert_array_equal(ours.topic, before.topic)
    np.testing.assert_array_equal(back.salient.excess, parameters.salient.excess)
    np.testing.assert_array_equal(back.salient.word, parameters.salient.word)


def test_renumber_when_only_topics_without_share_remain():
    mixes = reference.mixes_of(
        np.array([[True, True, True]]), np.array([[1.0, 0.0, 0.0]])
    )
    salient = Salient(np.arange(4), np.zeros(3, np.int32), np.zeros(3))
    data = state.prepare(csr(np.ones((1, 1))))
    parameters = state.Parameters(salient, [state.unknown([mixes])])
    kept = rearrange.renumber(data, parameters, np.array([1, 2]), Inline())
    assert kept.topics[0].mixes[0].alpha.tolist() == [0.5, 0.5]
