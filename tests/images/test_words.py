"""Visual words as a transformer: counts, lines, seeds, threads, files."""

import json
import logging
import os

import numpy as np
import pytest
from PIL import Image
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from tests.images.samples import IMAGE, LEARN, PHOTOS

from leantopics import Corpus, ParsimoniousTopicModel
from leantopics.images import VisualWords, read_images
from leantopics.images.descriptors import dense_sift
from leantopics.images.pictures import read_picture

SMALL = {"n_words": 30, "n_sampled": 3000, "random_state": 0}


@pytest.fixture(scope="module")
def words():
    return VisualWords(**SMALL).fit(PHOTOS)


@pytest.fixture
def mixed(tmp_path):
    """Two sound pictures among broken and odd ones."""
    Image.open(PHOTOS[2]).save(tmp_path / "a.png")
    (tmp_path / "b.jpg").touch()
    Image.open(PHOTOS[3]).convert("RGBA").save(tmp_path / "c.png")
    (tmp_path / "d.gif").write_bytes(b"GIF89a and no more")
    Image.open(PHOTOS[4]).save(tmp_path / "e\nf.png")
    return [tmp_path / name for name in sorted(os.listdir(tmp_path))]


def test_every_picture_has_2401_words(words):
    counts = words.transform(PHOTOS)
    assert counts.shape == (len(PHOTOS), len(words.codewords_))
    assert counts.sum(axis=1).tolist() == [2401] * len(PHOTOS)
    assert counts.has_sorted_indices and np.all(counts.data > 0)


def test_counts_are_those_of_the_nearest_codewords(words):
    descriptors = dense_sift(read_picture(PHOTOS[0]).grey).astype(int)
    far = [((descriptors - word) ** 2).sum(axis=1) for word in words.codewords_]
    wanted = np.bincount(np.argmin(far, axis=0), minlength=len(far))
    np.testing.assert_array_equal(words.transform(PHOTOS[:1]).toarray()[0], wanted)


def test_learning_is_documented_by_its_attributes(words):
    assert words.members_.sum() == 3000
    assert np.all(np.diff(words.members_) <= 0)
    assert words.patches_.shape == (len(words.codewords_), 16, 16)
    assert words.get_feature_names_out().tolist() == words.vocabulary_
    assert words.vocabulary_[:2] == ["w00", "w01"]


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_the_same_bits_for_any_number_of_threads(words, n_jobs):
    again = VisualWords(**SMALL, n_jobs=n_jobs)
    counts = again.fit_transform(iter(PHOTOS))
    for name in ("codewords_", "members_", "patches_"):
        np.testing.assert_array_equal(getattr(words, name), getattr(again, name))
    np.testing.assert_array_equal(counts.toarray(), words.transform(PHOTOS).toarray())


def test_another_seed_learns_other_words(words):
    other = clone(words).set_params(random_state=1).fit(PHOTOS)
    assert not np.array_equal(other.patches_, words.patches_)


def test_more_pictures_than_patches(words):
    few = VisualWords(4, n_sampled=5, random_state=0).fit(PHOTOS)
    assert few.members_.sum() == 5


def test_broken_and_odd_pictures_get_a_line_each(mixed, caplog):
    for n_jobs in (1, 2):
        caplog.clear()
        counts = VisualWords(**SMALL, n_jobs=n_jobs).fit_transform(mixed)
        assert counts.sum(axis=1).tolist() == [2401, 0, 2401, 0, 2401]
        lines = [record.getMessage() for record in caplog.records]
        folder = mixed[0].parent
        assert lines[:2] == [
            f"{folder}/b.jpg is not counted: it is empty (0 bytes).",
            f"{folder}/c.png is odd: it is transparent, so it was laid on white.",
        ]
        assert lines[2].startswith(f"{folder}/d.gif is not counted: ")
        assert lines[3:] == ["Of 5 pictures, 2 are not counted and 1 are odd."]


def test_sound_pictures_get_none(words, caplog):
    words.transform(PHOTOS)
    assert caplog.records == []


def test_fit_alone_tells_too(mixed, caplog):
    VisualWords(**SMALL).fit(mixed)
    assert len(caplog.records) == 4


def test_nothing_but_broken_pictures(mixed, words):
    broken = [mixed[1], mixed[3]]
    for work in (words.transform, clone(words).fit, clone(words).fit_transform):
        with pytest.raises(ValueError, match="None of the 2 files is a picture"):
            work(broken)


def test_a_huge_one_gets_one_line_even_where_warnings_are_errors(
    tmp_path, words, caplog
):
    from tests.images.test_pictures import bomb

    (tmp_path / "bomb.png").write_bytes(bomb(10_000))
    words.transform([tmp_path / "bomb.png", PHOTOS[0]])
    assert "10000 by 10000 pixels" in caplog.records[0].getMessage()
    assert len(caplog.records) == 2


