"""Read any source as a corpus."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from leantopics.corpus import Corpus
from leantopics.corpus.text_refs import LazyTexts
from leantopics.io import Record, Records, Where, open_records
from leantopics.io.gather import Gathered, stack_counts
from leantopics.io.kinds import SAVED, check_settings
from leantopics.io.streams import display_name
from leantopics.storage import is_saved, is_zip
from leantopics.text.columns import check_texts
from leantopics.text.vectorizer import TextVectorizer

BATCH = 2**22
"""Characters of text in a batch: some thousand documents."""
_RECORD = 64
"""Size of a record besides its text, in characters."""


def count_texts(
    texts: Iterable[str],
    *,
    vectorizer: TextVectorizer | None = None,
    ids: Iterable[str] | None = None,
    labels: Iterable[Any] | None = None,
    metadata: Iterable[Mapping[str, Any] | None] | None = None,
) -> Corpus:
    """Make a corpus from texts in memory; `read_corpus` reads files.

    Parameters
    ----------
    texts : iterable of str
        The texts, which the corpus keeps.
    vectorizer : TextVectorizer, optional
        How to count words. An unfitted one is fitted in place; a fitted one is not
        changed, and gives the corpus its vocabulary.
    ids, labels, metadata
        See `Corpus`.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> corpus = count_texts(["a cat and a dog", "a dog"], labels=["both", "one"])
    >>> corpus
    Corpus(2 documents, 3 words, 4 tokens, with labels, texts)
    >>> corpus.vocabulary
    ['and', 'cat', 'dog']
    """
    kept = check_texts(texts)
    vectorizer = vectorizer or TextVectorizer()
    return Corpus(
        _count(kept, vectorizer),
        vectorizer.vocabulary_,
        ids,
        labels,
        metadata,
        kept,
        vectorizer.to_dict(),
    )


def read_corpus(
    source: str | os.PathLike[str],
    *,
    vectorizer: TextVectorizer | None = None,
    where: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    text_field: str | None = None,
    id_field: str | None = None,
    label_field: str | None = None,
    columns: Sequence[str] | None = None,
    skip_bad: bool | None = None,
    vocabulary: str | os.PathLike[str] | None = None,
    labels: str | os.PathLike[str] | None = None,
    keep_texts: bool = False,
) -> Corpus:
    r"""Read a corpus from any source, in one pass.

    Parameters
    ----------
    source : path or "-"
        See `leantopics.io.open_records`; or a corpus saved by `Corpus.save`, which
        every zip file must be.
    vectorizer : TextVectorizer, optional
        How to count words of text. An unfitted one is fitted in place; a fitted one is
        not changed, and gives the corpus its vocabulary. If the source holds counts, a
        fitted one still gives the vocabulary, matched by name, and an unfitted one
        stays unfitted.
    where, format, encoding, text_field, id_field, label_field, columns, skip_bad, \
    vocabulary, labels
        See `leantopics.io.open_records`.
    keep_texts : bool
        Whether to keep all texts in memory. If not, texts of uncompressed files are
        read again on access, and other texts are not kept.

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
    return next(
        read_batches(
            source,
            None,
            vectorizer=vectorizer,
            where=where,
            format=format,
            encoding=encoding,
            keep_texts=keep_texts,
            text_field=text_field,
            id_field=id_field,
            label_field=label_field,
            columns=columns,
            skip_bad=skip_bad,
            vocabulary=vocabulary,
            labels=labels,
        )
    )


