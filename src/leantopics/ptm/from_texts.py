"""From texts to a fitted model in one call."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from leantopics.ptm.estimator import ParsimoniousTopicModel
from leantopics.text import TextVectorizer, count_texts
from leantopics.text.columns import read_columns

if TYPE_CHECKING:
    import numpy as np


def fit_texts(
    texts: Any,
    n_topics: int | str = "auto",
    *,
    text: str | None = None,
    labels: str | Iterable[Any] | None = None,
    dates: str | Iterable[Any] | None = None,
    metadata: Iterable[str] | Iterable[Mapping[str, Any] | None] | None = None,
    ids: str | Iterable[Any] | None = None,
    vectorizer: TextVectorizer | None = None,
    random_state: "int | np.random.RandomState | None" = 0,
    n_jobs: int | None = -1,
    **settings: Any,
) -> ParsimoniousTopicModel:
    """Count the words of texts and fit a model to them.

    Parameters
    ----------
    texts : iterable of str, or data frame
        The texts; or a data frame of pandas, polars or Arrow with a column of texts.
    n_topics : int or "auto"
        Number of topics; "auto" chooses it.
    text : str, optional
        The column with the texts. It can be left out if no other column has strings.
    labels, dates, ids : sequence, or str
        One value for each text, or the name of a column. Labels are strings or whole
        numbers, or lists of these. Dates become the metadata field "date".
    metadata : sequence of dict, data frame, or names of columns
        Anything else about each text. By default, of a data frame, all other columns
        that JSON can hold.
    vectorizer : TextVectorizer, optional
        How to count words; by default no stop words and no stems are used.
    random_state, n_jobs, **settings
        Parameters of `ParsimoniousTopicModel`; the defaults are those of the command
        ``leantopics fit``.

    Returns
    -------
    ParsimoniousTopicModel
        The fitted model. Its ``corpus_`` has the texts and their counts, and what is
        known about them; it is not saved with the model.

    Examples
    --------
    >>> from leantopics import fit_texts
    >>> texts = ["the cat sat with a cat"] * 20 + ["the dog ran to the dog park"] * 20
    >>> model = fit_texts(texts, labels=[0] * 20 + [1] * 20)
    >>> model.n_topics_
    2
    >>> model.transform(["a cat, the cat"])
    array([[0., 1.]])
    >>> model.corpus_
    Corpus(40 documents, 8 words, 240 tokens, with labels, texts)
    """
    given = read_columns(texts, text, labels, dates, metadata, ids)
    corpus = count_texts(vectorizer=vectorizer, **given._asdict())
    settings |= {"random_state": random_state, "n_jobs": n_jobs}
    model = ParsimoniousTopicModel(n_topics, **settings)
    model.fit(corpus).corpus_ = corpus
    return model
