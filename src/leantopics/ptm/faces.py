"""The faces of a fitted model: tables, a page, and what a notebook shows of it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sklearn.utils.validation import check_is_fitted

from leantopics.ptm import tables
from leantopics.ptm.card import fitted_card
from leantopics.ptm.fitted import FittedModel

if TYPE_CHECKING:
    from leantopics.ptm.estimator import ParsimoniousTopicModel
    from leantopics.report.inline import Page


class Faces(FittedModel):
    """The part of `ParsimoniousTopicModel` that shows a model to people."""

    def topics_frame(self, *, level: str | int | None = None, n_words: int = 10) -> Any:
        """The topics as a data frame, pandas or else polars, one row for each.

        Parameters
        ----------
        level : {"themes", "topics"} or int, optional
            Themes, the finer topics below them, or so many groups of these; by default
            the topics of this model.
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
        return tables.topics_frame(self._itself(), level, n_words)

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
        return tables.documents_frame(self._itself(), X, level)

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

        return Page.of(self._itself(), X, **options).write(path)

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

        return Page.of(self._itself(), X, height=height, **options)

    def _card(self) -> str:
        return fitted_card(self)

    def _itself(self) -> "ParsimoniousTopicModel":
        return cast("ParsimoniousTopicModel", self)
