"""How texts were counted goes from the corpus to the model, on disk and in reports."""

import json

import pytest
from tests.cli.runner import documents, run
from tests.storage.toy import edit_manifest

from leantopics import (
    LDA,
    Corpus,
    ParsimoniousTopicModel,
    TextVectorizer,
    count_texts,
    load_model,
    read_corpus,
)
from leantopics.report import summarise
from leantopics.text import convert_corpus

TEXTS = [record["text"] for record in documents()]


@pytest.fixture
def file(tmp_path):
    lines = (json.dumps(record) + "\n" for record in documents())
    (tmp_path / "texts.jsonl").write_text("".join(lines))
    return tmp_path / "texts.jsonl"


def coloured(model, corpus):
    """Words that a report shows in the colour of a topic, where texts are shown."""
    shown = summarise(model, corpus)["documents"]
    assert shown["kind"] == "text"
    pieces = [piece for entry in shown["listed"] for piece in entry["pieces"]]
    return [piece[0] for piece in pieces if isinstance(piece, list)]


@pytest.mark.parametrize("way", ["list", "file", "convert", "load", "select"])
def test_a_report_colours_texts_with_no_further_line(way, file, tmp_path):
    if way == "list":
        corpus = count_texts(TEXTS)
    elif way == "file":
        corpus = read_corpus(file)
    elif way == "convert":
        convert_corpus(file, tmp_path / "saved")
        corpus = Corpus.open(tmp_path / "saved")
    elif way == "load":
        count_texts(TEXTS).save(tmp_path / "saved.zip")
        corpus = Corpus.load(tmp_path / "saved.zip")
    else:
        corpus = count_texts(TEXTS).select(range(20))
    model = ParsimoniousTopicModel(2, random_state=0).fit(corpus)
    assert set(coloured(model, corpus)) >= {"boats", "foxes"}
    model.save(tmp_path / "model")
    assert coloured(load_model(tmp_path / "model"), corpus) == coloured(model, corpus)


@pytest.mark.parametrize("cls", [LDA, ParsimoniousTopicModel])
def test_a_fit_takes_it_over_or_forgets_that_of_before(cls):
    corpus = count_texts(TEXTS)
    model = cls(1, random_state=0).fit(corpus)
    assert model.analyser_ == corpus.analyser
    assert model.fit(corpus.counts).analyser_ is None
    assert model.fit(Corpus(corpus.counts)).analyser_ is None


def test_texts_in_memory_are_counted_as_those_of_a_file(file):
    ours, theirs = count_texts(TEXTS), read_corpus(file)
    assert (ours.counts != theirs.counts).nnz == 0
    assert (ours.vocabulary, ours.analyser) == (theirs.vocabulary, theirs.analyser)
    assert ours.texts == list(theirs.texts) == TEXTS


def test_a_fitted_vectorizer_gives_its_vocabulary():
    vectorizer = TextVectorizer(stem="english").fit(["boats sail"])
    corpus = count_texts(iter(["sailing a boat", "wood"]), vectorizer=vectorizer)
    assert corpus.vocabulary == ["boat", "sail"]
    assert corpus.counts.toarray().tolist() == [[1, 1], [0, 0]]
    assert corpus.texts == ["sailing a boat", "wood"]


def test_one_string_is_not_a_list_of_texts():
    with pytest.raises(TypeError, match="sequence of strings, got one string"):
        count_texts("a text")


def test_another_vocabulary_counts_in_the_same_way():
    vectorizer = TextVectorizer(stem="english")
    corpus = count_texts(["running dogs run", "a cat"], vectorizer=vectorizer)
    moved = corpus.align(["cow", "run", "cat"])
    again = TextVectorizer.from_dict(moved.analyser)
    assert again.surface_forms_[1:] == ["run", "cat"]
    counted = again.transform(["cows and cats", *corpus.texts]).toarray()
    assert counted.tolist() == [[1, 0, 1], *moved.counts.toarray().tolist()]


def test_that_of_other_words_is_refused():
    analyser = count_texts(["cat dog"]).analyser
    message = r"must have the words of the vocabulary \(2\), but has others"
    with pytest.raises(ValueError, match=message):
        Corpus([[1, 2]], ["cat", "cow"], analyser=analyser)
    with pytest.raises(ValueError, match=message):
        Corpus([[1, 2]], ["cat", "dog"], analyser={**analyser, "surface_forms": []})


@pytest.mark.parametrize("read", [Corpus.load, lambda path: Corpus.open(path).analyser])
def test_a_saved_one_that_makes_no_sense_is_refused(read, tmp_path):
    count_texts(["cat dog"]).save(tmp_path / "saved")
    edit_manifest(
        tmp_path / "saved", lambda m: m["files"].pop("analyser_surface_forms")
    )
    with pytest.raises(ValueError, match="must be a complete corpus"):
        read(tmp_path / "saved")


def test_a_model_of_a_converted_corpus_reads_texts(file, tmp_path):
    saved, model = tmp_path / "saved", tmp_path / "model"
    assert run("convert", file, "-o", saved).exit_code == 0
    assert run("fit", saved, "-o", model, "--topics", "2", "--keep-text").exit_code == 0
    done = run("infer", model, "-", "--json", input="boats and waves\n")
    assert done.exit_code == 0, done.output
    direct = tmp_path / "direct"
    assert run("fit", file, "-o", direct, "--topics", "2").exit_code == 0
    same = run("infer", direct, "-", "--json", input="boats and waves\n")
    assert done.stdout == same.stdout
