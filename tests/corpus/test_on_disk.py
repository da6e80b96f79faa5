"""Corpora whose counts stay on disk."""

import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from leantopics import LDA, Corpus, ParsimoniousTopicModel, make_corpus, read_corpus
from leantopics.analysis.scoring import evaluate
from leantopics.corpus import rows, validation
from leantopics.evaluation import coherence, top_words
from leantopics.io.writers import write_corpus
from leantopics.models import shards
from leantopics.ptm import state
from leantopics.report import summarise
from leantopics.storage import mapped
from leantopics.text.convert import convert_corpus


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
        assert list(getattr(opened, name)) == getattr(corpus, name)
    for name in ("data", "indices", "indptr"):
        ours, theirs = (getattr(each.counts, name) for each in (opened, corpus))
        np.testing.assert_array_equal(ours, theirs)
    some = opened.select([3, 1])
    assert (some.ids, some.is_on_disk) == (["d3", "d1"], False)
    assert read_corpus(place).is_on_disk
    assert len(read_corpus(place, where={"year": "3"})) == 65


def test_the_same_model_as_in_memory(monkeypatch, corpus, place):
    monkeypatch.setattr(state, "GROUP_ENTRIES", 2000)
    monkeypatch.setattr(shards, "SHARD_ENTRIES", 300)
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
    "the documents": ("indptr", lambda a: a // 2),
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
    with pytest.raises(FileNotFoundError, match="is not a saved"):
        Corpus.open(tmp_path)


def test_another_vocabulary_stays_on_disk_too(monkeypatch, corpus, place):
    monkeypatch.setattr(rows, "PART_ENTRIES", 700)
    opened = Corpus.open(place)
    words = ["new", *corpus.vocabulary[::-2]]
    ours, theirs = opened.align(words), corpus.align(words)
    assert (ours.is_on_disk, theirs.is_on_disk) == (True, False)
    expected = corpus.counts.toarray()[:, ::-2]
    for found in (ours, theirs):
        assert found.vocabulary == words
        assert found.ids == corpus.ids and list(found.texts) == corpus.texts
        assert np.array_equal(found.counts.toarray()[:, 1:], expected)
        assert not found.counts[:, [0]].nnz
        assert found.counts.has_canonical_format
    assert opened.vocabulary == corpus.vocabulary
    assert np.array_equal(opened.counts.toarray(), corpus.counts.toarray())
    nothing = opened.align(["new"])
    assert (nothing.counts.nnz, nothing.n_docs) == (0, len(corpus))
    with pytest.raises(ValueError, match="must not repeat words, got 'new' twice"):
        opened.align(["new", "new"])


def test_parts_do_not_change_what_is_measured_and_reported(monkeypatch, corpus, place):
    for model in (
        ParsimoniousTopicModel(5, random_state=0),
        LDA(5, random_state=0, max_iter=20),
    ):
        model.fit(corpus)
        whole = evaluate(model, corpus)
        with monkeypatch.context() as patch:
            patch.setattr(rows, "PART_ENTRIES", 700)
            assert len([*rows.row_parts(corpus.counts)]) > 20
            for given in (corpus, Corpus.open(place)):
                found = evaluate(model, given)
                assert list(found) == list(whole)
                for name, value in whole.items():
                    if not isinstance(value, str):
                        value = pytest.approx(value, rel=1e-9)
                    assert found[name] == value, name
    model = ParsimoniousTopicModel(5, random_state=0).fit(corpus)
    page = summarise(model, corpus)
    monkeypatch.setattr(rows, "PART_ENTRIES", 700)
    assert summarise(model, Corpus.open(place)) == page


PROGRAM = """
import sys, threading, time
from leantopics import Corpus, ParsimoniousTopicModel
from leantopics.corpus import rows, validation
from leantopics.ptm import state
from leantopics.analysis.scoring import evaluate
from leantopics.report import summarise
from leantopics.storage import mapped

rows.PART_ENTRIES = state.GROUP_ENTRIES = 1 << 16

def anonymous():
    with open("/proc/self/status") as lines:
        (found,) = (line for line in lines if line.startswith("RssAnon"))
    return int(found.split()[1]) * 1024

def peak(work, corpus):
    seen, done = [anonymous()], []
    def sample():
        while not done:
            seen.append(anonymous())
            time.sleep(0.002)
    sampler = threading.Thread(target=sample)
    sampler.start()
    try:
        work(corpus)
    finally:
        done.append(True)
        sampler.join()
    return max(seen) - seen[0]

settings = {"random_state": 0, "max_iter": 2, "sparse_output": True, "step": 1}
settings |= {"evidence": "words", "max_topics": 3, "min_topics": 3}
few = Corpus.open(sys.argv[1] + "/few")
model = ParsimoniousTopicModel(**settings).fit(few)
words = few.vocabulary[::-1]
works = {
    "fit": lambda corpus: ParsimoniousTopicModel(**settings).fit(corpus),
    "transform": model.transform,
    "transform of other words": lambda corpus: model.transform(corpus.align(words)),
    "evaluate": lambda corpus: evaluate(model, corpus),
    "report": lambda corpus: summarise(model, corpus),
}
for name, work in works.items():
    work(few)
    peaks = [peak(work, Corpus.open(sys.argv[1] + each)) for each in ("/few", "/many")]
    print(*peaks, name)
"""
BY_DOCUMENT = 400
"""Bytes of memory for each document: 12 for each of its topics, its name where names
are shown, and in a fit what is known of it. A copy of its counts is 20 times that."""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_ten_times_the_documents_take_little_more_memory(tmp_path):
    made, _ = make_corpus(400, 4000, 3, doc_length=3000, salient_per_topic=60, boost=4)
    made.save(tmp_path / "few")
    Corpus(sparse.vstack([made.counts] * 10), made.vocabulary).save(tmp_path / "many")
    counts = Corpus.open(tmp_path / "many").counts
    copied = counts.data.nbytes + counts.indices.nbytes
    assert copied > 20 * BY_DOCUMENT * counts.shape[0]
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = [line.split(maxsplit=2) for line in ran.stdout.splitlines()]
    assert len(found) == 5
    for few, many, name in found:
        more = int(many) - int(few)
        assert more < BY_DOCUMENT * counts.shape[0] + copied / 10, (name, found)


def is_mapped(array):
    """Whether an array is where it was saved, and not a copy in memory."""
    while array.base is not None and not isinstance(array, np.memmap):
        array = array.base
    return isinstance(array, np.memmap)


def test_texts_and_fields_stay_on_disk(tmp_path):
    texts = [
        f'{d} "quoted" \\ back, caf\u00e9 \ud800 [{"x" * 2000}' for d in range(1000)
    ]
    fields = [{"n": d, "note": "y" * 1000} for d in range(1000)]
    corpus = Corpus(np.ones((1000, 1)), texts=texts, metadata=fields)
    corpus.save(tmp_path / "c")
    tracemalloc.start()
    opened = Corpus.open(tmp_path / "c", check=False)
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    assert "with metadata, texts" in repr(opened)
    some = opened.select([7, 999])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (some.texts, some.metadata) == (
        [texts[7], texts[999]],
        [fields[7], fields[999]],
    )
    assert peak - before < 300_000
    assert opened.texts[-1:] == texts[-1:]
    assert list(opened.texts) == texts
    corpus.select([0]).save(tmp_path / "c")
    assert opened.texts[3] == texts[3]


def test_texts_that_are_fewer_than_told(tmp_path):
    Corpus([[1], [2]], texts=["a", "b"]).save(tmp_path / "c")
    (tmp_path / "c" / "texts.json").write_bytes(b'["a b c"  ]'[:10])
    with pytest.raises(ValueError, match="damaged: it has 1 strings"):
        Corpus.open(tmp_path / "c", check=False).texts[0]


def test_many_stored_counts_have_wide_numbers(monkeypatch, tmp_path):
    corpus, _ = make_corpus(60, 90, 3)
    plain = ParsimoniousTopicModel(3, random_state=0).fit(corpus)
    monkeypatch.setattr(validation, "MANY_STORED", 100)
    corpus.save(tmp_path / "saved")
    write_corpus(corpus, tmp_path / "c.ldac")
    convert_corpus(tmp_path / "c.ldac", tmp_path / "converted")
    for name in ("saved", "converted"):
        opened = Corpus.open(tmp_path / name)
        assert opened.counts.indices.dtype == opened.counts.indptr.dtype == np.int64
        assert is_mapped(opened.counts.indices)
        fitted = ParsimoniousTopicModel(3, random_state=0).fit(opened)
        assert fitted.bic_ == plain.bic_
        some = opened.align(opened.vocabulary[::2])
        assert some.is_on_disk
        assert (some.counts != corpus.counts[:, ::2]).nnz == 0
    monkeypatch.undo()
    fewer = Corpus.open(tmp_path / "saved")
    assert is_mapped(fewer.counts.indices)
    assert ParsimoniousTopicModel(3, random_state=0).fit(fewer).bic_ == plain.bic_


def test_an_opened_corpus_stays_as_it_is_when_another_takes_its_place(tmp_path):
    names = ["ids", "labels", "metadata", "texts", "vocabulary"]

    def corpus(letter):
        many = {name: [letter, letter] for name in ("ids", "labels", "texts")}
        words = [letter, f"{letter}!"]
        return Corpus([[1, 0], [0, 2]], words, **many, metadata=[{"of": letter}] * 2)

    corpus("a").save(tmp_path / "c")
    opened = Corpus.open(tmp_path / "c")
    corpus("b").save(tmp_path / "c")
    for name in names:
        assert list(getattr(opened, name)) == list(getattr(corpus("a"), name)), name


@pytest.mark.parametrize("check", [True, False])
def test_a_corpus_that_is_replaced_while_it_is_opened(tmp_path, monkeypatch, check):
    Corpus([[1, 0]], ["a", "b"]).save(tmp_path / "c")
    real, done = mapped.data_offset, []

    def replaced(*given):
        if not done:
            done.append(True)
            Corpus([[0, 1]], ["c", "d"]).save(tmp_path / "c")
        return real(*given)

    monkeypatch.setattr(mapped, "data_offset", replaced)
    opened = Corpus.open(tmp_path / "c", check=check)
    assert done
    assert (opened.vocabulary, opened.counts.toarray().tolist()) == (
        ["c", "d"],
        [[0, 1]],
    )
