import subprocess
import sys

import pytest

from leantopics.datasets import load_python_docs
from leantopics.datasets import python_docs as module
from leantopics.text import TextVectorizer


@pytest.fixture(scope="module")
def corpus():
    return load_python_docs()


def test_size(corpus):
    assert 3000 < corpus.n_docs < 6000
    assert 700_000 < corpus.n_tokens < 1_300_000
    assert 5_000 < corpus.n_words < 20_000
    assert len(corpus.texts) == corpus.n_docs


def test_names_that_were_switched_on_make_no_difference(corpus):
    from sklearn.experimental import (  # noqa: F401
        enable_halving_search_cv,
        enable_iterative_imputer,
    )

    assert load_python_docs().ids == corpus.ids
    assert not any(
        "Halving" in name or "IterativeImputer" in name for name in corpus.ids
    )


def test_documents_are_distinct_and_sorted(corpus):
    assert corpus.ids == sorted(set(corpus.ids))
    assert len(set(corpus.texts)) == corpus.n_docs
    assert min(len(text.split()) for text in corpus.texts) >= 20


def test_labels_are_package_areas(corpus):
    area = dict(zip(corpus.ids, corpus.labels, strict=True))
    assert area["numpy.linalg.svd"] == ["numpy.linalg"]
    assert area["scipy.signal.butter"] == ["scipy.signal"]
    assert area["sklearn.cluster.KMeans"] == ["sklearn.cluster"]
    assert area["sklearn.cluster.KMeans.fit"] == ["sklearn.cluster"]
    assert area["numpy.concatenate"] == ["numpy"]
    assert all(name.startswith(labels[0]) for name, labels in area.items())
    assert len({labels[0] for labels in area.values()}) > 40


def test_words_can_be_read(corpus):
    words = set(corpus.vocabulary)
    assert {"the", "eigenvalues", "samples", "csr"} <= words
    assert all(len(word) >= 3 and word.islower() for word in words if word.isascii())
    assert not any(c.isdigit() and c.isascii() for word in words for c in word)


def test_private_and_test_modules_stay_out(corpus):
    for name in corpus.ids:
        parts = name.split(".")
        assert not any(part.startswith("_") for part in parts)
        assert not {"tests", "conftest", "externals"} & set(parts)


def test_it_is_the_same_every_time(corpus):
    vectorizer = TextVectorizer(pattern="[a-z]{4,}", min_df=5)
    again = load_python_docs(vectorizer=vectorizer)
    assert again.ids == corpus.ids
    assert list(again.texts) == list(corpus.texts)
    assert again.n_words < corpus.n_words
    fitted = load_python_docs(vectorizer=vectorizer)
    assert fitted.vocabulary == again.vocabulary
    assert (fitted.counts != again.counts).nnz == 0


def test_a_module_that_does_not_import_is_skipped(monkeypatch, tmp_path):
    package = tmp_path / "halfbroken"
    package.mkdir()
    text = " ".join(f"word{i}" for i in range(30))
    (package / "__init__.py").write_text(f'def f():\n    """{text}"""\n')
    (package / "broken.py").write_text("import no_such_module_anywhere\n")
    (package / "old.py").write_text(
        "import warnings\nwarnings.warn('gone soon', DeprecationWarning)\n"
        "__all__ = ['refused', 'g']\n"
        "def __getattr__(name):\n    raise ImportError(name)\n"
        f'def g():\n    """    {text} more"""\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(module, "PACKAGES", ("halfbroken",))
    corpus = load_python_docs(vectorizer=TextVectorizer())
    assert corpus.ids == ["halfbroken.f", "halfbroken.old.g"]
    assert corpus.labels == [["halfbroken"], ["halfbroken.old"]]
    assert corpus.texts[1] == f"{text} more"


def test_importing_the_datasets_is_light():
    code = "import sys, leantopics.datasets; print({'sklearn'} & set(sys.modules))"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "set()"