def read_batches(
    source: str | os.PathLike[str],
    size: int | None = BATCH,
    *,
    vectorizer: TextVectorizer | None = None,
    where: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    keep_texts: bool = False,
    again: Mapping[str, Any] | None = None,
    **given: Any,
) -> Iterator[Corpus]:
    r"""Read a corpus in batches, with one batch in memory at a time.

    Parameters
    ----------
    source : path or "-"
        As in `read_corpus`; a saved corpus is one batch.
    size : int or None
        Approximate characters of text in a batch; None reads everything at once.
    vectorizer : TextVectorizer, optional
        As in `read_corpus`; an unfitted one is fitted to the first batch.
    where, format, encoding, keep_texts, **given
        As in `read_corpus`.
    again : mapping, optional
        How an earlier source was read, see `leantopics.io.open_records`.

    Yields
    ------
    Corpus

    Examples
    --------
    >>> import pathlib, tempfile
    >>> vectorizer = TextVectorizer().fit(["cat dog"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "pets.txt")
    ...     _ = file.write_text("a cat and a dog\na dog\n")
    ...     [part.ids for part in read_batches(file, 10, vectorizer=vectorizer)]
    [['0'], ['1']]
    """
    if format is None and _is_saved(source):
        corpus = _read_saved(source, where, given)
        fitted = getattr(vectorizer, "vocabulary_", None)
        yield corpus if fitted is None else corpus.align(fitted)
        return
    records = open_records(
        source, format=format, encoding=encoding, where=where, again=again, **given
    )
    vectorizer = vectorizer or TextVectorizer()
    stream = iter(records)
    first = next(stream, None)
    if first is None:
        raise ValueError(nothing_message(records.source, where))
    while first is not None:
        batch = Gathered(_batch(chain([first], stream), size), keep_texts)
        yield _corpus(records, batch, vectorizer, keep_texts)
        first = next(stream, None)


def _is_saved(source: str | os.PathLike[str]) -> bool:
    """Whether a source is something saved, not necessarily a corpus.

    Whatever else is saved is opened as a corpus, so that the error says what it is.
    """
    if is_zip(source) and os.path.isfile(source):
        return True
    return any(is_saved(source, kind) for kind in ("corpus", "model", "codebook"))


def _read_saved(
    source: str | os.PathLike[str],
    where: Mapping[str, str] | None,
    given: Mapping[str, Any],
) -> Corpus:
    """Return the documents of a saved corpus that meet the conditions."""
    check_settings(os.fspath(source), SAVED, given, where)
    selection = Where(where, given.get("label_field"), given.get("id_field"))
    saved = Corpus.load(source) if os.path.isfile(source) else Corpus.open(source)
    corpus = _select(saved, selection)
    if not len(corpus):
        raise ValueError(nothing_message(os.fspath(source), where))
    return corpus


def _batch(stream: Iterator[Record], size: int | None) -> Iterator[Record]:
    """Yield records until they reach the size, or all of them."""
    left = np.inf if size is None else size
    for record in stream:
        yield record
        words = () if record.counts is None else record.counts[0]
        left -= _RECORD + len(record.text or "") + 16 * len(words)
        if left <= 0:
            return


def _corpus(
    records: Records,
    gathered: Gathered,
    vectorizer: TextVectorizer,
    keep_texts: bool,
) -> Corpus:
    """Count the words of records."""
    fitted = getattr(vectorizer, "vocabulary_", None)
    analyser = None
    if records.has_counts:
        counts: Any = stack_counts(gathered, records.n_words)
        words = records.vocabulary
    else:
        counts = _count((record.text or "" for record in gathered), vectorizer)
        words, analyser = vectorizer.vocabulary_, analyser_of(records, vectorizer)
    lazy = _lazy_texts(gathered, records.encoding)
    texts = gathered.texts if keep_texts and not records.has_counts else lazy
    corpus = gathered.corpus(counts, words, texts, analyser)
    if records.has_counts and fitted is not None:
        return corpus.align(fitted)
    return corpus


def analyser_of(records: Records, vectorizer: TextVectorizer) -> dict[str, Any]:
    """Return how texts were counted, and how they were read if not by default."""
    analyser = vectorizer.to_dict()
    return {**analyser, "reading": dict(records.kept)} if records.kept else analyser


def _count(texts: Iterable[str], vectorizer: TextVectorizer) -> Any:
    """Count the words of texts, to which an unfitted vectorizer is fitted."""
    if hasattr(vectorizer, "vocabulary_"):
        return vectorizer.transform(texts)
    return vectorizer.fit_transform(texts)


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
    """Return the message for a source that has none of the wanted documents."""
    wanted = ", ".join(f"{field}={value}" for field, value in (where or {}).items())
    name = display_name(source)
    return f"{name} holds no document" + (f" with {wanted}." if wanted else ".")
