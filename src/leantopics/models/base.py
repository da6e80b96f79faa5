"""What all models share: checking data, topic names, distributing work."""

import copy
import functools
import hashlib
import numbers
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Self, TypeVar

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from leantopics._limits import SPAN, SUMS, limit, way_out
from leantopics._validation import check_canonical
from leantopics._warnings import warn
from leantopics._words import counted
from leantopics.corpus import Corpus
from leantopics.corpus.validation import safe_matrix
from leantopics.engine.dask import Cluster
from leantopics.engine.threads import Engine, engine, used
from leantopics.models.card import model_card
from leantopics.models.texts import counts_of

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9 has no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callback framework."""

    def with_callbacks(method: Any) -> Any:
        """Call the method as it is."""

        @functools.wraps(method)
        def called(*args: Any, **kwargs: Any) -> Any:
            return method(*args, **kwargs)

        return called


__all__ = ["TopicModel", "all_or_nothing", "fingerprint", "versions", "with_callbacks"]

Made = TypeVar("Made")
Method = TypeVar("Method", bound=Callable[..., Any])


def all_or_nothing(fit: Method) -> Method:
    """Let a fitting method change the model only at the end, and all at once.

    The method works on a copy, whose attributes replace the model's when it succeeds. A
    fit that is refused, fails or is interrupted leaves the model as it was.
    """

    @functools.wraps(fit)
    def fitted(self: Any, *args: Any, **kwargs: Any) -> Any:
        new = copy.copy(self)
        fit(new, *args, **kwargs)
        self.__dict__ = new.__dict__
        return self

    return fitted  # type: ignore[return-value]


def versions() -> dict[str, str]:
    """Versions of the software that a result depends on."""
    names = ("leantopics", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version(), **{n: version(n) for n in names}}


def fingerprint(counts: sparse.csr_array) -> str:
    """Checksum of a canonical matrix of counts, the same on every machine.

    Examples
    --------
    >>> fingerprint(sparse.csr_array([[1.0, 0.0], [0.0, 2.0]]))[:12]
    '8ade0bae8f1e'
    """
    digest = hashlib.sha256(repr(counts.shape).encode())
    for array, kind in (
        (counts.indptr, "<i8"),
        (counts.indices, "<i4"),
        (counts.data, "<f8"),
    ):
        digest.update(np.ascontiguousarray(array, dtype=kind).data)
    return digest.hexdigest()


class TopicModel(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    CallbackSupportMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Base of the estimators: counts in, topic proportions out."""

    n_jobs: int | None
    has_switches = False
    """Whether topics have salient words, and documents few topics, by switches."""
    ranking = "probability"
    """How the words of a topic are ranked where they are shown, as in `top_words`."""
    n_topics_: int
    vocabulary_: list[str]
    word_frequency_: NDArray[np.float64]
    """Share of each word among all words of the fit, shape (n_words,)."""
    analyser_: dict[str, Any] | None
    """How text was turned into counts (`Corpus.analyser`), or None."""
    corpus_: Corpus | None = None
    """The documents, if `leantopics.fit_texts` counted them; not saved or copied."""
    _topic_names: list[str] | None
    _made: dict[str, Any]

    def __getstate__(self) -> dict[str, Any]:
        """Return what is copied and pickled: neither documents nor what can be made."""
        state: dict[str, Any] = super().__getstate__()
        left_out = ("_made", "corpus_")
        return {name: value for name, value in state.items() if name not in left_out}

    def _once(self, name: str, make: Callable[[], Made]) -> Made:
        """Return something computed from the fitted arrays, made at its first use.

        Threads that ask at the same time may each make it, with the same bits.
        """
        made = self.__dict__.setdefault("_made", {})
        if name not in made:
            made[name] = make()
        found: Made = made[name]
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Show the topics of a fitted model in a notebook."""
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if hasattr(self, "n_topics_"):
            shown["text/html"] = self._card()
        return shown

    def _card(self) -> str:
        """The fitted model as a small page."""
        return model_card(self)

    def top_words(
        self, topic: int, n: int = 10, *, by: str | None = None
    ) -> list[tuple[str, float]]:
        """Top words of a topic, with the values that they are ranked by.

        By default they are ranked as `ranking` says.
        """
        raise NotImplementedError

    @property
    def _n_features_out(self) -> int:
        return self.n_topics_

    @property
    def predictive_components_(self) -> NDArray[np.float64]:
        """Word distributions used to predict new documents."""
        fitted: Any = self
        components: NDArray[np.float64] = fitted.components_
        return components

    def document_topics(self, corpus: Corpus) -> sparse.csr_array:
        """Topics of documents: from the fit for its own documents, else inferred.

        Parameters
        ----------
        corpus : Corpus
            The documents.

        Returns
        -------
        csr_array of shape (n_docs, M)

        Examples
        --------
        >>> from leantopics import LDA, make_corpus
        >>> corpus, _ = make_corpus(50, 60, 2)
        >>> LDA(2, random_state=0).fit(corpus).document_topics(corpus).shape
        (50, 2)
        """
        fitted: Any = self
        return sparse.csr_array(fitted.transform(corpus))

    @property
    def topic_names(self) -> list[str]:
        """Names of the topics: those given by hand, or words that set them apart."""
        check_is_fitted(self)
        given = self._topic_names
        return self._default_names() if given is None else list(given)

    @topic_names.setter
    def topic_names(self, names: Sequence[str]) -> None:
        check_is_fitted(self)
        if isinstance(names, str) or len(names) != self.n_topics_:
            raise ValueError(
                f"topic_names must be {self.n_topics_} names, one for each topic. "
                f"Got {names!r} instead."
            )
        self._topic_names = [str(name) for name in names]

    @property
    def surface_forms(self) -> list[str]:
        """Most frequent spelling of each word, in the order of ``vocabulary_``.

        It differs from the word itself if the words are stems.
        """
        check_is_fitted(self)
        return list((self.analyser_ or {}).get("surface_forms", self.vocabulary_))

    def use_tokenizer(self, tokenizer: Callable[[str], Iterable[str]]) -> Self:
        """Give a loaded model the tokenizer of the fit; only its name is saved.

        Parameters
        ----------
        tokenizer : callable
            The tokenizer that `TextVectorizer` had. Whether it is the same cannot be
            checked.

        Examples
        --------
        >>> from leantopics import LDA, TextVectorizer, count_texts
        >>> vectorizer = TextVectorizer(tokenizer=str.split)
        >>> corpus = count_texts(["new york", "new delhi"], vectorizer=vectorizer)
        >>> model = LDA(1).fit(corpus)
        >>> model.use_tokenizer(str.split).analyser_["settings"]["tokenizer"]
        'builtins.str.split'
        """
        check_is_fitted(self)
        if not callable(tokenizer):
            raise TypeError(
                "The tokenizer must be a function that takes a text and returns its "
                f"words, got {tokenizer!r}."
            )
        settings = (self.analyser_ or {}).get("settings", {})
        if settings.get("tokenizer") is None:
            raise ValueError(
                "A tokenizer cannot be set: the model was fitted without one."
            )
        self.analyser_ = {**(self.analyser_ or {}), "tokenizer": tokenizer}
        self.__dict__.get("_made", {}).pop("counter", None)
        return self

    def _default_names(self) -> list[str]:
        raise NotImplementedError

    def check_topic(self, topic: int) -> None:
        """Raise a `ValueError` if there is no topic with this number."""
        check_is_fitted(self)
        if not (isinstance(topic, numbers.Integral) and 0 <= topic < self.n_topics_):
            raise ValueError(
                f"topic must be a whole number from 0 to {self.n_topics_ - 1}. "
                f"Got {topic!r} instead."
            )

    def _counts(self, X: Any, *, reset: bool) -> tuple[sparse.csr_array, np.dtype[Any]]:
        """Check counts and convert them to canonical CSR of float64.

        Sets vocabulary_ and analyser_ if ``reset``; a Corpus with another vocabulary is
        matched by the names of the words. Also returns the original dtype.
        """
        corpus = X if isinstance(X, Corpus) else None
        if corpus is not None:
            if 0 in corpus.counts.shape and reset:
                raise ValueError(
                    "The corpus must have documents with words to fit a model to, but "
                    f"has {counted(len(corpus), 'document')} and "
                    f"{counted(corpus.n_words, 'word')}."
                )
            if not reset:
                corpus = self._aligned(corpus)
            X = corpus.counts
            if corpus.is_on_disk and (X.shape[0] or not reset):
                return self._counts_on_disk(corpus, reset)
        X = counts_of(self, X, fitted=not reset)
        X = validate_data(
            self,
            safe_matrix(X),
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_non_negative=True,
        )
        if reset:
            if corpus is not None:
                self.vocabulary_ = list(corpus.vocabulary)
            else:
                names = getattr(self, "feature_names_in_", range(X.shape[1]))
                if X.shape[1] > limit("words"):
                    raise ValueError(
                        f"X has {X.shape[1]} words, more than {limit('words')}, "
                        f"without a vocabulary; {way_out('words')}."
                    )
                self.vocabulary_ = [str(name) for name in names]
            self.analyser_ = None if corpus is None else corpus.analyser
        counts = sparse.csr_array(X, dtype=np.float64, copy=True)
        counts.sum_duplicates()
        counts.eliminate_zeros()
        self._check_for_kernels(counts, reset)
        return counts, X.dtype

    def _aligned(self, corpus: Corpus) -> Corpus:
        """Align documents to the words of the fit; warn if they have none of them."""
        aligned = corpus.align(self.vocabulary_)
        if corpus.counts.nnz and not aligned.counts.nnz:
            warn(
                "The documents should have words that the model knows, but have none, "
                "so their topics are unknown: their words are like "
                f"{corpus.vocabulary[0]!r}, those of the model like "
                f"{self.vocabulary_[0]!r}. Prepare them like those of the fit; if the "
                "model was fitted to a matrix, pass a matrix.",
            )
        return aligned

    def _counts_on_disk(
        self, corpus: Corpus, reset: bool
    ) -> tuple[sparse.csr_array, np.dtype[Any]]:
        """Return counts on disk as they are; they were checked when opened."""
        if reset:
            self.vocabulary_ = list(corpus.vocabulary)
            self.analyser_ = corpus.analyser
            self.n_features_in_ = corpus.n_words
            if hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
        self._check_for_kernels(corpus.counts, reset)
        return corpus.counts, corpus.counts.dtype

    @property
    def _n_words(self) -> int:
        """Number of words in the fitted arrays, and so in new documents."""
        raise NotImplementedError

    def _check_for_kernels(self, counts: sparse.csr_array, reset: bool) -> None:
        """Refuse counts that kernels could not trust, even if checked before."""
        if not reset and counts.shape[1] != self._n_words:
            raise ValueError(
                f"X has {counts.shape[1]} features, but {type(self).__name__} is "
                f"expecting {self._n_words} features as input."
            )
        try:
            check_canonical(counts.data, counts.indices, counts.indptr, counts.shape)
        except ValueError as error:
            raise ValueError(
                f"X must have {error}, but does not: it changed while it was read."
            ) from None
        _check_range(counts.data, fitted=reset)

    @contextmanager
    def _workers(self) -> Iterator[Engine]:
        cluster = used()
        if cluster is not None:
            yield Cluster(*cluster)
            return
        # A cluster that joblib uses for other work does not limit the threads here.
        with joblib.parallel_config("threading"):
            n_threads = joblib.effective_n_jobs(self.n_jobs)
        with engine(n_threads) as workers:
            yield workers


def _check_range(values: NDArray[np.float64], fitted: bool) -> None:
    """Refuse counts so small, large or uneven that arithmetic would give NaN.

    New documents do not affect each other, so those of one call may be uneven.
    """
    if not len(values):
        return
    with np.errstate(over="ignore"):
        least, total = float(values.min()), float(values.sum())
    low, high = SUMS
    if not low <= total <= high or (total > SPAN * least and fitted):
        raise ValueError(
            f"Counts must have a sum from {low:g} to {high:g}, and each must be 0 or "
            f"at least the sum divided by {SPAN:g}; scale them, or set tiny ones to 0. "
            f"Got {least:g} as the smallest and {total:g} as the sum."
        )
