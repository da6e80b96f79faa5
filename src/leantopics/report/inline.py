"""The page of a model, written to a file or shown in a notebook."""

import html
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from leantopics import _frames
from leantopics.corpus import Corpus
from leantopics.ptm.faces import documents_of
from leantopics.report.render import to_html
from leantopics.storage import atomic_file

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel

_SANDBOX = "allow-scripts allow-downloads allow-popups"


class Page(NamedTuple):
    """A page about a model."""

    html: str
    height: int
    """In pixels, in a notebook."""

    @classmethod
    def of(
        cls,
        model: "ParsimoniousTopicModel",
        X: Any = None,
        *,
        height: int = 720,
        **options: Any,
    ) -> Self:
        """Make the page of a model; see `ParsimoniousTopicModel.report`."""
        return cls(to_html(model, corpus_of(model, X), **options), height)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file."""
        with atomic_file(Path(path)) as file:
            file.write(self.html.encode("utf-8", errors="replace"))
        return Path(path)

    def __repr__(self) -> str:
        return f"Page of {len(self.html):,} characters; write(path) saves it."

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own, apart from the notebook."""
        # Without a base, links inside the page would lead to the notebook.
        own = self.html.replace("<head>", '<head><base href="about:srcdoc">', 1)
        return (
            f'<iframe title="Report of the model" srcdoc="{html.escape(own)}" '
            f'sandbox="{_SANDBOX}" loading="lazy" style="width:100%;'
            f'height:{int(self.height)}px;border:1px solid #8884;border-radius:4px">'
            "</iframe>"
        )


def corpus_of(model: "ParsimoniousTopicModel", X: Any) -> Corpus | None:
    """Return documents as a corpus: those given, or else those that the model has."""
    found = documents_of(model, X)
    if found is None or isinstance(found, Corpus):
        return found
    counts = model._counts(found, reset=False)[0]
    items = [] if len(getattr(found, "shape", ())) == 2 else _frames.items(found)
    texts = items if items and isinstance(items[0], str) else None
    analyser = None if texts is None else model.analyser_
    return Corpus(counts, model.vocabulary_, texts=texts, analyser=analyser)
