"""The documents of a study: training and test documents as plain arrays."""

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from leantopics.corpus import Corpus

TEST_SHARE = 0.2
"""Share of the documents to test on, if a corpus has no test documents."""


class Data(NamedTuple):
    """Training and test documents over one vocabulary."""

    name: str
    train: sparse.csr_array
    test: sparse.csr_array
    train_labels: list[list[str]] | None
    test_labels: list[list[str]] | None
    vocabulary: list[str]

    @property
    def has_labels(self) -> bool:
        """Whether training and test documents have labels.

        Examples
        --------
        >>> split("toy", Corpus(np.eye(4))).has_labels
        False
        """
        return any(self.train_labels or []) and any(self.test_labels or [])

    def fingerprint(self) -> str:
        """Return the SHA-256 of everything that results depend on.

        Examples
        --------
        >>> split("toy", Corpus(np.eye(4))).fingerprint()[:8]
        '9d5dd3e1'
        """
        digest = hashlib.sha256(self.name.encode())
        for counts in (self.train, self.test):
            for array in (counts.indptr, counts.indices, counts.data):
                # Index types may differ between platforms; numbers do not.
                digest.update(np.asarray(array, dtype="<f8").tobytes())
        strings = (self.vocabulary, self.train_labels, self.test_labels)
        digest.update(repr(strings).encode())
        return digest.hexdigest()


def halves(name: str, train: Corpus, test: Corpus) -> Data:
    """Return documents that are already divided.

    Examples
    --------
    >>> halves("toy", Corpus([[1, 2]]), Corpus([[0, 1], [3, 0]])).test.shape
    (2, 2)
    """
    test = test.align(train.vocabulary)
    train_labels, test_labels = (
        None if part.labels is None else list(part.labels) for part in (train, test)
    )
    return Data(
        name, train.counts, test.counts, train_labels, test_labels, train.vocabulary
    )


def split(name: str, corpus: Corpus) -> Data:
    """Divide documents by their ``split``, or draw a fifth as test with a fixed seed.

    The metadata decide if each document has "train" or "test" there and both occur.

    Examples
    --------
    >>> split("toy", Corpus(np.eye(10))).test.shape
    (2, 10)
    >>> parts = [{"split": "test"}, {"split": "train"}, {"split": "train"}]
    >>> split("toy", Corpus(np.eye(3), metadata=parts)).test.toarray()
    array([[1., 0., 0.]])
    """
    if len(corpus) < 2:
        raise ValueError(
            f"{name} must have two documents at least, one to fit and one to test, "
            f"got {len(corpus)}."
        )
    parts = {row.get("split") for row in corpus.metadata or []}
    if parts == {"train", "test"}:
        given = [row["split"] == "test" for row in corpus.metadata or []]
        testing: NDArray[np.bool_] = np.array(given)
    else:
        drawn = np.random.RandomState(0).permutation(len(corpus))
        testing = np.zeros(len(corpus), dtype=np.bool_)
        testing[drawn[: max(1, round(TEST_SHARE * len(corpus)))]] = True
    return halves(name, corpus.select(~testing), corpus.select(testing))
