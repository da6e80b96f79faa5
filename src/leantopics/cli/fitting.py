"""What commands that fit a model have in common."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leantopics import Corpus, ParsimoniousTopicModel, TextVectorizer


def check_target(path: str | Path, kind: str = "model") -> None:
    """Refuse a place where a model or corpus could not be saved, before hours of work.

    Parameters
    ----------
    path : path
        The place.
    kind : {"model", "corpus"}
        What is to be saved.
    """
    from leantopics.storage import check_target as check_saved

    target = Path(os.path.realpath(path))
    check_saved(target, kind)
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"The folder {target.parent} cannot be written to.")


def fit_and_save(
    corpus: "Corpus",
    vectorizer: "TextVectorizer",
    path: Path,
    *,
    keep_text: bool = False,
    verbose: bool = False,
    **settings: Any,
) -> "ParsimoniousTopicModel":
    """Fit a model with progress on a terminal, save it with its analyser.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    vectorizer : TextVectorizer
        What counted them; not fitted if they came as counts.
    path : path
        Where to save.
    keep_text : bool
        Whether the texts stay with the model.
    verbose : bool
        Whether to print every iteration.
    **settings
        Parameters of the model.
    """
    from leantopics import ParsimoniousTopicModel
    from leantopics.ptm.kept import keep_texts

    shown = 2 if verbose else int(sys.stderr.isatty())
    model = ParsimoniousTopicModel(**settings, verbose=shown)
    model.fit(corpus)
    model.set_params(verbose=0)
    if hasattr(vectorizer, "vocabulary_"):
        model.analyser_ = vectorizer.to_dict()
    if keep_text:
        keep_texts(model, corpus)
    model.save(path)
    return model
