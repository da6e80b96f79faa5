"""What was saved in each version of the format is read, and predicts what it did."""

import json
import shutil
import warnings
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from tests.samples.make import FORMS, MODELS, documents
from tests.storage.toy import edit_manifest

from leantopics import (
    LDA,
    Corpus,
    ParsimoniousTopicModel,
    SparseTopicalCoding,
    TextVectorizer,
    load_model,
)
from leantopics.ptm.attached_texts import kept_corpus
from leantopics.storage import (
    FORMAT_VERSION,
    load_folder,
    map_folder,
    read_manifest,
    save_folder,
)
from leantopics.storage.manifest import SEALED

pytestmark = pytest.mark.filterwarnings("ignore:.* has format version:UserWarning")
SAMPLES = Path(__file__).parents[1] / "samples"
VERSIONS = range(1, FORMAT_VERSION + 1)


def places(*names):
    files = [f"{name}{form}" for name in names for form in FORMS]
    found = [Path(str(number), file) for number in VERSIONS for file in files]
    return [place for place in found if (SAMPLES / place).exists()]


@pytest.fixture(scope="module")
def corpus():
    return documents()


def test_all_versions_have_samples():
    wanted = {"corpus", *MODELS}
    found = {(place.parts[0], place.stem) for place in places(*wanted)}
    assert found == {(str(number), name) for number in VERSIONS for name in wanted}


@pytest.mark.parametrize("place", places("corpus"), ids=str)
def test_corpora(place, corpus):
    assert str(read_manifest(SAMPLES / place)["format_version"]) == place.parts[0]
    loaded = Corpus.load(SAMPLES / place)
    assert np.array_equal(loaded.counts.toarray(), corpus.counts.toarray())
    for name in ("vocabulary", "ids", "labels", "metadata", "texts"):
        assert getattr(loaded, name) == getattr(corpus, name)
    assert loaded.analyser == (corpus.analyser if place.parts[0] > "2" else None)


@pytest.mark.parametrize("place", places(*MODELS), ids=str)
def test_models(place, corpus):
    path, bare = SAMPLES / place, place.stem
    assert str(read_manifest(path)["format_version"]) == place.parts[0]
    model = load_model(path)
    assert type(model) is type(MODELS[bare])
    # Every word was evidence before there was a choice.
    before = {"evidence": "words"} if hasattr(MODELS[bare], "evidence") else {}
    assert model.get_params() == MODELS[bare].get_params() | before
    expected = json.loads((path.parent / "transform.json").read_text())[bare]
    np.testing.assert_allclose(model.transform(corpus), expected, rtol=1e-6, atol=1e-9)
    vectorizer = TextVectorizer.from_dict(model.analyser_)
    counts = vectorizer.transform(corpus.texts)
    assert np.array_equal(counts.toarray(), corpus.counts.toarray())
    if bare == "model":
        assert model.topic_names == ["topic 0", "topic 1"]
        assert kept_corpus(model).texts == corpus.texts
        assert model.is_fitted_to(corpus)
        assert np.array_equal(model.word_frequency_, model.shared_word_prob_)
        assert (model.stability_ is None) == (place.parts[0] == "1")


UNSEALED = [(load_folder, place) for place in places("corpus", "model")]
UNSEALED += [
    (partial(map_folder, check=True), place)
    for place in places("corpus", "model")
    if not place.suffix
]


@pytest.mark.parametrize(("load", "place"), UNSEALED)
def test_what_has_no_checksum_of_its_own_is_reported(load, place):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load(SAMPLES / place, kind=place.stem)
    found = [str(warning.message) for warning in caught]
    number = int(place.parts[0])
    message = f"{SAMPLES / place} has format version {number}: its "
    assert len(found) == (number < SEALED)
    assert all(each.startswith(message) for each in found)


@pytest.fixture
def sample(tmp_path):
    def copy(name, change):
        shutil.copytree(SAMPLES / str(FORMAT_VERSION) / name, tmp_path / name)
        edit_manifest(tmp_path / name, change)
        return tmp_path / name

    return copy


@pytest.mark.parametrize("name", MODELS)
def test_settings_that_were_not_there_yet_have_their_defaults(sample, name):
    def change(manifest):
        manifest["package_version"] = "0.0.1"
        del manifest["content"]["settings"]["max_iter"]
        manifest["content"]["settings"]["forgotten"] = 3

    assert load_model(sample(name, change)).max_iter == 100


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("field", ["settings", "history"])
def test_what_only_a_newer_version_knows(sample, name, field):
    def change(manifest):
        manifest["package_version"] = "9.2"
        place = manifest["content"][field]
        (place[0] if field == "history" else place)["colour"] = 3

    path = sample(name, change)
    with pytest.raises(ValueError) as raised:
        load_model(path)
    told = str(raised.value)
    assert told.startswith(
        f"{path} has content that leantopics {version('leantopics')} "
    )
    assert "'colour'" in told
    assert told.endswith(
        "it was written by leantopics 9.2: pip install 'leantopics>=9.2'."
    )


