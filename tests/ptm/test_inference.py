import numpy as np
import pytest
from tests import reference
from tests.ptm.instances import random_counts, random_state

from leantopics.ptm.kernels import inference


@pytest.mark.parametrize("length", [2, 30, 300])
@pytest.mark.parametrize("seed", range(4))
def test_all_topics_allowed(seed, length):
    """The best proportions on all topics, whatever the first; no topic twice."""
    counts, model = random_state(seed, n_topics=6)
    trace = 1e-6
    beta = np.where(model.u, (1 - trace) * model.beta + trace * model.beta0, 0.0)
    model = model._replace(beta=beta)
    rng = np.random.default_rng(seed)
    new, _ = random_counts(rng, 10, counts.shape[1], 6, length=length)
    first = rng.integers(6, size=10).astype(np.int32)
    values, bundle = np.empty(10), reference.counts_of(new)
    mixes = reference.DocTopics(
        *inference.spread(
            bundle,
            first,
            reference.salient_of(model),
            reference.table_of(model),
            values,
            inference.scratch(bundle, 6, new.shape[1]),
        )
    )
    v, alpha = reference.dense_mixes(mixes, 6)
    np.testing.assert_allclose(alpha.sum(axis=1), 1.0)
    assert (alpha[v] > 0).all()
    ratio = reference.ratios(model)
    for d, row in enumerate(new):
        best, _ = reference.best_proportions(row, ratio)
        assert values[d] == pytest.approx(best, abs=3e-6)
        seen = row > 0
        own = reference.mixture_value(row[seen], ratio[:, seen], alpha[d])
        assert own == pytest.approx(values[d], abs=1e-9)
