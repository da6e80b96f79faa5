"""The figures of the paper, and the state of its authors' program, on real corpora."""

import os
from pathlib import Path

import numpy as np
import pytest

from leantopics import ParsimoniousTopicModel, read_corpus
from leantopics.datasets import load_labelme, load_reuters

DATA = os.environ.get("LEANTOPICS_DATA", "")
GOLDEN = Path(DATA).parent / "golden" / "reference-program"

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        not DATA, reason="NOT RUN: set LEANTOPICS_DATA to the folder of the corpora"
    ),
]


def order(model, n_topics):
    return next(row for row in model.path_ if row["n_topics"] == n_topics)


@pytest.mark.skipif(
    not GOLDEN.is_dir(), reason=f"NOT RUN: there is no {GOLDEN.name} beside the corpora"
)
def test_fits_end_below_the_state_of_the_authors_program():
    corpus = read_corpus(GOLDEN / "corpus.ldac", vocabulary=GOLDEN / "vocab.txt")
    bics = [
        ParsimoniousTopicModel(12, evidence="words", random_state=seed).fit(corpus).bic_
        for seed in range(5)
    ]
    assert max(bics) < 306_000
    assert min(bics) < 305_000


def test_reuters_at_40_topics():
    corpus = load_reuters()
    assert len(corpus) == 6454
    published, paper = (
        ParsimoniousTopicModel(
            40, procedure=procedure, evidence="words", random_state=0, n_jobs=2
        )
        for procedure in ("published", "paper")
    )
    published.fit(corpus)
    assert 400 < published.n_salient_words_.mean() < 560
    assert 6300 < len(np.unique(published.salient_word_prob_.indices)) < 7600
    assert paper.fit(corpus).bic_ < published.bic_


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_reuters_sweep_chooses_as_many_topics_as_published(seed):
    model = ParsimoniousTopicModel(
        max_topics=100,
        min_topics=4,
        step=2,
        procedure="published",
        evidence="words",
        random_state=seed,
        n_jobs=2,
    ).fit(load_reuters())
    assert 34 <= model.n_topics_ <= 50


@pytest.mark.slow
def test_our_search_finds_a_lower_bic_than_the_sweep_of_the_paper():
    settings = dict(evidence="words", random_state=0, n_jobs=2)
    corpus = load_reuters()
    ours = ParsimoniousTopicModel(**settings).fit(corpus)
    papers = ParsimoniousTopicModel(step=2, **settings).fit(corpus)
    assert ours.bic_ < papers.bic_ - 5000
    assert ours.n_topics_ > papers.n_topics_


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_labelme_sweep_chooses_as_many_topics_as_published(seed):
    model = ParsimoniousTopicModel(
        max_topics=80,
        min_topics=4,
        step=1,
        evidence="words",
        random_state=seed,
        n_jobs=2,
    ).fit(load_labelme())
    assert model.word_prior_ == "exact"
    assert 42 <= model.n_topics_ <= 53
    at_46 = order(model, 46)
    assert 92 < at_46["salient_per_topic"] < 101
    assert 7 < at_46["topics_per_document"] < 8.8
