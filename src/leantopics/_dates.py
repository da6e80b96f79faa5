"""Dates as documents write them."""

import datetime
import re

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NAMED = re.compile(
    r"(?:[a-z]{3,9},?\s+)?"  # a day of the week
    r"(?:(?P<d>\d{1,2})[-\s](?P<m>[a-z]{3,9})\.?[-\s,]+"
    r"|(?P<month>[a-z]{3,9})\.?\s+(?P<day>\d{1,2}),?\s+)(?P<y>\d{4})(?!\d)",
    re.IGNORECASE,
)
"""A date with the name of its month, such as 16-NOV-2026 or Nov 16, 2026."""


def day_of(date: str) -> datetime.date:
    """Return the day of a date; that of a year or month alone is its first day.

    Examples
    --------
    >>> day_of("1987-06")
    datetime.date(1987, 6, 1)
    """
    known = iso_date(date)
    rest = {4: "-01-01", 7: "-01"}.get(len(known), "")
    return datetime.datetime.fromisoformat(known + rest).date()


def iso_date(date: str) -> str:
    """Return a date that names its month as ISO 8601, any other one unchanged.

    Examples
    --------
    >>> iso_date("Thu, 6 August 1987 10:00:00 GMT"), iso_date("02/06/1987")
    ('1987-08-06', '02/06/1987')
    """
    found = _NAMED.match(date.strip())
    if found is None:
        return date
    name = (found["m"] or found["month"]).lower()[:3]
    if name not in _MONTHS:
        return date
    day = int(found["d"] or found["day"])
    return f"{found['y']}-{_MONTHS.index(name) + 1:02}-{day:02}"
