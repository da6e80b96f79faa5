"""The faces of a fitted model: tables, a page, and what a notebook shows of it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from leantopics._frames import frame
from leantopics.corpus import Corpus
from leantopics.models.levels import model_at
from leantopics.ptm.attached_texts import kept_corpus
from leantopics.ptm.card import fitted_card
from leantopics.ptm.fitted import FittedModel

if TYPE_CHECKING:
    from leantopics.report.inline import Page

_BEGINNING = 100
"""Characters of a text that a table shows."""


class Faces(FittedModel):
    """The part of `ParsimoniousTopicModel` that shows a model to people."""

    def topics_frame(self, *, level: str | int | None = None, n_words: int = 10) -> Any:
        """The topics as a data frame, pandas or else polars, one row for each.

        Parameters
        ----------
        level : {"themes", "topics"} or int, optional
            Themes, the finer topics below them, or a number of groups of these; by
            default the topics of this model.
        n_words : int
            Number of top words.

        Returns
        -------
        DataFrame
            With the columns topic, name, share (of all words), documents,
            salient_words and words; of finer topics theme and theme_name; and, if
            measured, agreement (with repeated fits).

        Examples
        --------
        >>> from leantopics import ParsimoniousTopicModel, make_corpus
        >>> corpus, _ = make_corpus(200, 100, 3)
        >>> model = ParsimoniousTopicModel(3, random_state=0).fit(corpus)
        >>> list(model.topics_frame().columns)
        ['topic', 'name', 'share', 'documents', 'salient_words', 'words']
        """
        check_is_fitted(self)
        at: Any = model_at(self, level)
        forms = dict(zip(at.vocabulary_, at.surface_forms, strict=True))
        topics = range(at.n_topics_)
        columns: dict[str, Any] = {
            "topic": topics,
            "name": at.topic_names,
            "share": at.topic_mass_.tolist(),
            "documents": at.n_documents_.tolist(),
            "salient_words": at.n_salient_words_.tolist(),
            "words": [
                " ".join(forms[word] for word, _ in at.top_words(j, n_words))
                for j in topics
            ],
        }
        if at is self.finer_ and self.parents_ is not None:
            names = self.topic_names
            columns["theme"] = self.parents_.tolist()
            columns["theme_name"] = [names[k] for k in self.parents_]
        if at.stability_ is not None:
            columns["agreement"] = at.stability_.mean_agreement.tolist()
        return frame(columns)

    def documents_frame(self, X: Any = None, *, level: str | int | None = None) -> Any:
        """The documents as a data frame, each with the topic that has most of it.

        Parameters
        ----------
        X : Corpus, texts, array or sparse matrix, optional
            The documents. They can be left out for those of the fit.
        level : {"themes", "topics"} or int, optional
            As in `topics_frame`.

        Returns
        -------
        DataFrame
            With the columns document, topic, name, share (of the document) and topics
            (their number); of finer topics theme_name; and of a corpus its labels,
            metadata and the beginning of the text.

        Examples
        --------
        >>> from leantopics import ParsimoniousTopicModel, make_corpus
        >>> corpus, _ = make_corpus(200, 100, 3)
        >>> model = ParsimoniousTopicModel(3, random_state=0).fit(corpus)
        >>> model.documents_frame(corpus).shape
        (200, 6)
        """
        check_is_fitted(self)
        at: Any = model_at(self, level)
        given = documents_of(self, X)
        corpus = given if isinstance(given, Corpus) else None
        shares = at.topic_proportions_ if given is None else at.document_topics(given)
        main, rows = (
            np.asarray(shares.argmax(axis=1)).ravel(),
            np.arange(shares.shape[0]),
        )
        names = at.topic_names
        columns: dict[str, Any] = {
            "document": [str(d) for d in rows] if corpus is None else list(corpus.ids),
            "topic": main.tolist(),
            "name": [names[j] for j in main],
        }
        if at is self.finer_ and self.parents_ is not None:
            above = self.topic_names
            columns["theme_name"] = [above[k] for k in self.parents_[main]]
        columns["share"] = np.asarray(shares[rows, main]).ravel().tolist()
        columns["topics"] = np.diff(shares.indptr).tolist()
        known = {} if corpus is None else _known(corpus)
        return frame(columns | {k: v for k, v in known.items() if k not in columns})

    def report(
        self, path: str | os.PathLike[str], X: Any = None, **options: Any
    ) -> Path:
        """Write one HTML page about the model, which needs no network.

        Parameters
        ----------
        path : path
            The file to write.
        X : Corpus or texts, optional
            Documents to show, those of the fit or others. They can be left out if the
            model has its documents, from `leantopics.fit_texts`.
        **options
            Options of `leantopics.report.summarise`, such as ``title`` and ``by``.

        Examples
        --------
        >>> import tempfile
        >>> from leantopics import ParsimoniousTopicModel, make_corpus
        >>> corpus, _ = make_corpus(200, 100, 3)
        >>> model = ParsimoniousTopicModel(3, random_state=0).fit(corpus)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.report(folder + "/page.html", corpus).stat().st_size > 10_000
        True
        """
        check_is_fitted(self)
        from leantopics.report.inline import Page

        return Page.of(self, X, **options).write(path)

    def show(self, X: Any = None, *, height: int = 720, **options: Any) -> "Page":
        """Show the page of `report` in a notebook, below the cell.

        Parameters
        ----------
        X, **options
            As in `report`.
        height : int
            Height in pixels.

        Returns
        -------
        Page
            Notebooks show it; elsewhere, its ``write`` writes it to a file.
        """
        check_is_fitted(self)
        from leantopics.report.inline import Page

        return Page.of(self, X, height=height, **options)

    def _card(self) -> str:
        return fitted_card(self)


def documents_of(model: FittedModel, X: Any) -> Any:
    """Return documents given, or those that the model has; None if it has none."""
    if X is not None:
        return X
    return kept_corpus(model) if model.corpus_ is None else model.corpus_


def _known(corpus: Corpus) -> dict[str, list[Any]]:
    """What is known about documents: labels, metadata, and how their texts begin."""
    columns: dict[str, list[Any]] = {}
    if corpus.labels is not None:
        columns["labels"] = [", ".join(labels) for labels in corpus.labels]
    rows = list(corpus.metadata or [])
    for field in dict.fromkeys(key for row in rows for key in row):
        columns[field] = [row.get(field) for row in rows]
    if corpus.texts is not None:
        columns["text"] = [
            " ".join(corpus.texts[d][: 2 * _BEGINNING].split())[:_BEGINNING]
            for d in range(len(corpus))
        ]
    return columns
