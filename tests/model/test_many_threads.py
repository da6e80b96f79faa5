"""Many threads ask one model: the answers of one thread, and nothing is written."""

import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

from leantopics import LDA, ParsimoniousTopicModel, SparseTopicalCoding

THREADS = 8
MODELS = {
    f"{inference}, {prediction}": ParsimoniousTopicModel(
        4, inference=inference, prediction=prediction, random_state=0
    )
    for inference in ("sparse", "all")
    for prediction in ("shrunk", "switched")
}
MODELS["two threads each"] = ParsimoniousTopicModel(4, random_state=0, n_jobs=2)
MODELS["LDA"] = LDA(4, random_state=0)
MODELS["STC"] = SparseTopicalCoding(4)


def at_once(*tasks):
    """Run all tasks in threads that begin together; return what each found."""
    start, found = threading.Barrier(len(tasks)), [None] * len(tasks)

    def work(number):
        start.wait()
        found[number] = tasks[number]()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(tasks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def answers(model, counts):
    return (
        model.transform(counts),
        model.score(counts) if hasattr(model, "score") else None,
        model.predictive_components_,
        model.topic_names,
    )


def assert_same_answers(ours, theirs):
    assert np.array_equal(ours[0], theirs[0])
    assert ours[1] == theirs[1]
    assert np.array_equal(ours[2], theirs[2])
    assert ours[3] == theirs[3]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_answers_are_those_of_one_thread(model, corpus):
    model.fit(corpus)
    parts = [corpus.counts[number::THREADS] for number in range(THREADS)]
    parts[3] = parts[3] * 0.0  # documents without words
    before = pickle.dumps(model)
    alone = [answers(model, part) for part in parts]
    found = at_once(*[lambda part=part: answers(model, part) for part in parts] * 3)
    for number, one in enumerate(found):
        assert_same_answers(one, alone[number % THREADS])
    assert pickle.dumps(model) == before


FIRST_USE = """
import sys
import numpy as np
from leantopics import Corpus, ParsimoniousTopicModel
from tests.model.test_many_threads import THREADS, answers, assert_same_answers, at_once

model = ParsimoniousTopicModel.load(sys.argv[1] + "/model")
counts = Corpus.load(sys.argv[1] + "/corpus").counts
found = at_once(*[lambda: answers(model, counts)] * THREADS)
for one in found:
    assert_same_answers(one, found[0])
np.save(sys.argv[1] + "/found.npy", found[0][0])
"""


def test_the_first_use_of_a_process_may_be_in_many_threads(model, corpus, tmp_path):
    model.save(tmp_path / "model")
    corpus.save(tmp_path / "corpus")
    subprocess.run([sys.executable, "-c", FIRST_USE, str(tmp_path)], check=True)
    assert np.array_equal(np.load(tmp_path / "found.npy"), model.transform(corpus))