def test_progress_is_one_line_where_there_is_no_terminal(words, capsys):
    clone(words).set_params(verbose=1).fit_transform(PHOTOS[:2])
    assert capsys.readouterr().err.splitlines() == [
        "sampling patches, 2 in all",
        "counting visual words, 2 in all",
    ]


@pytest.mark.parametrize(
    ("files", "error", "message"),
    [
        ("china.jpg", TypeError, "iterable of paths"),
        ([3], TypeError, "given as paths, got 3"),
        ([], ValueError, "at least one image file"),
    ],
)
def test_wrong_files(words, files, error, message):
    for work in (words.transform, clone(words).fit):
        with pytest.raises(error, match=message):
            work(files)


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_words", 0), ("n_sampled", 0), ("merge_distance", -1.0), ("min_share", "x")],
)
def test_wrong_parameters(name, value):
    with pytest.raises((TypeError, ValueError), match=name):
        VisualWords(**{name: value}).fit(PHOTOS)


def test_not_fitted():
    for work in (VisualWords().transform, VisualWords().save):
        with pytest.raises(NotFittedError):
            work(PHOTOS)


def test_a_pipeline():
    pipeline = make_pipeline(
        VisualWords(**SMALL), ParsimoniousTopicModel(2, random_state=0)
    )
    assert pipeline.fit_transform(PHOTOS).shape == (len(PHOTOS), 2)


@pytest.mark.parametrize("name", ["codes", "codes.zip"])
def test_a_saved_codebook_is_loaded_as_it_was(words, tmp_path, name):
    words.save(tmp_path / name)
    words.save(tmp_path / name)  # it replaces its own kind
    again = VisualWords.load(tmp_path / name)
    assert again.get_params() == words.get_params()
    np.testing.assert_array_equal(again.patches_, words.patches_)
    np.testing.assert_array_equal(
        again.transform(PHOTOS).toarray(), words.transform(PHOTOS).toarray()
    )


def test_a_generator_is_not_saved(tmp_path):
    seed = np.random.RandomState(0)
    VisualWords(5, n_sampled=50, random_state=seed).fit(PHOTOS).save(tmp_path / "x")
    assert VisualWords.load(tmp_path / "x").random_state is None


def test_other_saved_things_are_neither_replaced_nor_loaded(words, tmp_path):
    Corpus([[1]]).save(tmp_path / "x")
    with pytest.raises(FileExistsError, match="not a saved codebook"):
        words.save(tmp_path / "x")
    with pytest.raises(ValueError, match="must hold a codebook, but is a corpus"):
        VisualWords.load(tmp_path / "x")


@pytest.mark.parametrize("harm", ["setting", "array", "shape", "kind", "none"])
def test_garbled_codebooks_are_refused(words, tmp_path, harm):
    from leantopics.storage import load_folder, save_folder

    words.save(tmp_path / "x")
    content, arrays, strings = load_folder(tmp_path / "x", kind="codebook")
    if harm == "setting":
        content["settings"]["n_words"] = -1
    elif harm == "array":
        del arrays["patches"]
    elif harm == "shape":
        arrays["codewords"] = arrays["codewords"][:, :64]
    elif harm == "kind":  # whole numbers above 255 would not be exact
        arrays["codewords"] = arrays["codewords"].astype(np.uint16)
    else:
        arrays = {name: array[:0] for name, array in arrays.items()}
    save_folder(
        tmp_path / "y",
        kind="codebook",
        content=json.loads(json.dumps(content)),
        arrays=arrays,
        strings=strings,
    )
    with pytest.raises(ValueError, match="must be a complete codebook"):
        VisualWords.load(tmp_path / "y")


def test_a_folder_is_a_corpus(textures):
    words = VisualWords(**SMALL)
    train = read_images(textures / "train", words=words)
    codewords = words.codewords_
    test = read_images(textures / "test", words=words)
    assert words.codewords_ is codewords
    assert train.vocabulary == test.vocabulary == words.vocabulary_
    assert (train.ids[0], train.labels[0]) == ("bricks/0000.png", ["bricks"])
    assert train.metadata[0] == {
        "file": str(textures / "train" / "bricks/0000.png"),
        "codebook": words.fingerprint_,
    }
    assert len(train) == 96 and train.n_tokens == 96 * 2401


def test_the_sample_pictures_of_scikit_image(caplog):
    with caplog.at_level(logging.WARNING, "leantopics"):
        corpus = read_images(IMAGE, words=VisualWords(**SMALL))
    assert "astronaut.png" in corpus.ids and corpus.labels is None
    assert np.all(corpus.counts.sum(axis=1) == 2401)
    told = [record.getMessage() for record in caplog.records]
    lost = [line for line in told if "is not counted" in line]
    assert any("multipage.tif is not counted: it has 10 by 15" in line for line in lost)
    assert told[-1].startswith(
        f"Of {len(corpus) + len(lost)} pictures, {len(lost)} are"
    )


def test_the_sample_pictures_of_scikit_learn():
    corpus = read_images(LEARN, words=VisualWords(**SMALL))
    assert corpus.ids == ["china.jpg", "flower.jpg"]
