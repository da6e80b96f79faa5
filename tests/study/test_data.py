import numpy as np

from leantopics import Corpus
from leantopics.study.data import split


def test_seeded_split_is_the_same_every_time():
    corpus = Corpus(np.arange(40).reshape(20, 2), labels=[str(d) for d in range(20)])
    first, second = split("toy", corpus), split("toy", corpus)
    assert first.test.shape[0] == 4
    assert first.test_labels == second.test_labels
    both = [label for (label,) in first.train_labels + first.test_labels]
    assert sorted(both, key=int) == [str(d) for d in range(20)]


def test_fingerprint_tells_all_differences():
    base = Corpus(np.eye(5) + 1, labels=list("abcde"))
    others = [
        Corpus(np.eye(5) + 2, labels=list("abcde")),
        Corpus(np.eye(5) + 1, labels=list("abcdf")),
        Corpus(np.eye(5) + 1, vocabulary=list("vwxyz"), labels=list("abcde")),
    ]
    prints = {split("toy", corpus).fingerprint() for corpus in [base, *others]}
    prints.add(split("other", base).fingerprint())
    assert len(prints) == 5
    assert split("toy", base).fingerprint() in prints
