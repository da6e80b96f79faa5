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
    ],
)
def test_the_period_suits_the_dates(dates, period):
    assert find_dates(dated(dates)) == ("date", period)


@pytest.mark.parametrize(
    "dates",
    [["2026-01-01"] * 5, ["yesterday", "today"], ["26-FEB-1987"] * 3, [None, "2026"]],
)
def test_what_is_no_date_or_does_not_vary_is_not_shown(dates):
    assert find_dates(dated(dates)) is None


def test_other_fields_are_tried():
    assert find_dates(dated([1987, 1988], "year")) == ("year", "year")
    assert find_dates(dated([1987, 1988], "colour")) is None
