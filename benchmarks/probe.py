"""A process of its own: make a wide corpus, fit some iterations, print the peak memory.

Arguments: documents, words, topics, iterations. Prints one JSON object.
"""

import json
import sys
from typing import Any

from benchmarks import corpora, machine
from benchmarks.timing import timed
from leantopics import ParsimoniousTopicModel


def probe(n_docs: int, n_words: int, n_topics: int, iterations: int) -> dict[str, Any]:
    """Fit, and say what it took."""
    counts = corpora.wide(n_docs, n_words, n_topics)
    model = ParsimoniousTopicModel(
        evidence="words",
        max_topics=n_topics,
        min_topics=n_topics,
        step=1,
        n_jobs=2,
        random_state=0,
        callback=lambda step: step.iteration >= iterations,
    )
    seconds = timed(lambda: model.fit(counts))
    return {
        "documents": n_docs,
        "words": n_words,
        "topics": n_topics,
        "stored counts": int(counts.nnz),
        "matrix_bytes": counts.data.nbytes + counts.indices.nbytes,
        "seconds": seconds,
        "seconds per iteration": model.history_[-1].seconds / len(model.history_),
        "flips": [(step.word_flips, step.topic_flips) for step in model.history_],
        "peak_bytes": machine.status("VmHWM"),
    }


if __name__ == "__main__":
    print(json.dumps(probe(*map(int, sys.argv[1:]))))
