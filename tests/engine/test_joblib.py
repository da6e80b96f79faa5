"""Searches and pipelines of scikit-learn, whose fits go to a Dask cluster."""

import joblib
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from leantopics import ParsimoniousTopicModel, TextVectorizer
from leantopics.datasets import load_python_docs

distributed = pytest.importorskip(
    "distributed", reason="workers of dask need distributed"
)
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def texts():
    corpus = load_python_docs()
    areas = ("numpy.linalg", "scipy.signal", "sklearn.metrics")
    chosen = [d for d, own in enumerate(corpus.labels) if own[0] in areas][::3]
    return [corpus.texts[d] for d in chosen], [corpus.labels[d][0] for d in chosen]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def topics(**settings):
    return ParsimoniousTopicModel(3, random_state=0, max_iter=5, **settings)


def fitted(search, X, y, client=None):
    if client is None:
        return search.fit(X, y)
    with joblib.parallel_config("dask", client=client):
        return search.fit(X, y)


@pytest.mark.parametrize("kind", ["counts", "text"])
def test_a_search_on_a_cluster_finds_the_same(texts, client, kind):
    words, labels = texts
    vectorizer = TextVectorizer(min_df=3)
    if kind == "counts":
        model, X = topics(), vectorizer.fit_transform(words)
        grid, y = {"n_topics": [2, 4]}, None
    else:
        model = make_pipeline(vectorizer, topics(), LogisticRegression())
        grid, X, y = {"parsimonioustopicmodel__n_topics": [2, 4]}, words, labels
    search = GridSearchCV(model, grid, cv=2)
    alone = fitted(search, X, y).cv_results_
    with distributed.get_task_stream(client) as stream:
        there = fitted(search, X, y, client).cv_results_
    assert {task["worker"] for task in stream.data} == set(client.nthreads())
    assert search.best_params_ in alone["params"]
    for name in ("split0_test_score", "split1_test_score", "rank_test_score"):
        assert np.array_equal(there[name], alone[name])


def n_threads(model):
    with model._workers() as workers:
        executor = getattr(workers, "_executor", None)
        return 1 if executor is None else executor._max_workers


def test_a_fit_of_a_search_has_one_thread(client):
    assert joblib.effective_n_jobs(None) == 1
    with joblib.parallel_config("dask", client=client):
        assert joblib.effective_n_jobs(None) == 2  # the workers of the cluster
        for n_jobs, expected in ((None, 1), (1, 1), (3, 3)):
            tasks = [joblib.delayed(n_threads)(topics(n_jobs=n_jobs))] * 2
            assert joblib.Parallel()(tasks) == [expected] * 2
            assert n_threads(topics(n_jobs=n_jobs)) == expected
