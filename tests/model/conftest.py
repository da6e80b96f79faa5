"""A small corpus with planted topics and one model fitted to it."""

import pytest

from leantopics import ParsimoniousTopicModel, make_corpus


@pytest.fixture(scope="session")
def corpus():
    settings = dict(topics_per_doc=1.3, salient_per_topic=16, doc_length=100)
    found, _ = make_corpus(120, 100, 4, overlap=1.0, boost=4, dip=0.05, **settings)
    return found


@pytest.fixture(scope="session")
def model(corpus):
    """The paper's sweep from 8 to 2; tests that change it must work on a copy."""
    settings = dict(evidence="words", max_topics=8, step=1, random_state=0)
    return ParsimoniousTopicModel(**settings).fit(corpus)
