"""Turn texts into counts, with scikit-learn's ``CountVectorizer``.

Stemming works on the vocabulary, not on the tokens: surface forms are counted, each
distinct one is stemmed once, and the columns of equal stems are added.
"""

from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import snowballstemmer
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from leantopics.text.checks import (
    check_frequency,
    check_ngrams,
    check_pattern,
    check_stem,
    check_tokenizer,
)
from leantopics.text.forms import (
    Counts,
    columns_of,
    count_forms,
    merge,
    places_of,
    surface_forms,
)
from leantopics.text.stop_words import stop_words_of
from leantopics.text.words import (
    WORD_PATTERN,
    Cutter,
    MissingTokenizer,
    Tokenizer,
    check_blanks,
    tokenizer_name,
)

Span: TypeAlias = tuple[int, int, int]


class TextVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Turn texts into word counts, like scikit-learn's ``CountVectorizer``.

    By default neither stop words nor stems are used: the shared vocabulary of the
    topic model makes them unnecessary. Words of more than 1000 letters are left out,
    see `leantopics._limits`.

    Parameters
    ----------
    pattern : str
        Regular expression of a word, for the package `regex`. The default takes words
        of two characters or more that begin with a letter, in any script that puts
        blanks between words; others need a tokenizer.
    lowercase : bool
        Whether to turn texts to lower case.
    stop_words : None, str or list of str
        Words to leave out, before stemming: those of a language ("english" is
        scikit-learn's list, others are those of stopwordsiso), or a list. They
        are cut into words like the texts.
    stem : None or str
        Name of a Snowball algorithm: "porter", "english", "german", ...
    min_df, max_df : int or float
        Keep words (stems) that occur in at least ``min_df`` and at most ``max_df``
        documents: a number if int, a share of all documents if float.
    ngrams : tuple of two int
        Least and greatest number of words in a term.
    tokenizer : callable, optional
        Called with a text, returns its words as strings; used instead of `pattern`.
        Words without a letter, such as punctuation, are left out, and the others are
        turned to lower case. A saved model holds only its name; see `use_tokenizer` of
        models.

    Attributes
    ----------
    vocabulary_ : list of str
        The terms, sorted: the columns of the counts.
    surface_forms_ : list of str
        The most frequent spelling of each term, for display.
    stop_words_ : list of str
        The stop words, after cutting into words.

    Examples
    --------
    >>> texts = ["A running dog runs.", "Dogs sleep.", "They run."]
    >>> vectorizer = TextVectorizer(stem="english")
    >>> vectorizer.fit_transform(texts).toarray()
    array([[1, 2, 0, 0],
           [1, 0, 1, 0],
           [0, 1, 0, 1]])
    >>> vectorizer.vocabulary_
    ['dog', 'run', 'sleep', 'they']
    >>> vectorizer.transform(["outrun the runner's dogs"]).toarray()
    array([[1, 0, 0, 0]])
    """

    def __init__(
        self,
        *,
        pattern: str = WORD_PATTERN,
        lowercase: bool = True,
        stop_words: str | Iterable[str] | None = None,
        stem: str | None = None,
        min_df: float = 1,
        max_df: float = 1.0,
        ngrams: tuple[int, int] = (1, 1),
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self.pattern = pattern
        self.lowercase = lowercase
        self.stop_words = stop_words
        self.stem = stem
        self.min_df = min_df
        self.max_df = max_df
        self.ngrams = ngrams
        self.tokenizer = tokenizer

    def fit(self, raw_documents: Iterable[str], y: object = None) -> Self:
        """Learn the vocabulary of some texts, which may be a generator."""
        self.fit_transform(raw_documents, y)
        return self

    def fit_transform(self, raw_documents: Iterable[str], y: object = None) -> Counts:
        """Learn the vocabulary of some texts and return their counts, in one pass.

        Parameters
        ----------
        raw_documents : iterable of str
            The texts; may be a generator.
        y : None
            Ignored.

        Returns
        -------
        csr_array of int, shape (n_texts, n_terms)
            How often each term occurs in each text.
        """
        forms, counts = count_forms(self.begin(), raw_documents)
        if not counts.shape[0]:
            raise ValueError("There must be at least one text to learn words from.")
        columns = self.learn(forms, lambda: [counts])
        return merge(counts, columns, len(self.vocabulary_))

    def begin(self) -> Callable[[str], list[str]]:
        """Check the settings; return a function that cuts a text into word forms."""
        self._check_parameters()
        return self._analyzer(self._find_stop_words())

    def learn(
        self, forms: list[str], parts: Callable[[], Iterable[Counts]]
    ) -> npt.NDArray[np.int64]:
        """Learn the vocabulary of texts whose forms are already counted.

        ``forms`` are what `begin` cuts texts into, all different; ``parts`` returns
        their counts, some texts at a time. Returns the column of each form, -1 for
        those without one, shape (n_forms,).
        """
        terms = self._stem_all(forms)
        vocabulary = sorted(set(terms))
        columns = columns_of(terms, places_of(vocabulary))
        frequency = np.zeros(len(vocabulary), dtype=np.int64)
        totals, n_docs = np.zeros(len(forms)), 0
        for part in parts():
            merged = merge(part, columns, len(vocabulary))
            frequency += np.bincount(merged.indices, minlength=len(vocabulary))
            totals += np.bincount(part.indices, part.data, minlength=len(forms))
            n_docs += part.shape[0]
        if self.tokenizer is None:
            check_blanks(forms, totals)
        kept = np.flatnonzero(self._frequent(frequency, n_docs))
        if not kept.size:
            raise ValueError(
                "No word is left: the texts have none (a word begins with a letter and "
                "has two characters or more, unless pattern says otherwise), or stop "
                "words, min_df and max_df remove all of them; loosen these."
            )
        surface = surface_forms(forms, columns, totals)
        self.stop_words_ = self._find_stop_words()
        self.vocabulary_ = [vocabulary[n] for n in kept]
        self.surface_forms_ = [surface[n] for n in kept]
        place = np.full(len(vocabulary), -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))
        return place[columns]

    def transform(self, raw_documents: Iterable[str]) -> Counts:
        """Return the counts of other texts, cut into words like those of `fit`.

        Every spelling of a known stem is counted; unknown words are ignored.

        Parameters
        ----------
        raw_documents : iterable of str
            The texts; may be a generator.

        Returns
        -------
        csr_array of int, shape (n_texts, n_terms)
        """
        return self.counter()(raw_documents)

    def counter(self) -> Callable[[Iterable[str]], Counts]:
        """Return a `transform` that is set up only once, for many calls with few texts.

        Examples
        --------
        >>> count = TextVectorizer().fit(["waves and boats"]).counter()
        >>> count(["boats"]).toarray().tolist()
        [[0, 1, 0]]
        """
        check_is_fitted(self, "vocabulary_")
        analyze, column = self._analyzer(self.stop_words_), places_of(self.vocabulary_)

        def count(texts: Iterable[str]) -> Counts:
            forms, counts = count_forms(analyze, texts)
            return merge(counts, columns_of(self._stem_all(forms), column), len(column))

        return count

    def spans(self, raw_documents: Iterable[str]) -> list[list[Span]]:
        """Return the places of known words in texts: (begin, end, column).

        Terms of several words are not found, nor are words of a tokenizer that the
        text does not contain in that form.

        Examples
        --------
        >>> vectorizer = TextVectorizer(stem="porter").fit(["run dogs"])
        >>> vectorizer.spans(["Dogs running, cats"])
        [[(0, 4, 0), (5, 12, 1)]]
        """
        check_is_fitted(self, "vocabulary_")
        column = places_of(self.vocabulary_)
        left_out, cut = set(self.stop_words_), self._cutter()

        def known(text: str) -> list[Span]:
            places = list(cut.places(text))
            terms = self._stem_all([form for *_, form in places])
            return [
                (begin, end, column[term])
                for (begin, end, form), term in zip(places, terms, strict=True)
                if form not in left_out and term in column
            ]

        return [known(text) for text in raw_documents]

    def get_feature_names_out(
        self, input_features: object = None
    ) -> npt.NDArray[np.object_]:
        """Return the terms, in the order of the columns."""
        check_is_fitted(self, "vocabulary_")
        return np.asarray(self.vocabulary_, dtype=object)

    def to_dict(self) -> dict[str, Any]:
        """Return settings and vocabulary as types that JSON can hold.

        A tokenizer is included twice: by name in the settings, instead of the pattern,
        and as the function itself, which no file can hold.

        Examples
        --------
        >>> import json
        >>> first = TextVectorizer(stem="porter").fit(["singing birds"])
        >>> second = TextVectorizer.from_dict(json.loads(json.dumps(first.to_dict())))
        >>> second.surface_forms_
        ['birds', 'singing']
        """
        check_is_fitted(self, "vocabulary_")
        settings = self.get_params()
        del settings["tokenizer"]
        if not (self.stop_words is None or isinstance(self.stop_words, str)):
            settings["stop_words"] = sorted(self.stop_words)
        settings["ngrams"] = [int(size) for size in self.ngrams]
        for name in ("min_df", "max_df"):  # JSON cannot hold NumPy's numbers
            whole = isinstance(settings[name], Integral)
            settings[name] = (int if whole else float)(settings[name])
        saved: dict[str, Any] = {
            "settings": settings,
            "vocabulary": list(self.vocabulary_),
            "surface_forms": list(self.surface_forms_),
            "stop_words": list(self.stop_words_),
        }
        if self.tokenizer is not None:
            del settings["pattern"]
            settings["tokenizer"] = tokenizer_name(self.tokenizer)
            saved["tokenizer"] = self.tokenizer
        return saved

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Return the fitted vectorizer that `to_dict` described.

        If only the name of a tokenizer is given, as in a file, texts are refused.
        """
        try:
            settings = dict(saved["settings"])
            settings["ngrams"] = tuple(settings["ngrams"])
            name = settings.get("tokenizer")
            if name is not None:
                missing = MissingTokenizer(str(name))
                settings["tokenizer"] = saved.get("tokenizer", missing)
            vectorizer = cls(**settings)
            vectorizer._check_parameters()
            vectorizer.vocabulary_ = list(saved["vocabulary"])
            vectorizer.surface_forms_ = list(saved["surface_forms"])
            vectorizer.stop_words_ = list(saved["stop_words"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"These are not settings of text: {error}.") from None
        return vectorizer

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _check_parameters(self) -> None:
        check_pattern(self.pattern)
        check_tokenizer(self.tokenizer, self.pattern)
        check_stem(self.stem)
        for name in ("min_df", "max_df"):
            check_frequency(name, getattr(self, name))
        check_ngrams(self.ngrams)

    def _find_stop_words(self) -> list[str]:
        """Return the stop words, cut into tokens like the texts."""
        if self.stop_words is None:
            return []
        words = self.stop_words
        if isinstance(words, str):
            words = stop_words_of(words)
        if not all(isinstance(word, str) for word in words):
            raise TypeError("Stop words must be a language or a list of strings.")
        cut = self._cutter()
        return sorted({token for word in words for token in cut(word)})

    def _analyzer(self, stop_words: list[str]) -> Callable[[str], list[str]]:
        cut, left_out = self._cutter(), set(stop_words)
        analyzer: Callable[[str], list[str]] = CountVectorizer(
            lowercase=False,
            token_pattern=None,
            tokenizer=lambda text: [w for w in cut(text) if w not in left_out],
            ngram_range=tuple(self.ngrams),
        ).build_analyzer()
        return analyzer

    def _cutter(self) -> Cutter:
        return Cutter(self.pattern, self.lowercase, self.tokenizer)

    def _stem_all(self, forms: list[str]) -> list[str]:
        """Stem every word of every term once."""
        if self.stem is None:
            return forms
        words = list({word for form in forms for word in form.split(" ")})
        stems = snowballstemmer.stemmer(self.stem).stemWords(words)
        stem_of = dict(zip(words, stems, strict=True))
        return [" ".join(stem_of[w] for w in form.split(" ")) for form in forms]

    def _frequent(
        self, frequency: npt.NDArray[np.int64], n_docs: int
    ) -> npt.NDArray[np.bool_]:
        """Return which columns occur in enough documents and not in too many."""
        least, most = (
            limit if isinstance(limit, Integral) else limit * n_docs
            for limit in (self.min_df, self.max_df)
        )
        if least > n_docs:
            raise ValueError(
                f"min_df must not be more than the number of documents, {n_docs}. Got "
                f"{self.min_df} instead: take a smaller one."
            )
        if most < least:
            raise ValueError(
                f"max_df must not be below min_df, got {self.max_df} and {self.min_df} "
                f"for {n_docs} documents."
            )
        return (frequency >= least) & (frequency <= most)
