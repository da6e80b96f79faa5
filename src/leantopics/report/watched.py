"""What watching found, as one self-contained HTML page."""

from typing import TYPE_CHECKING

from leantopics.corpus import Corpus
from leantopics.report.render import checksum, page_style, template

if TYPE_CHECKING:
    from leantopics.ptm.watch.result import Watched

_WORDS, _LETTERS = 15, 300


def watched_to_html(
    watched: "Watched", corpus: Corpus | None = None, title: str = "New documents"
) -> str:
    """Return the result of `ParsimoniousTopicModel.watch` as an HTML page.

    It has no script, and no text can become markup: the template escapes all of it, and
    a policy allows only the style of the page, by its checksum.

    Parameters
    ----------
    watched : Watched
        The result.
    corpus : Corpus, optional
        The documents that were watched, for their names and the first words of their
        texts.
    title : str
        Title of the page.

    Examples
    --------
    >>> from leantopics import ParsimoniousTopicModel, make_corpus
    >>> corpus, _ = make_corpus(60, 100, 3)
    >>> model = ParsimoniousTopicModel(3, random_state=0).fit(corpus)
    >>> watched_to_html(model.watch(corpus, draws=1), corpus)[:15]
    '<!DOCTYPE html>'
    """
    ids = None if corpus is None else corpus.ids
    found = watched.to_dict(ids)
    for group, known in zip(found["groups"], watched.groups, strict=True):
        group["words"] = [word for word, _ in group["words"][:_WORDS]]
        for row, document in zip(known.documents, group["documents"], strict=True):
            document["text"] = _text(corpus, int(row))
    found["changed"] = [each for each in found.pop("topics") if each["change"]]
    style = page_style()
    page: str = template("watched.html").render(
        **found, title=title, style=style, style_hash=checksum(style)
    )
    return page


def _text(corpus: Corpus | None, row: int) -> str:
    """The first words of a document, "" if its text is not there."""
    if corpus is None or corpus.texts is None:
        return ""
    text: str = " ".join(corpus.texts[row][: 4 * _LETTERS].split())
    if len(text) > _LETTERS:
        text = text[:_LETTERS].rsplit(" ", 1)[0] + " …"
    return text
