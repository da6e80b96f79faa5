"""Abstracts of NSF awards, for those who have them."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from leantopics.corpus import Corpus
from leantopics.datasets.counting import count_words, long_word_vectorizer
from leantopics.datasets.source import SUFFIXES, VARIABLE, PathLike, absent
from leantopics.io import Record, open_records

if TYPE_CHECKING:
    from leantopics.text import TextVectorizer

_FIELD = re.compile(r"^([A-Z][\w.# ]*?) *:(.*(?:\n[ \t].*)*)", re.MULTILINE)


def load_nsf(
    *, vectorizer: "TextVectorizer | None" = None, folder: PathLike | None = None
) -> Corpus:
    """Load the NSF Research Award Abstracts 1990-2003, about 129000 documents.

    They have no public home that we could vouch for; the UCI KDD archive had them, as
    three archives ``Part1.zip`` to ``Part3.zip`` of text files.

    Parameters
    ----------
    vectorizer : TextVectorizer, optional
        As in `load_reuters`; by default ``long_word_vectorizer(min_df=5)``.
    folder : path, optional
        Where the corpus is, if not in ``LEANTOPICS_DATA``: either ``nsf.jsonl`` (also
        compressed as ``.xz``, ``.zst`` or ``.gz``), one JSON object a line with
        ``id``, ``text`` and perhaps ``labels``; or the folder ``nsf`` with the text
        files of UCI, at any depth, whose first lines are fields such as ``Title``,
        ``NSF Org`` and, as the last one, ``Abstract``.

    Returns
    -------
    Corpus
        From text files: title and abstract, labelled by the NSF organisation; awards
        without an abstract are left out.
    """
    chosen = folder or os.environ.get(VARIABLE)
    records = _records(Path(chosen)) if chosen else None
    if records is None:
        raise absent("nsf.jsonl.xz", chosen, "or the folder nsf of the text files")
    return count_words(records, vectorizer or long_word_vectorizer(min_df=5))


def _records(folder: Path) -> Iterable[Record] | None:
    """Return the records in a folder, None if they are not there."""
    for suffix in SUFFIXES:
        if (file := folder / f"nsf.jsonl{suffix}").is_file():
            return open_records(file)
    if (files := folder / "nsf").is_dir():
        return _awards(open_records(files, encoding="latin-1"))
    return None


def _awards(records: Iterable[Record]) -> Iterator[Record]:
    """Yield the awards that have an abstract."""
    for record in records:
        fields = parse_award(record.text or "")
        abstract = fields["Abstract"]
        if abstract and abstract != "Not Available":
            title, place = fields.get("Title", ""), fields.get("NSF Org", "")
            yield Record(
                Path(record.id).stem,
                f"{title}\n\n{abstract}",
                labels=[place] if place else [],
            )


def parse_award(text: str) -> dict[str, str]:
    r"""Return the fields of an award: "Title", "NSF Org", "Abstract" and others.

    Examples
    --------
    >>> parse_award("Title       : On\n   cats\nAbstract    :\n\n  They purr.\n")
    {'Title': 'On cats', 'Abstract': 'They purr.'}
    """
    # Within an abstract, a line may look like a field.
    head, *abstract = re.split("^Abstract *:", text, maxsplit=1, flags=re.MULTILINE)
    fields = dict(_FIELD.findall(head)) | {"Abstract": "".join(abstract)}
    return {name: " ".join(value.split()) for name, value in fields.items()}
