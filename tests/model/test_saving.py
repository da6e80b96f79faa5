"""Models on disk: what comes back is what went in."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.model.recount import assert_same_fit

from leantopics import Corpus, ParsimoniousTopicModel


@pytest.fixture
def folder(model, tmp_path):
    model.save(tmp_path / "model")
    return tmp_path / "model"


def test_a_saved_model_comes_back_whole(model, folder, corpus):
    loaded = ParsimoniousTopicModel.load(folder)
    assert type(loaded) is ParsimoniousTopicModel
    assert_same_fit(model, loaded)
    assert loaded.get_params() == model.get_params()
    assert loaded.history_ == model.history_
    assert loaded.path_ == model.path_
    assert loaded.topic_names == model.topic_names
    assert np.array_equal(loaded.components_, model.components_)
    assert np.array_equal(loaded.transform(corpus), model.transform(corpus))
    assert loaded.score(corpus) == model.score(corpus)
    assert loaded.top_words(1, by="salience") == model.top_words(1, by="salience")
    assert loaded.documents(2) == model.documents(2)
    for row in model.path_:
        order = row["n_topics"]
        assert_same_fit(loaded.at(order), model.at(order))
        a, b = (m.at(order).transform(corpus) for m in (model, loaded))
        assert np.array_equal(a, b)


def test_a_saved_model_can_be_saved_again(folder, tmp_path, model):
    ParsimoniousTopicModel.load(folder).save(str(tmp_path / "again"))
    assert_same_fit(ParsimoniousTopicModel.load(tmp_path / "again"), model)


def test_nothing_in_the_folder_is_code(folder):
    suffixes = {file.suffix for file in folder.rglob("*") if file.is_file()}
    assert suffixes <= {".json", ".npy"}
    for file in folder.rglob("*.npy"):
        np.load(file, allow_pickle=False)
    for file in folder.rglob("*.json"):
        json.loads(file.read_text(encoding="utf-8"))


def test_topic_names_are_saved(folder):
    model = ParsimoniousTopicModel.load(folder)
    model.topic_names = ["nord", "öst", "süd", "west"]
    model.save(folder)
    assert ParsimoniousTopicModel.load(folder).topic_names == model.topic_names


def test_a_new_model_replaces_the_old_one(folder, corpus, tmp_path):
    other = ParsimoniousTopicModel(2, random_state=1).fit(corpus.counts[:40, :30])
    other.save(folder)
    assert_same_fit(ParsimoniousTopicModel.load(folder), other)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_feature_names_come_back(corpus, tmp_path):
    frame = pd.DataFrame(corpus.counts.toarray(), columns=corpus.vocabulary)
    model = ParsimoniousTopicModel(2, random_state=0).fit(frame)
    model.save(tmp_path / "m")
    loaded = ParsimoniousTopicModel.load(tmp_path / "m")
    assert list(loaded.feature_names_in_) == list(model.feature_names_in_)
    assert np.array_equal(loaded.transform(frame), model.transform(frame))
    assert list(loaded.at(2).feature_names_in_) == list(model.feature_names_in_)


def test_settings_that_are_no_json(corpus, tmp_path):
    model = ParsimoniousTopicModel(
        np.int64(2),
        tol=np.float32(0.01),
        random_state=np.random.RandomState(0),
        callback=lambda step: None,
    ).fit(corpus)
    model.save(tmp_path / "m")
    loaded = ParsimoniousTopicModel.load(tmp_path / "m")
    assert loaded.n_topics == 2
    assert loaded.tol == pytest.approx(0.01)
    assert loaded.random_state is None
    assert loaded.callback is None
    assert np.array_equal(loaded.transform(corpus), model.transform(corpus))


def test_a_state_made_elsewhere_can_be_saved(tmp_path):
    counts, one = np.array([[3.0, 1.0], [1.0, 3.0]]), np.ones((2, 1))
    beta = np.array([[0.6, 0.4]])
    model = ParsimoniousTopicModel.from_arrays(
        counts, one, beta, beta > 0, one, np.array([0.5, 0.5])
    )
    model.save(tmp_path / "m")
    assert_same_fit(ParsimoniousTopicModel.load(tmp_path / "m"), model)


def test_loading_something_else(corpus, tmp_path):
    load = ParsimoniousTopicModel.load
    with pytest.raises(FileNotFoundError, match="is not a saved model or corpus"):
        load(tmp_path)
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        load(tmp_path / "nowhere")
    corpus.save(tmp_path / "corpus")
    with pytest.raises(ValueError, match="must hold a model, but is a corpus"):
        load(tmp_path / "corpus")


def test_a_damaged_model(folder):
    file = max(folder.rglob("*.npy"), key=lambda file: file.stat().st_size)
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(ValueError, match="is damaged"):
        ParsimoniousTopicModel.load(folder)


def test_a_model_does_not_overwrite_other_things(model, corpus, tmp_path):
    corpus.save(tmp_path / "corpus")
    with pytest.raises(FileExistsError):
        model.save(tmp_path / "corpus")
    assert Corpus.load(tmp_path / "corpus").n_docs == corpus.n_docs
