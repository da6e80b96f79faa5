"""What notebooks show: without one, and in a real one."""

import re
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

from leantopics import LDA, Corpus, ParsimoniousTopicModel, load_model
from leantopics.ptm.stability import Stability

TAG = re.compile(r"<[^>]*>")


@pytest.fixture(scope="module")
def themed(fitted):
    """A model with themes, some of them named by hand."""
    model = ParsimoniousTopicModel(6, random_state=0).fit(fitted[1]).coarsen(fitted[1])
    model.topic_names = [f"My <theme> {k}" for k in range(model.n_topics_)]
    return model


def page(shown):
    """The HTML of an object, sound and small enough for one screen."""
    html = shown._repr_mimebundle_()["text/html"] if hasattr(
        shown, "_repr_mimebundle_"
    ) else shown._repr_html_()  # fmt: skip
    assert "<script" not in html
    assert "http" not in html
    assert html.count("class='row'") + html.count("<details>") < 120
    return html


def test_a_model_is_a_small_page_with_names_given_by_hand(themed):
    html = page(themed)
    assert html.count("My &lt;theme&gt;") == min(themed.n_topics_, 12)
    assert f"made of {themed.finer_.n_topics_} topic" in html
    assert html.count("<details>") == len(set(themed.parents_))


def test_topics_without_themes_and_a_number_that_was_given(fitted):
    html = page(fitted[0])
    assert "<details>" not in html
    assert html.count("<svg") == 1
    assert f"{fitted[0].n_topics_} has the lowest" in html
    assert "this model has 3." in page(fitted[0].at(3))
    one = ParsimoniousTopicModel(2, random_state=0).fit(fitted[1])
    assert "The number of topics was given." in page(one)
    assert "<svg" not in page(one)


def test_other_models_show_their_topics(fitted):
    html = page(LDA(3, random_state=0).fit(fitted[1]))
    assert html.count("class='row'") == 3
    assert "3 topics in 60 documents." in html


def test_hostile_words_and_names_are_only_text(hostile):
    model, corpus = hostile
    for each in (model, corpus, model.hierarchy()):
        assert "<script" not in page(each)
        assert "<img" not in page(each)
        assert "<svg onload" not in page(each)


def test_a_corpus_shows_its_beginning(fitted, tmp_path):
    corpus = fitted[1]
    html = page(corpus)
    assert "60 documents" in html
    assert "with labels, texts" in html
    assert corpus.ids[4] in html
    assert corpus.texts[4][:50] in html
    assert "and 55 more" in html
    corpus.save(tmp_path / "corpus")
    assert "on disk" in page(Corpus.open(tmp_path / "corpus"))
    assert "0 documents" in page(corpus.select([]))


def test_a_corpus_whose_files_are_gone_is_still_shown(tmp_path):
    from leantopics import read_corpus

    file = tmp_path / "texts.txt"
    file.write_text("a cat and a dog\na dog\n")
    corpus = read_corpus(file)
    assert "a cat and" in page(corpus)
    file.unlink()
    assert "2 documents" in page(corpus)


def test_hierarchy_and_stability(themed, fitted):
    tree = themed.hierarchy()
    html = page(tree)
    assert f"{tree.n_topics} topic" in html
    assert html.count("My &lt;theme&gt;") == themed.n_topics_
    found = ParsimoniousTopicModel(2, random_state=0).fit(fitted[1])
    stable = found.measure_stability(fitted[1], repeats=2)
    assert isinstance(stable, Stability)
    assert "2 repeats with other starts: 2 of 2 topics" in page(stable)


def test_an_unfitted_model_shows_its_settings():
    shown = ParsimoniousTopicModel(max_topics=7)._repr_mimebundle_()
    assert "max_topics=7" in shown["text/plain"]
    assert "class='leantopics'" not in shown["text/html"]


def test_topics_are_a_table(themed, fitted):
    table = themed.topics_frame()
    assert isinstance(table, pd.DataFrame)
    assert table["name"].tolist() == themed.topic_names
    assert table["share"].sum() == pytest.approx(1.0)
    fine = themed.topics_frame(level="topics", n_words=3)
    assert fine["theme"].tolist() == themed.parents_.tolist()
    assert fine["theme_name"][0] == themed.topic_names[themed.parents_[0]]
    assert all(len(words.split()) == 3 for words in fine["words"])
    model = fitted[0].at(2)
    assert len(model.topics_frame(level=2)) == 2
    model.measure_stability(fitted[1], repeats=1)
    assert model.topics_frame()["agreement"].between(0, 1).all()
    with pytest.raises(ValueError, match="needs a model with themes"):
        model.topics_frame(level="themes")
    with pytest.raises(ValueError, match=r"Got 'theme' instead"):
        model.topics_frame(level="theme")


def test_documents_are_a_table(themed, fitted):
    corpus = fitted[1]
    table = themed.documents_frame(corpus)
    assert table["document"].tolist() == list(corpus.ids)
    shares = themed.topic_proportions_.toarray()
    assert table["topic"].tolist() == shares.argmax(axis=1).tolist()
    assert table["share"].tolist() == pytest.approx(shares.max(axis=1).tolist())
    assert table["labels"].tolist() == [label for (label,) in corpus.labels]
    assert corpus.texts[0].startswith(table["text"][0])
    fine = themed.documents_frame(corpus, level="topics")
    above = [themed.topic_names[themed.parents_[j]] for j in fine["topic"]]
    assert fine["theme_name"].tolist() == above
    alone = themed.documents_frame()
    assert alone["topic"].tolist() == table["topic"].tolist()
    new = themed.documents_frame(["boats and waves", "paths and trees"])
    assert len(new) == 2


def test_a_report_is_one_line(fitted, tmp_path):
    model, corpus = fitted
    written = model.report(tmp_path / "page.html", corpus, title="Mine")
    html = written.read_text(encoding="utf-8")
    assert "<title>Mine</title>" in html
    assert corpus.ids[0] in html
    shown = model.show(corpus, title="Mine", height=300)
    assert shown.html == html
    assert "height:300px" in shown._repr_html_()
    assert "characters" in repr(shown)
    texts = model.report(tmp_path / "texts.html", ["boats and zzunknown"])
    assert "zzunknown" in texts.read_text(encoding="utf-8")
    with pytest.raises(TypeError, match="nonsense"):
        model.report(tmp_path / "page.html", corpus, nonsense=1)


CELLS = [
    "from tests.cli.runner import documents\n"
    "import leantopics\n"
    "records = list(documents(60))\n"
    "texts = [record['text'] for record in records]\n"
    "model = leantopics.fit_texts(texts, max_topics=6, evidence='bursts', n_jobs=1)\n"
    "model",
    "model.corpus_",
    "model.hierarchy()",
    "model.topics_frame()",
    "model.show()",
    "%matplotlib inline\nfrom leantopics import plot\nplot.themes(model);",
    "model.report('page.html'); model.save('model')",
]


def test_a_real_notebook_shows_all_of_it(tmp_path, monkeypatch):
    root = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", f"{root}/src:{root}")
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    client = NotebookClient(
        book, timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [
        next((o["data"] for o in cell.outputs if "data" in o), {})
        for cell in book.cells
    ]
    assert "in 60 documents" in shown[0]["text/html"]
    assert "60 documents" in shown[1]["text/html"]
    assert "in a tree" in shown[2]["text/html"]
    assert "dataframe" in shown[3]["text/html"]
    assert shown[4]["text/html"].startswith("<iframe")
    assert len(shown[5]["image/png"]) > 10_000
    assert (tmp_path / "page.html").stat().st_size > 10_000
    assert load_model(tmp_path / "model").topic_names
