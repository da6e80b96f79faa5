"""Dates of documents: which field has them, and which periods suit them."""

from leantopics.analysis.groups import PERIODS, groups_of
from leantopics.corpus import Corpus

FIELDS = ("date", "datetime", "published", "created", "time", "timestamp", "year")
"""Names of fields that may hold dates, the likeliest first."""
MOST_PERIODS = 40
"""Most points of a line over time."""


def find_dates(corpus: Corpus) -> tuple[str, str] | None:
    """Return the field with dates of most documents, and the period to show them by.

    The period is the shortest that gives no more than `MOST_PERIODS` points, or years.
    Returns None if there are no dates (see `groups_of`), or all are of one period.

    Examples
    --------
    >>> dates = [{"date": f"20{d:02}-05-01"} for d in range(20)]
    >>> find_dates(Corpus([[1]] * 20, metadata=dates))
    ('date', 'day')
    >>> find_dates(Corpus([[1]] * 20)) is None
    True
    """
    if corpus.metadata is None:
        return None
    for field in FIELDS:
        dated = sum(1 for row in corpus.metadata if row.get(field) not in (None, ""))
        if 2 * dated < corpus.n_docs:
            continue
        for period in sorted(PERIODS, key=lambda each: -PERIODS[each]):
            try:
                found = set(groups_of(corpus, field, period)) - {None}
            except ValueError:
                continue
            if len(found) > 1 and (len(found) <= MOST_PERIODS or period == "year"):
                return field, period
    return None
