"""Pictures by commands: to a corpus, to a model, to a report."""

import sys

import numpy as np
import pytest
from PIL import Image
from tests.cli.runner import run
from tests.images.textures import texture

from leantopics import Corpus, read_corpus
from leantopics.images import VisualWords


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """Nine pictures of three textures, an odd one and a broken one."""
    folder = tmp_path_factory.mktemp("pictures") / "photos"
    draw = np.random.default_rng(0)
    for name in ("bricks", "grain", "upright"):
        (folder / name).mkdir(parents=True)
        for n in range(3):
            Image.fromarray(texture(name, draw)).save(folder / name / f"{n}.png")
    glass = Image.fromarray(texture("grain", draw)).convert("RGBA")
    glass.save(folder / "grain" / "glass.png")
    (folder / "zero.jpg").touch()
    return folder


@pytest.fixture(scope="module")
def converted(photos):
    """Where the corpus and the model are, and what the command said."""
    out = photos.parent / "corpus"
    result = run("convert", photos, "-o", out, "--images", "--codewords", 20)
    assert result.exit_code == 0, result.output
    fit = run("fit", out, "-o", photos.parent / "model", "--topics", 3)
    assert fit.exit_code == 0, fit.output
    return out, result


def test_a_folder_of_pictures_becomes_a_corpus(photos, converted):
    out, result = converted
    assert result.stdout == ""
    words = VisualWords.load(out.with_suffix(".codebook"))
    assert result.stderr.splitlines() == [
        f"{photos}/grain/glass.png is odd: it is transparent, so it was laid on white.",
        f"{photos}/zero.jpg is not counted: it is empty (0 bytes).",
        "Of 11 pictures, 1 are not counted and 1 are odd.",
        f"{len(words.codewords_)} codewords written to {out}.codebook",
        f"10 documents written to {out}",
    ]
    corpus = Corpus.load(out)
    assert corpus.vocabulary == words.vocabulary_
    assert corpus.n_tokens == 10 * 2401
    assert {label for row in corpus.labels for label in row} == {
        "bricks",
        "grain",
        "upright",
    }
    assert (words.n_words, words.random_state) == (20, 0)


def test_the_same_codebook_counts_other_pictures(photos, converted, tmp_path):
    out, _ = converted
    book = f"{out}.codebook"
    again = run(
        *("convert", photos, "-o", tmp_path / "x", "--images", "--codebook", book),
        *("--jobs", 1),
    )
    assert again.exit_code == 0, again.output
    assert not (tmp_path / "x.codebook").exists()
    found = Corpus.load(tmp_path / "x").counts.toarray()
    np.testing.assert_array_equal(found, Corpus.load(out).counts.toarray())


def test_counts_in_another_format(photos, converted, tmp_path):
    out, _ = converted
    target = tmp_path / "x.ldac"
    done = run(
        *("convert", photos, "-o", target, "--images", "--codebook", f"{out}.codebook")
    )
    assert "Left out, as the format ldac cannot hold it: ids, metadata." in (
        done.stderr
    )
    assert read_corpus(target).n_tokens == 10 * 2401


def test_the_report_shows_pictures(photos, converted, tmp_path):
    out, _ = converted
    page = tmp_path / "page.html"
    command = ("report", photos.parent / "model", out, "-o", page)
    plain = run(*command)
    assert (plain.exit_code, "data:image" in page.read_text()) == (0, False)
    done = run(*command, "--codebook", f"{out}.codebook")
    assert (done.exit_code, done.stderr) == (0, f"The report is in {page}.\n")
    assert page.read_text().count("data:image/jpeg;base64,") == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--codewords", 5), "--codewords can be used only with --images"),
        (("--seed", 5), "--seed can be used only with --images"),
        (("--images", "--stem", "english"), "--stem cannot be used with --images"),
        (("--images", "--where", "a=b"), "--where cannot be used with --images"),
        (("--images", "--to", "jsonl"), "Pictures become counts"),
        (("--images", "--jobs", 0), "must be 1 or more"),
        (
            ("--images", "--codebook", "x", "--seed", 1),
            "--seed is for learning a new codebook",
        ),
    ],
)
def test_wrong_options(photos, tmp_path, options, message):
    result = run("convert", photos, "-o", tmp_path / "x", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_wrong_places(photos, converted, tmp_path):
    out, _ = converted
    (tmp_path / "x.codebook").write_text("mine")
    for source, options, message in [
        (photos, (), "x.codebook exists and is not a saved codebook"),
        (tmp_path, ("--codebook", f"{out}.codebook"), "has no picture"),
        (photos / "zero.jpg", (), "must be a folder of pictures"),
        (photos, ("--codebook", out), "must hold a codebook, but is a corpus"),
        (photos, ("--codebook", tmp_path / "none"), "none"),
    ]:
        if source == photos / "zero.jpg":
            (tmp_path / "x.codebook").unlink()
        result = run("convert", source, "-o", tmp_path / "x", "--images", *options)
        assert result.exit_code == 1
        assert message in result.stderr and result.stderr.count("\n") == 1
    result = run("inspect", f"{out}.codebook")
    assert "must hold a corpus, but is a codebook" in result.stderr


def test_what_to_install_is_told(photos, tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("leantopics.images")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cv2", None)
    result = run("convert", photos, "-o", tmp_path / "x", "--images")
    assert (result.exit_code, result.stderr) == (
        1,
        "Error: Pictures need OpenCV: pip install 'leantopics[images]'.\n",
    )
