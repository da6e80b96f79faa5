"""Counting the words of the named corpora, and the vectorizers for it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from leantopics.corpus import Corpus
from leantopics.io.gather import Gathered
from leantopics.io.record import Record

if TYPE_CHECKING:
    from leantopics.text import TextVectorizer


def news_vectorizer(*, min_df: float = 1) -> "TextVectorizer":
    """Return the preprocessing of `load_reuters` and `load_20newsgroups`.

    Lower-case words of two or more letters a to z, without scikit-learn's English
    stop words, as Porter stems.

    Parameters
    ----------
    min_df : int or float, default=1
        Keep stems that occur in at least this number, or share, of the documents.

    Examples
    --------
    >>> news_vectorizer().fit(["Grain exports rise", "He exported oil"]).vocabulary_
    ['export', 'grain', 'oil', 'rise']
    """
    return _vectorizer(2, "porter", min_df)


def long_word_vectorizer(*, min_df: float = 1) -> "TextVectorizer":
    """Return the preprocessing that the paper points to for 20-Newsgroups.

    It is `news_vectorizer` with words of three or more letters. The large corpora use
    it with a larger `min_df`.

    Examples
    --------
    >>> long_word_vectorizer().fit(["An ox <br /> and oxen"]).vocabulary_
    ['oxen']
    """
    return _vectorizer(3, "porter", min_df)


def unstemmed_vectorizer(*, min_df: float = 10) -> "TextVectorizer":
    """Return the preprocessing of `load_ohsumed`: `news_vectorizer` without stems.

    The paper mentions only stop words. Keeping words of ten training documents or more
    is our guess: it gives 12058 words, and the paper has 12072.

    Examples
    --------
    >>> unstemmed_vectorizer(min_df=1).fit(["Singing in the rain"]).vocabulary_
    ['rain', 'singing']
    """
    return _vectorizer(2, None, min_df)


def _vectorizer(letters: int, stem: str | None, min_df: float) -> "TextVectorizer":
    from leantopics.text import TextVectorizer

    return TextVectorizer(
        pattern=f"[a-z]{{{letters},}}", stop_words="english", stem=stem, min_df=min_df
    )


def count_words(records: Iterable[Record], vectorizer: "TextVectorizer") -> Corpus:
    """Return a corpus of records of text, counted by a vectorizer.

    An unfitted vectorizer is fitted; a fitted one gives the corpus its vocabulary.
    """
    gathered = Gathered(records, keep_texts=False)
    texts = [record.text or "" for record in gathered]
    if not texts:
        raise ValueError("There is no such document in the corpus.")
    fitted = hasattr(vectorizer, "vocabulary_")
    count = vectorizer.transform if fitted else vectorizer.fit_transform
    counts = count(texts)
    analyser = vectorizer.to_dict()
    return gathered.corpus(counts, vectorizer.vocabulary_, None, analyser)


def split_condition(split: str) -> dict[str, str]:
    """Return the condition that selects the records of a split; none for "all".

    Examples
    --------
    >>> split_condition("train"), split_condition("all")
    ({'split': 'train'}, {})
    """
    if split not in ("train", "test", "all"):
        raise ValueError(f"split must be 'train', 'test' or 'all', got {split!r}.")
    return {} if split == "all" else {"split": split}
