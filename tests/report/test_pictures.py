"""Words as patches and documents as pictures, inside the page."""

import base64
import copy
import io
import re

import numpy as np
import pytest
from PIL import Image
from tests.images.samples import PHOTOS

from leantopics import Corpus, ParsimoniousTopicModel
from leantopics.images import VisualWords
from leantopics.images.pictures import read_picture
from leantopics.report import summarise, to_html


@pytest.fixture(scope="session")
def seen():
    """A model of photos, their corpus and the codebook."""
    words = VisualWords(16, n_sampled=1500, random_state=0)
    corpus = Corpus(
        words.fit_transform(PHOTOS),
        words.vocabulary_,
        [photo.name for photo in PHOTOS],
        metadata=[
            {"file": str(photo), "codebook": words.fingerprint_} for photo in PHOTOS
        ],
    )
    model = ParsimoniousTopicModel(2, evidence="words", random_state=0).fit(corpus)
    return model, corpus, words


def image(uri):
    kind, _, data = uri.partition(";base64,")
    opened = Image.open(io.BytesIO(base64.b64decode(data)))
    assert kind == f"data:image/{opened.format.lower()}"
    return opened


def test_every_word_has_its_patch(seen):
    model, corpus, words = seen
    summary = summarise(model, corpus, codebook=words)
    assert len(summary["patches"]) == len(words.codewords_)
    for uri, patch in zip(summary["patches"], words.patches_, strict=True):
        np.testing.assert_array_equal(np.array(image(uri)), patch)
        assert len(uri) < 800


def test_every_document_has_its_picture(seen):
    model, corpus, words = seen
    documents = summarise(model, corpus, codebook=words)["documents"]
    assert documents["kind"] == "pictures"
    for entry, photo in zip(documents["listed"], PHOTOS, strict=True):
        assert (entry["id"], "pieces" in entry) == (photo.name, False)
        small = image(entry["picture"])
        wanted = read_picture(photo).square.convert("RGB").resize((96, 96))
        apart = np.array(small.convert("RGB"), int) - np.array(wanted)
        assert np.abs(apart).mean() < 12
        assert len(entry["picture"]) < 8000


def test_only_pages_with_pictures_allow_them(seen, fitted):
    model, corpus, words = seen
    with_, without = to_html(model, corpus, codebook=words), to_html(model, corpus)
    policy = re.compile('content="(default-src [^"]*)"')
    assert " img-src data:;" in policy.search(with_)[1]
    assert "img-src" not in policy.search(without)[1]
    assert "data:image" not in to_html(*fitted)


def test_files_that_are_gone_are_told(seen, tmp_path, caplog):
    model, corpus, words = seen
    files = [{"file": str(PHOTOS[0])}, {"file": str(tmp_path / "x.png")}, {}]
    moved = Corpus(corpus.counts[:3], corpus.vocabulary, metadata=files)
    found = summarise(model, moved, codebook=words)["documents"]["listed"]
    assert [entry["picture"] is None for entry in found] == [False, True, True]
    assert [record.getMessage() for record in caplog.records] == [
        "2 of 3 pictures cannot be read again and are missing from the report."
    ]


def test_the_codebook_must_be_that_of_the_words(seen, fitted):
    with pytest.raises(ValueError, match="must be the one that counted the words"):
        to_html(*fitted, codebook=seen[2])


def test_a_codebook_of_the_same_size_is_told_from_that_of_the_pictures(seen):
    model, corpus, words = seen
    other = copy.deepcopy(words)
    other.codewords_[0, 0] ^= 1
    assert other.vocabulary_ == words.vocabulary_
    message = rf"fingerprint {words.fingerprint_}, but its own is {other.fingerprint_};"
    with pytest.raises(ValueError, match=message):
        summarise(model, corpus, codebook=other)
    silent = Corpus(corpus.counts, corpus.vocabulary)  # of counts from elsewhere
    assert summarise(model, silent, codebook=other)["patches"]


def test_without_documents_words_are_still_seen(seen):
    model, _, words = seen
    summary = summarise(model, codebook=words)
    assert summary["documents"]["kind"] == "none"
    assert summary["patches"]
