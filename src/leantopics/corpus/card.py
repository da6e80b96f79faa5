"""What a notebook shows of a corpus: its size, its first documents, frequent words."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from leantopics._card import Row, card
from leantopics._words import counted

if TYPE_CHECKING:
    from leantopics.corpus.corpus import Corpus

_DOCUMENTS, _WORDS, _BEGINNING = 5, 12, 200


def corpus_card(corpus: "Corpus") -> str:
    """Return the size of a corpus and its first documents as a small page.

    Counts on disk are not read.
    """
    fields = sorted({key for row in (corpus.metadata or [])[:100] for key in row})
    parts = [
        counted(corpus.n_docs, "document"),
        f"{corpus.n_words:,} different words",
        f"{corpus.n_tokens:,.0f} in all" if not corpus.is_on_disk else "on disk",
    ]
    known = [name for name in ("labels", "texts") if getattr(corpus, name) is not None]
    given = ", ".join([*known, *(f"the field {name}" for name in fields)])
    rows = [_document(corpus, d) for d in range(min(_DOCUMENTS, corpus.n_docs))]
    left = corpus.n_docs - len(rows)
    return card(
        "Corpus",
        f"{', '.join(parts)}{f'; with {given}' if given else ''}.",
        rows,
        rest=f"and {left:,} more" if left else "",
        hint=f"frequent words: {_frequent(corpus)}" if not corpus.is_on_disk else "",
    )


def _document(corpus: "Corpus", d: int) -> Row:
    """Return the line of a document: its id, length, labels and beginning."""
    labels = ", ".join(corpus.labels[d]) if corpus.labels else ""
    try:
        text = corpus.texts[d][:_BEGINNING] if corpus.texts is not None else ""
    except (OSError, ValueError):  # its file is gone
        text = ""
    first, last = corpus.counts.indptr[d], corpus.counts.indptr[d + 1]
    length = float(corpus.counts.data[first:last].sum())
    more = " · ".join(part for part in (labels, text) if part)
    return Row(corpus.ids[d], length, f"{length:,.0f}", more)


def _frequent(corpus: "Corpus") -> str:
    total: npt.NDArray[np.float64] = np.asarray(corpus.counts.sum(axis=0)).ravel()
    order = np.argsort(-total, kind="stable")[:_WORDS]
    return ", ".join(corpus.vocabulary[n] for n in order)
