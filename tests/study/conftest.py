"""A tiny study of planted topics, run once."""

import pytest

from leantopics import make_corpus
from leantopics.study import compare

SETTINGS = dict(max_topics=8, min_topics=2, step=2, seeds=2)


@pytest.fixture(scope="session")
def corpus():
    settings = dict(topics_per_doc=1.3, salient_per_topic=16, doc_length=60)
    return make_corpus(120, 100, 4, overlap=1.0, boost=4, dip=0.05, **settings)[0]


@pytest.fixture(scope="session")
def whole(corpus, tmp_path_factory):
    """Folder and rows of a study that ran through."""
    out = tmp_path_factory.mktemp("study")
    return out, compare(corpus, out, **SETTINGS)
