"""Any source to a corpus."""

import os
from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from leantopics.corpus import Corpus, LazyTexts
from leantopics.readers import Record, Where, open_records
from leantopics.readers.gather import Gathered, stack_counts
from leantopics.readers.settings import SAVED, check_settings
from leantopics.readers.streams import display_name
from leantopics.storage import is_saved, is_zip
from leantopics.text.vectorizer import TextVectorizer


def read_corpus(
    source: str | os.PathLike[str],
    *,
    vectorizer: TextVectorizer | None = None,
    where: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str = "utf-8",
    text_field: str | None = None,
    id_field: str | None = None,
    label_field: str | None = None,
    vocabulary: str | os.PathLike[str] | None = None,
    labels: str | os.PathLike[str] | None = None,
    keep_texts: bool = False,
) -> Corpus:
    r"""Read a corpus from any source, in one pass.

    Parameters
    ----------
    source : path or "-"
        See `leantopics.readers.open_records`; also a corpus saved by `Corpus.save`, as
        every zip file must be.
    vectorizer : TextVectorizer, optional
        How to count words of text. One that is not fitted is fitted in place; a fitted
        one is left as it is, and gives the corpus its vocabulary. If the source holds
        counts, a fitted one still gives the vocabulary, matched by name; another is
        left unfitted.
    where, format, encoding, text_field, id_field, label_field, vocabulary, labels
        See `leantopics.readers.open_records`.
    keep_texts : bool
        Whether to hold all texts in memory. If not, those of uncompressed files are
        read again when asked for, and others are not kept.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "pets.txt")
    ...     _ = file.write_text("a cat and a dog\na dog\n")
    ...     corpus = read_corpus(file)
    ...     corpus.vocabulary, corpus.texts[1]
    (['and', 'cat', 'dog'], 'a dog')
    """
    fitted = getattr(vectorizer, "vocabulary_", None)
    given: dict[str, Any] = {
        "text_field": text_field,
        "id_field": id_field,
        "label_field": label_field,
        "vocabulary": vocabulary,
        "labels": labels,
    }
    # A saved model goes the same way, to be refused by name.
    kinds = ("corpus", "model")
    if format is None and (
        _is_zip_file(source) or any(is_saved(source, kind) for kind in kinds)
    ):
        check_settings(os.fspath(source), SAVED, given, where)
        saved = Corpus.load if os.path.isfile(source) else Corpus.open
        corpus = _select(saved(source), Where(where, label_field, id_field))
        if not len(corpus):
            raise ValueError(nothing_message(os.fspath(source), where))
        return corpus if fitted is None else corpus.align(fitted)

    records = open_records(
        source, format=format, encoding=encoding, where=where, **given
    )
    gathered = Gathered(records, keep_texts)
    stream = iter(gathered)
    first = next(stream, None)
    if first is None:
        raise ValueError(nothing_message(records.source, where))
    stream = chain([first], stream)
    if records.has_counts:
        counts: Any = stack_counts(stream, records.n_words)
        words = records.vocabulary
    else:
        vectorizer = vectorizer or TextVectorizer()
        texts = (record.text or "" for record in stream)
        count = vectorizer.fit_transform if fitted is None else vectorizer.transform
        counts = count(texts)
        words = vectorizer.vocabulary_
    lazy = _lazy_texts(gathered, encoding)
    corpus = Corpus(
        counts,
        words,
        gathered.ids,
        gathered.labels if any(gathered.labels) else None,
        gathered.metadata if any(gathered.metadata) else None,
        gathered.texts if keep_texts and not records.has_counts else lazy,
    )
    if records.has_counts and fitted is not None:
        return corpus.align(fitted)
    return corpus


def _is_zip_file(source: str | os.PathLike[str]) -> bool:
    return is_zip(source) and os.path.isfile(source)


def _lazy_texts(gathered: Gathered, encoding: str) -> LazyTexts | None:
    """Return the places of all texts, if they have places."""
    place = gathered.place
    n_docs = len(gathered.ids)
    if place is None or len(gathered.places) != 3 * n_docs:
        return None
    file_of, offsets, lengths = np.array(gathered.places).reshape(n_docs, 3).T
    return LazyTexts(
        [os.path.abspath(file) for file in gathered.files],
        file_of,
        offsets,
        lengths,
        form=place.form,
        field=place.field,
        delimiter=place.delimiter,
        encoding=encoding,
    )


def _select(corpus: Corpus, where: Where) -> Corpus:
    """Return the documents of a saved corpus that meet the conditions."""
    if not where.conditions:
        return corpus
    labels = corpus.labels or [[]] * len(corpus)
    metadata = corpus.metadata or [{}] * len(corpus)
    rows = [
        where.matches(Record(id_, labels=labels[d], metadata=metadata[d]))
        for d, id_ in enumerate(corpus.ids)
    ]
    where.check_fields()
    return corpus.select(np.array(rows, dtype=bool))


def nothing_message(source: str, where: Mapping[str, str] | None) -> str:
    """What to say of a source without a document that is wanted."""
    wanted = ", ".join(f"{field}={value}" for field, value in (where or {}).items())
    name = display_name(source)
    return f"{name} holds no document" + (f" with {wanted}." if wanted else ".")
