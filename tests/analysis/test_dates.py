import pytest

from leantopics import Corpus
from leantopics.analysis.dates import find_dates


def dated(dates, field="date"):
    return Corpus([[1]] * len(dates), metadata=[{field: date} for date in dates])


@pytest.mark.parametrize(
    ("dates", "period"),
    [
        ([f"2026-01-{d:02}" for d in range(1, 29)], "day"),
        ([f"2026-{1 + d % 12:02}-{1 + d % 28:02}" for d in range(400)], "month"),
        ([f"{1900 + d}-05-01T10:00:00" for d in range(100)], "year"),
        ([1987, 1988, 1989], "year"),
        (["1987-02", "1987-03"], "month"),
        (["26-FEB-1987 15:01:01.79", "3-MAR-1987 09:00:00.10"], "day"),
        ([f"{m} 5, 1987" for m in ("Jan.", "Feb", "March")] * 20, "day"),
        ([f"Thu, {d % 28 + 1} Aug 19{d:02} 10:00:00 GMT" for d in range(99)], "year"),
    ],
)
def test_the_period_suits_the_dates(dates, period):
    assert find_dates(dated(dates)) == ("date", period)


@pytest.mark.parametrize(
    "dates",
    [
        ["2026-01-01"] * 5,
        ["yesterday", "today"],
        ["26-FEB-1987"] * 3,
        ["02/26/1987", "03/26/1987"],  # which is the month?
        ["30 Feb 1987", "31 Feb 1987"],
        ["1 Foo 1987", "2 Foo 1987"],
        [None, "2026"],
    ],
)
def test_what_is_no_date_or_does_not_vary_is_not_shown(dates):
    assert find_dates(dated(dates)) is None


def test_other_fields_are_tried():
    assert find_dates(dated([1987, 1988], "year")) == ("year", "year")
    assert find_dates(dated([1987, 1988], "colour")) is None
