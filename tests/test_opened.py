"""Corpora whose counts stay on disk."""

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from leantopics import Corpus, ParsimoniousTopicModel, make_corpus, read_corpus
from leantopics.evaluation import coherence, top_words
from leantopics.ptm import state


@pytest.fixture(scope="module")
def corpus():
    made, _ = make_corpus(400, 300, 5, salient_per_topic=30, boost=5, doc_length=60)
    counts = sparse.vstack([made.counts, sparse.csr_array((3, 300)), made.counts[:50]])
    names = [f"d{d}" for d in range(counts.shape[0])]
    fields = [{"year": d % 7} for d in range(counts.shape[0])]
    labels = [["odd"] if d % 2 else [] for d in range(counts.shape[0])]
    return Corpus(counts, made.vocabulary, names, labels, fields, names)


@pytest.fixture
def place(corpus, tmp_path):
    corpus.save(tmp_path / "c")
    return tmp_path / "c"


def test_all_is_there(corpus, place):
    opened = Corpus.open(place)
    assert opened.is_on_disk
    assert not corpus.is_on_disk
    assert repr(opened) == repr(corpus)
    for name in ("vocabulary", "ids", "labels", "metadata", "texts"):
        assert getattr(opened, name) == getattr(corpus, name)
    for name in ("data", "indices", "indptr"):
        ours, theirs = (getattr(each.counts, name) for each in (opened, corpus))
        np.testing.assert_array_equal(ours, theirs)
    some = opened.select([3, 1])
    assert (some.ids, some.is_on_disk) == (["d3", "d1"], False)
    assert read_corpus(place).is_on_disk
    assert len(read_corpus(place, where={"year": "3"})) == 65


def test_the_same_model_as_in_memory(monkeypatch, corpus, place):
    monkeypatch.setattr(state, "GROUP_ENTRIES", 2000)
    monkeypatch.setattr(state, "SHARD_ENTRIES", 300)
    assert len(state.prepare(corpus.counts).groups) > 8
    opened = Corpus.open(place)
    models = [
        ParsimoniousTopicModel(max_topics=8, random_state=0, n_jobs=n_jobs).fit(given)
        for given, n_jobs in ((corpus, 1), (opened, 1), (opened, 2))
    ]
    for model in models[1:]:
        assert model.bic_ == models[0].bic_
        assert model.fingerprint_ == models[0].fingerprint_
        for name in ("topic_proportions_", "salient_word_prob_", "salience_"):
            ours, theirs = (getattr(each, name) for each in (model, models[0]))
            assert ours.data.tobytes() == theirs.data.tobytes()
            assert ours.indices.tobytes() == theirs.indices.tobytes()
        assert model.is_fitted_to(corpus)
        assert np.array_equal(model.transform(opened), models[0].transform(corpus))
        assert model.score(opened) == models[0].score(corpus)
        tops = top_words(model.components_)
        first, second = (coherence(tops, each.counts) for each in (opened, corpus))
        assert first.by_topic.tolist() == second.by_topic.tolist()
    few = sparse.csr_array(opened.counts[:30])
    whole = [models[0].explain(each)[7].share.tolist() for each in (opened, few)]
    assert whole[0] == whole[1]


def test_parts_of_a_transform_are_as_documents_alone(monkeypatch, corpus):
    model = ParsimoniousTopicModel(5, random_state=0).fit(corpus)
    whole, score = model.transform(corpus), model.score(corpus)
    monkeypatch.setattr(state, "GROUP_ENTRIES", 500)
    assert np.array_equal(model.transform(corpus), whole)
    assert model.score(corpus) == pytest.approx(score, rel=1e-12)


CHANGES = {
    "counts that are finite": ("data", lambda a: np.where(a == a[5], np.nan, a)),
    "counts that are finite and": ("data", lambda a: -a),
    "words of the vocabulary": ("indices", lambda a: a + 200),
    "the words of each document": ("indices", lambda a: a[::-1]),
    "the documents in order": ("indptr", lambda a: np.roll(a[1:-1], 1).tolist()),
    "as many counts": ("indptr", lambda a: a // 2),
}


@pytest.mark.parametrize("told", CHANGES)
def test_counts_that_make_no_sense_are_refused(place, told):
    name, change = CHANGES[told]
    array = np.load(place / f"{name}.npy")
    inner = array[1:-1] if told == "the documents in order" else array
    inner[:] = change(array)
    np.save(place / f"{name}.npy", array)
    with pytest.raises(ValueError, match="SHA-256"):
        Corpus.open(place)
    with pytest.raises(ValueError, match=told):
        Corpus.open(place, check=False)


def test_other_faults(corpus, place, tmp_path):
    corpus.save(tmp_path / "c.zip")
    with pytest.raises(ValueError, match=r"c\.zip must be a folder"):
        Corpus.open(tmp_path / "c.zip")
    assert not read_corpus(tmp_path / "c.zip").is_on_disk
    (place / "ids.json").write_text(json.dumps(["x"] * len(corpus)))
    with pytest.raises(ValueError, match=r"ids\.json is damaged"):
        Corpus.open(place)
    with open(place / "data.npy", "ab") as out:
        out.write(b"more")
    with pytest.raises(ValueError, match=r"data\.npy is damaged: it has"):
        Corpus.open(place, check=False)
    with pytest.raises(FileNotFoundError, match="nothing saved"):
        Corpus.open(tmp_path)


PROGRAM = """
import sys
from leantopics import Corpus, ParsimoniousTopicModel

def anonymous():
    with open("/proc/self/status") as lines:
        (found,) = (line for line in lines if line.startswith("RssAnon"))
    return int(found.split()[1]) * 1024

few = Corpus.open(sys.argv[1] + "/few")
ParsimoniousTopicModel(3, random_state=0, max_iter=5).fit(few)
before, seen = anonymous(), []
many = Corpus.open(sys.argv[1] + "/many")
model = ParsimoniousTopicModel(
    3, random_state=0, callback=lambda step: seen.append(anonymous()) or len(seen) > 2
)
model.fit(many).transform(many)
print(max(*seen, anonymous()) - before, many.counts.data.nbytes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_counts_take_no_memory(tmp_path):
    made, _ = make_corpus(400, 2000, 3, doc_length=3000, salient_per_topic=60, boost=4)
    made.save(tmp_path / "few")
    many = sparse.vstack([made.counts] * 40)
    Corpus(many, made.vocabulary).save(tmp_path / "many")
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    taken, size = map(int, ran.stdout.split())
    assert size > 1e8
    assert taken < size / 2
