"""Checks that all models share."""

from leantopics._warnings import warn


def check_documents(n_topics: int | str, n_docs: int) -> None:
    """Refuse a corpus with too few documents that have words, ``n_docs``.

    Warns of one document, as there is nothing to set apart.

    Examples
    --------
    >>> check_documents(5, 2)
    Traceback (most recent call last):
    ...
    ValueError: The number of topics must not exceed that of documents with words, 2.
    Got 5 instead: take fewer.
    """
    if n_docs == 0:
        raise ValueError(
            "X must have at least one document with a word in it. Got only empty "
            "documents instead: check the vocabulary and the filters that made it."
        )
    if n_topics != "auto" and int(n_topics) > n_docs:
        number = "one (1 sample)" if n_docs == 1 else f"{n_docs:,}"  # sklearn's word
        raise ValueError(
            "The number of topics must not exceed that of documents with words, "
            f"{number}. Got {n_topics} instead: take fewer."
        )
    if n_topics == "auto" and n_docs == 1:
        warn(
            "There should be many documents with words, hundreds if possible, as "
            "topics are what sets them apart. Got only one: split its text, for "
            "example into paragraphs, each a document."
        )
