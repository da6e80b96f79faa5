"""What people see: figures, tables, sample topics."""

import re

import numpy as np
import pytest

from leantopics.study import figures, published
from leantopics.study.methods import METHODS
from leantopics.study.tables import tables
from leantopics.study.topics import sample_topics


def test_all_files_are_written(whole):
    out, _ = whole
    parts = ("bic", "training", "held-out", "labels", "coherence", "npmi", "all")
    for part in parts:
        assert (out / f"figures/corpus-{part}.svg").read_text().startswith("<?xml")
        png = (out / f"figures/corpus-{part}.png").read_bytes()
        assert png.startswith(b"\x89PNG")
    assert {"results.csv", "tables.md", "corpus-topics.md"} <= {
        path.name for path in out.iterdir()
    }


def test_figures_have_the_same_bytes_every_time(whole, tmp_path):
    out, rows = whole
    for file in figures.write(tmp_path, "corpus", rows):
        assert file.read_bytes() == (out / "figures" / file.name).read_bytes()
    assert "date>" not in (tmp_path / "corpus-bic.svg").read_text()


def test_curves_are_named_directly_and_apart(whole):
    text = (whole[0] / "figures" / "corpus-coherence.svg").read_text()
    for method in {row["method"] for row in whole[1]}:
        assert f">{METHODS[method].title}</text>" in text


def test_curves_have_mean_and_deviation_over_seeds(whole):
    found = figures.curves(whole[1], lambda row: row["npmi"])["lda"]
    values = [r["npmi"] for r in whole[1] if (r["method"], r["n_topics"]) == ("lda", 4)]
    place = found.n_topics.index(4)
    assert found.mean[place] == pytest.approx(np.mean(values))
    assert found.std[place] == pytest.approx(np.std(values, ddof=1))


def test_tables_have_the_published_numbers_in_the_next_column(whole):
    rows = [{**row, "dataset": "reuters"} for row in whole[1]]
    text = tables(rows)
    assert re.search(r"\| reuters \| PTM \| [\d.]+ \([\d.]+\) \| 40 \(5.75\) \|", text)
    lda = r"\| reuters \| LDA \| 8 \| [\d.() ]+ \| 4.97 \(0.13\) \| [+-][\d.]+ \|"
    assert re.search(lda, text)
    assert "| 506.4 (4.51) |" in text and "| 395 (31) |" in text
    for line in text.splitlines():
        if line.startswith("| corpus"):
            width = line.count("|")
        elif line.startswith("|"):
            assert line.count("|") == width


def test_tables_say_which_words_coherence_is_of(whole):
    named = "on the training documents, of our words by salience"
    assert named in tables(whole[1])
    as_published = [{**row, "words_by": "probability"} for row in whole[1]]
    assert named not in tables(as_published)


def test_sample_topics_are_those_like_the_published(whole):
    text = (whole[0] / "corpus-topics.md").read_text()
    assert text.count("| specific |") == min(5, text.count("| specific |"))
    assert (
        text.count("| LDA, ") == text.count("| specific |") == text.count("| shared |")
    )


def test_no_sample_topics_without_our_model():
    assert sample_topics("toy", [], []) == ""


def test_published_numbers():
    assert published.N_TOPICS["reuters"].mean == 40
    assert published.TOPICS_PER_DOCUMENT["stc"]["labelme"].mean == 1.08
    assert published.WORDS["distinct_salient"]["20newsgroups"].std == 352
    assert published.MINUTES["lda"]["ohsumed"] == (818, 251, "runtime")