def test_a_class_that_only_a_newer_version_knows(sample):
    def change(manifest):
        manifest["package_version"] = "9.2"
        manifest["content"]["class"] = "BetterModel"

    with pytest.raises(ValueError, match=r"\(the class 'BetterModel'\); .*>=9.2"):
        load_model(sample("model", change))


def test_a_setting_that_no_version_knows(sample):
    def change(manifest):
        manifest["content"]["settings"]["colour"] = 3

    with pytest.raises(ValueError, match=r"garbled \(the setting 'colour'\): save"):
        load_model(sample("model", change))


@pytest.mark.parametrize("names", [["a"], [1, 2], 3])
def test_names_that_are_not_those_of_the_topics(sample, names):
    path = sample("model", lambda m: m["content"].update(topic_names=names))
    with pytest.raises(ValueError, match="must be a complete model, but part of it"):
        load_model(path)


@pytest.mark.parametrize(
    ("cls", "name", "found"),
    [
        (ParsimoniousTopicModel, "lda", "LDA"),
        (ParsimoniousTopicModel, "stc", "SparseTopicalCoding"),
        (LDA, "model", "ParsimoniousTopicModel"),
        (SparseTopicalCoding, "lda", "LDA"),
    ],
)
@pytest.mark.parametrize("number", VERSIONS)
def test_a_model_of_another_class(cls, name, found, number):
    path = SAMPLES / str(number) / name
    with pytest.raises(ValueError) as raised:
        cls.load(path)
    assert str(raised.value) == (
        f"{path} must hold a model of class {cls.__name__}, but holds one of class "
        f"{found}: load it with leantopics.load_model."
    )


ARRAYS = {
    "model": {
        "salient_word": lambda a: a + 29, "salient_indptr": lambda a: a[::-1],
        "doc_topic": lambda a: a - 1, "doc_indptr": lambda a: a + 1,
        "excess": lambda a: a - 2, "alpha": lambda a: a * np.nan,
        "beta0": lambda a: a.astype("<f4"), "frequency": lambda a: a[1:],
        "stability_words": lambda a: a[1:], "stability_agreement": lambda a: a[1:],
        "mass": lambda a: a * 0, "tokens": lambda a: a * 0, "mu": lambda a: -a,
        "gain": lambda a: a * np.inf, "filled": lambda a: ~a,
        "shrunk_word": lambda a: a * 2, "shrunk_x": lambda a: a * 1e300,
        "shrunk_strength": lambda a: a * 0, "shrunk_prior": lambda a: a[1:],
    },
    "lda-smoothed": {
        "components-2": lambda a: a.T, "proportions-2": lambda a: a[:3],
        "mass-2": lambda a: a[:1], "present-2": lambda a: a.astype("<i4"),
        "eta-2": lambda a: a[:1], "concentration-2": lambda a: a * np.nan,
        "frequency": lambda a: a[:5],
    },
    "stc": {
        "weights-2": lambda a: a * 0, "scale-2": lambda a: a[:1],
        "components-2": lambda a: a * 2,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_do_not_fit_together(tmp_path, name):
    """Checksums are right, but kernels would read past the end of an array."""
    saved = load_folder(SAMPLES / str(FORMAT_VERSION) / name, kind="model")
    for array, change in ARRAYS[name].items():
        arrays = {**saved.arrays, array: change(saved.arrays[array])}
        save_folder(
            tmp_path / "m",
            kind="model",
            content=saved.content,
            arrays=arrays,
            strings=saved.strings,
        )
        with pytest.raises(ValueError, match="must be a complete model") as raised:
            load_model(tmp_path / "m")
        assert "the array" in str(raised.value), array


def resaved(path, source, change):
    """Save what is saved elsewhere with other arrays, and right checksums."""
    saved = load_folder(source, kind="model")
    arrays = {name: change(name, array) for name, array in saved.arrays.items()}
    save_folder(path, kind="model", **{**saved._asdict(), "arrays": arrays})


@pytest.mark.parametrize("name", MODELS)
def test_arrays_of_the_other_byte_order(tmp_path, name, corpus):
    source = SAMPLES / str(FORMAT_VERSION) / name
    resaved(tmp_path / "m", source, lambda _, a: a.astype(a.dtype.newbyteorder(">")))
    found, model = load_model(tmp_path / "m"), load_model(source)
    assert np.array_equal(found.transform(corpus), model.transform(corpus))


@pytest.mark.parametrize("name", MODELS)
def test_a_number_of_topics_that_is_no_whole_number(sample, name):
    path = sample(name, lambda m: m["content"].update(n_topics=2.0))
    with pytest.raises(ValueError, match="must be a complete model, but part of it"):
        load_model(path)
