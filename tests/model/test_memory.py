"""A large dictionary and many topics: no array of words by topics anywhere."""

import subprocess
import sys

LIMIT_MB = 1000  # words by topics: 8000 MB as doubles, 1000 MB as bytes
PROGRAM = """
import resource, sys, warnings
from pathlib import Path
from leantopics import ParsimoniousTopicModel, make_corpus

def peak_mb():
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit

warnings.simplefilter("ignore")
corpus, _ = make_corpus(1500, 10**6, 20, doc_length=200)
for word_prior in ("entropy", "exact"):
    model = ParsimoniousTopicModel(
        1000, max_iter=2, word_prior=word_prior, random_state=0
    ).fit(corpus)
    assert model.salient_word_prob_.shape == (1000, 10**6)
    model.transform(corpus)
    model.score(corpus)
    model.top_words(0, by="salience")
    model.shared_share(corpus.counts[:20])
    print(peak_mb(), model.n_salient_words_.sum())
"""


def test_a_million_words_and_a_thousand_topics_fit_in_memory():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    peaks = [float(peak) for peak, _ in lines]
    assert len(peaks) == 2
    assert int(lines[1][1]) > 10_000
    assert max(peaks) < LIMIT_MB, f"peak of {max(peaks):.0f} MB"
