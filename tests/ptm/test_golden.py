"""A state fitted by an independent program, whose terms were computed elsewhere."""

import lzma
import os
from pathlib import Path

import numpy as np
import pytest
from tests import reference
from tests.ptm.instances import csr

from leantopics.engine.threads import Inline
from leantopics.ptm import em, state
from leantopics.ptm.objective import WordPrior, total

FOLDER = (
    Path(os.environ.get("LEANTOPICS_DATA", "nowhere")).resolve().parent
    / "golden"
    / "reference-program"
)

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        "LEANTOPICS_DATA" not in os.environ or not FOLDER.is_dir(),
        reason="NOT RUN: set LEANTOPICS_DATA to the folder of the real corpora, with "
        "golden/reference-program next to it",
    ),
]

LOG_LIKELIHOOD = -289223.61166
TERMS = {
    "topic_switches": 3960.97792,
    "word_switches": 6938.75234,
    "word_switches_constant": -5.00149,
    "proportions": 191.62899,
    "word_probabilities": 7090.31925,
    "neg_log_likelihood": -LOG_LIKELIHOOD,
}
BIC = 307400.28867


def read(name):
    with lzma.open(FOLDER / f"{name}.xz", "rt") as lines:
        return np.loadtxt(lines)


@pytest.fixture(scope="module")
def golden():
    """Counts (D, N) and the dense model."""
    n_words = len((FOLDER / "vocab.txt").read_text().split())
    lines = (FOLDER / "corpus.ldac").read_text().splitlines()
    counts = np.zeros((len(lines), n_words))
    for row, line in zip(counts, lines, strict=True):
        for pair in line.split()[1:]:
            word, count = pair.split(":")
            row[int(word)] += float(count)
    logs, u = read("final.beta").T, read("final.u").T > 0
    beta = np.where(logs == 0.0, 0.0, np.exp(logs))
    v, alpha = read("final.v") > 0, read("final.alpha")
    return counts, reference.Model(alpha, v, beta[1:], u, beta[0])


def test_reference_agrees_with_the_readme(golden):
    counts, model = golden
    terms = reference.bic_terms(counts, model)
    assert terms == pytest.approx(TERMS, abs=1e-3)
    assert sum(terms.values()) == pytest.approx(BIC, abs=1e-3)
    assert model.v.sum(axis=1).mean() == pytest.approx(1.20968, abs=1e-5)
    assert model.u.sum(axis=1).mean() == 175.0
    assert model.u.any(axis=0).sum() == 890


def test_terms_of_the_golden_state(golden):
    counts, model = golden
    data = state.prepare(csr(counts))
    np.testing.assert_allclose(data.shared.beta0, model.beta0, rtol=1e-6)
    mixes = reference.mixes_of(model.v, model.alpha)
    topics = state.given_topics(data, *mixes)
    parameters = state.Parameters(reference.salient_of(model), topics)
    given = em.given(data, parameters, WordPrior(exact=False), Inline())
    assert given.terms._asdict() == pytest.approx(TERMS, abs=1e-3)
    assert -given.terms.neg_log_likelihood == pytest.approx(LOG_LIKELIHOOD, abs=1e-3)
    assert total(given.terms) == pytest.approx(BIC, abs=1e-3)
