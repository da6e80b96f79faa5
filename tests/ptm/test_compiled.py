"""The kernels are compiled, and do what they do as plain Python, bit for bit."""

import importlib
import subprocess
import sys
import threading
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import numpy as np
import pytest
from tests import reference
from tests.plain import run_plain
from tests.ptm.instances import random_state

import leantopics
from leantopics import _compiled
from leantopics.ptm.kernels import documents

PACKAGE = Path(leantopics.__file__).parent
KERNELS = sorted(
    ".".join(types.relative_to(PACKAGE.parent).with_suffix("").parts)
    for types in PACKAGE.rglob("*.pxd")
)


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_compiled(name):
    assert importlib.import_module(name).__file__.endswith(tuple(EXTENSION_SUFFIXES))


def test_kernels_that_are_not_compiled_are_refused(monkeypatch):
    monkeypatch.setattr(_compiled, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="must be compiled"):
        _compiled.require()


FITS = """
import sys, warnings
import numpy as np
from leantopics import LDA, ParsimoniousTopicModel, SparseTopicalCoding, make_corpus
from leantopics.baselines.lda_by_word import LDAByWord
from leantopics.evaluation import coherence
from leantopics.ptm.kernels import mixture

warnings.simplefilter("ignore")
assert mixture.__file__.endswith(".py") == (sys.argv[1] == "plain"), mixture.__file__
corpus, _ = make_corpus(40, 60, 3, topics_per_doc=2, doc_length=60, random_state=0)
found = {}
for name, settings in {
    "search": {},
    "published": {"procedure": "published", "max_topics": 5},
    "shared": {"n_topics": 3, "shared": "learned", "refine": 1},
    "switched": {"n_topics": 4, "prediction": "switched", "inference": "all"},
    "together": {
        "procedure": "published",
        "n_topics": 4,
        "prediction": "switched",
        "inference": "all",
    },
}.items():
    model = ParsimoniousTopicModel(random_state=0, **settings).fit(corpus)
    found[f"same {name} topics"] = model.components_
    found[f"same {name} path"] = [(row["n_topics"], row["bic"]) for row in model.path_]
    found[f"same {name} documents"] = model.transform(corpus)
    found[f"same {name} score"] = model.score(corpus)
found["same prices"] = model.hierarchy(corpus).prices
texts = [list(text) for text in ("abcabc", "bcdd", "acda", "a")]
found["same windows"] = coherence([["a", "b"], ["c", "d"]], texts, window=3).by_topic
for kind, most in ((LDA, 20), (LDAByWord, 3), (SparseTopicalCoding, 3)):
    model = kind(3, max_iter=most, random_state=0)
    name = f"near {kind.__name__}"
    found[name] = model.fit(corpus).components_
    found[f"{name} documents"] = model.transform(corpus)
np.savez(sys.argv[2], **found)
"""


def test_the_same_bits_as_plain_python(tmp_path):
    """Those of the baselines nearly: Python has its own gamma function and hypot."""
    run_plain(tmp_path, FITS, "plain", tmp_path / "plain.npz")
    program = [sys.executable, "-c", FITS, "compiled", tmp_path / "compiled.npz"]
    subprocess.run(program, check=True)
    plain, ours = np.load(tmp_path / "plain.npz"), np.load(tmp_path / "compiled.npz")
    assert set(ours) == set(plain)
    for name in ours:
        if name.startswith("same"):
            assert np.array_equal(ours[name], plain[name]), name
        else:
            np.testing.assert_allclose(ours[name], plain[name], rtol=1e-6, atol=1e-9)


def test_read_only_arrays_are_taken():
    """As those that are mapped from disk or come from another process."""
    counts, model = random_state(3, n_docs=30, topics_per_doc=2.0)
    prices = reference.prices_of(reference.topic_prices(counts, model))
    bundles = [
        reference.counts_of(counts),
        reference.salient_of(model),
        reference.table_of(model),
        prices,
    ]
    for bundle in bundles:
        for array in bundle:
            array.setflags(write=False)
    mixes = reference.mixes_of(model.v, model.alpha)
    changed, *_ = visit(bundles[0], mixes, *bundles[1:])
    assert len(changed)


def visit(counts, mixes, salient, table, prices):
    n_docs, n_topics = len(counts.indptr) - 1, len(prices.tokens)
    scratch = documents.scratch(counts, mixes, n_topics, len(table.indptr) - 1)
    values, quiet = np.zeros(n_docs), np.full(n_docs, -np.inf)
    return documents.visit(
        *(counts, mixes, salient, table, prices, False),
        *(values, quiet, np.zeros(4, np.int64), scratch),
    )


def test_other_threads_run_beside_a_kernel():
    counts, model = random_state(3, n_docs=3000, topics_per_doc=2.0)
    prices = reference.prices_of(reference.topic_prices(counts, model))
    shard, salient = reference.counts_of(counts), reference.salient_of(model)
    table, mixes = reference.table_of(model), reference.mixes_of(model.v, model.alpha)
    began, beside = threading.Event(), []

    def work():
        began.set()
        visit(shard, mixes, salient, table, prices)
        beside.append("the kernel is done")

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=work)
    try:
        sys.setswitchinterval(100.0)  # nobody is made to hand over the lock
        thread.start()
        began.wait()
        beside.append("this thread runs")
    finally:
        sys.setswitchinterval(interval)
    thread.join()
    assert beside == ["this thread runs", "the kernel is done"]
