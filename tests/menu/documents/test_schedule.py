"""Local wall time to instants, by RFC 5545 and Temporal's "compatible", in the difficult zones."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from menu.documents.schedule import (
    Daypart,
    instant,
    intersection,
    occurrences,
    union,
    window_span,
    zone_named,
)
from tests.menu.rules.oracle import instant_by_trial
from tests.menu.rules.versions import daily, utc, window

RESOLVED = [
    # zone, wall time, instant in UTC, why
    ("Europe/Berlin", "2026-06-01T08:00", "2026-06-01T06:00", "summer"),
    ("Europe/Berlin", "2026-12-01T08:00", "2026-12-01T07:00", "winter"),
    ("Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:30", "skipped: 03:30 shows"),
    ("Europe/Berlin", "2026-03-29T02:00", "2026-03-29T01:00", "the first skipped minute: 03:00 shows"),
    ("Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30", "twice: the first"),
    ("Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00", "just after it: once"),
    ("America/New_York", "2026-03-08T02:30", "2026-03-08T07:30", "skipped: 03:30 shows"),
    ("America/New_York", "2026-11-01T01:30", "2026-11-01T05:30", "twice: the first"),
    ("Australia/Sydney", "2026-10-04T02:15", "2026-10-03T16:15", "skipped in October"),
    ("Australia/Sydney", "2026-04-05T02:15", "2026-04-04T15:15", "twice in April"),
    ("Australia/Lord_Howe", "2026-10-04T02:10", "2026-10-03T15:40", "a gap of 30 minutes: 02:40 shows"),
    ("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45", "30 minutes twice: the first"),
    ("America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T03:00", "a midnight that is skipped: 01:00 shows"),
    ("America/Sao_Paulo", "2018-02-17T23:30", "2018-02-18T01:30", "twice, before midnight: the first"),
    ("Asia/Beirut", "2026-03-29T00:00", "2026-03-28T22:00", "a midnight that is skipped"),
    ("Africa/Cairo", "2026-04-24T00:00", "2026-04-23T22:00", "a midnight that is skipped"),
    ("America/Santiago", "2026-09-06T00:00", "2026-09-06T04:00", "a midnight that is skipped"),
    ("America/Havana", "2026-11-01T00:30", "2026-11-01T04:30", "twice, just after midnight: the first"),
    ("Pacific/Apia", "2011-12-30T12:00", "2011-12-30T22:00", "a day that is skipped whole"),
    ("Asia/Kathmandu", "2026-06-01T08:00", "2026-06-01T02:15", "an offset of 5:45"),
]


@pytest.mark.parametrize(("zone", "local", "expected", "why"), RESOLVED)
def test_wall_time_is_resolved_by_the_standard(zone: str, local: str, expected: str, why: str) -> None:
    assert instant(datetime.fromisoformat(local), ZoneInfo(zone)) == utc(expected), why


@given(
    local=st.integers(0, 31 * 365 * 24 * 60).map(lambda n: datetime.fromisoformat("2005-01-01") + timedelta(minutes=n)),
    zone=st.sampled_from(sorted({row[0] for row in RESOLVED})),
)
def test_resolution_agrees_with_trying_every_offset(local: datetime, zone: str) -> None:
    assert instant(local, ZoneInfo(zone)) == instant_by_trial(local, ZoneInfo(zone))


@pytest.mark.parametrize(("zone", "local"), [("America/New_York", "9999-12-31T23:59"), ("Asia/Tokyo", "0001-01-01")])
def test_the_ends_of_the_calendar_do_not_overflow(zone: str, local: str) -> None:
    naive = datetime.fromisoformat(local)
    assert instant(naive, ZoneInfo(zone)).year == naive.year


def occurrences_on(part: Daypart, zone: str, day: str) -> list[tuple[str, str]]:
    """The occurrences that start on a local date, as UTC."""
    midnight = datetime.fromisoformat(day)
    tz = ZoneInfo(zone)
    low, high = (midnight - timedelta(days=2)).replace(tzinfo=UTC), (midnight + timedelta(days=3)).replace(tzinfo=UTC)
    spans = [
        (start, end)
        for start, end in occurrences([part], tz, low, high)
        if start.astimezone(tz).date().isoformat() == day
    ]
    return [(f"{start:%d %H:%M}", f"{end:%d %H:%M}") for start, end in spans]


OCCURRENCES = [
    # zone, daypart, the local date, occurrences in UTC (day of month and time), why
    ("Europe/Berlin", daily("06:00", "11:00"), "2026-11-20", [("20 05:00", "20 10:00")], "an ordinary day"),
    ("Europe/Berlin", daily("22:00", "02:00"), "2026-11-20", [("20 21:00", "21 01:00")], "overnight"),
    ("Europe/Berlin", daily("22:00", "02:00", "fri"), "2026-11-20", [("20 21:00", "21 01:00")], "starts on Friday"),
    ("Europe/Berlin", daily("22:00", "02:00", "sat"), "2026-11-20", [], "its Friday night is Saturday's"),
    ("Europe/Berlin", daily("08:00", "08:00"), "2026-11-20", [("20 07:00", "21 07:00")], "equal: a whole day"),
    ("Europe/Berlin", daily("00:00", "00:00"), "2026-11-20", [("19 23:00", "20 23:00")], "equal at midnight"),
    ("Europe/Berlin", daily("18:00", "24:00"), "2026-11-20", [("20 17:00", "20 23:00")], "24:00 as an end"),
    ("Europe/Berlin", daily("00:00", "24:00"), "2026-11-20", [("19 23:00", "20 23:00")], "all day"),
    ("Europe/Berlin", daily("00:00", "24:00"), "2026-03-29", [("28 23:00", "29 22:00")], "all of a day of 23 hours"),
    ("Europe/Berlin", daily("00:00", "24:00"), "2026-10-25", [("24 22:00", "25 23:00")], "all of a day of 25 hours"),
    ("Europe/Berlin", daily("08:00", "08:00"), "2026-03-28", [("28 07:00", "29 06:00")], "until the clock says 08:00"),
    ("Europe/Berlin", daily("02:00", "03:00"), "2026-03-29", [], "02:00 is 03:00 that day: empty, skipped"),
    ("Europe/Berlin", daily("02:30", "03:30"), "2026-03-29", [], "02:30 is 03:30 that day: empty, skipped"),
    ("Europe/Berlin", daily("02:30", "04:00"), "2026-03-29", [("29 01:30", "29 02:00")], "starts an hour late"),
    ("Europe/Berlin", daily("01:00", "02:30"), "2026-03-29", [("29 00:00", "29 01:30")], "keeps its length"),
    ("Europe/Berlin", daily("02:00", "03:00"), "2026-10-25", [("25 00:00", "25 02:00")], "both of the hours"),
    ("Europe/Berlin", daily("01:00", "02:30"), "2026-10-25", [("24 23:00", "25 00:30")], "ends at the first 02:30"),
    ("America/New_York", daily("23:00", "06:00"), "2026-03-07", [("08 04:00", "08 10:00")], "a night of 6 hours"),
    ("America/New_York", daily("23:00", "06:00"), "2026-10-31", [("01 03:00", "01 11:00")], "a night of 8 hours"),
    ("Australia/Lord_Howe", daily("01:00", "03:00"), "2026-10-04", [("03 14:30", "03 16:00")], "90 minutes"),
    ("Australia/Lord_Howe", daily("01:00", "03:00"), "2026-04-05", [("04 14:00", "04 16:30")], "150 minutes"),
    ("Asia/Beirut", daily("00:00", "06:00"), "2026-03-29", [("28 22:00", "29 03:00")], "begins at 01:00"),
    ("Asia/Beirut", daily("18:00", "24:00"), "2026-03-28", [("28 16:00", "28 22:00")], "24:00 is 01:00 next day"),
    ("America/Santiago", daily("00:00", "00:30"), "2026-09-06", [("06 04:00", "06 04:30")], "moved whole: 01:00-01:30"),
    # Pacific/Apia: after Thursday 29 December 2011 came Saturday 31 December.
    ("Pacific/Apia", daily("09:00", "17:00", "thu"), "2011-12-29", [("29 19:00", "30 03:00")], "an ordinary day"),
    ("Pacific/Apia", daily("09:00", "17:00", "fri"), "2011-12-30", [], "no instant is on that date"),
    ("Pacific/Apia", daily("09:00", "17:00", "fri"), "2011-12-31", [("30 19:00", "31 03:00")], "moved by 24 hours"),
    ("Pacific/Apia", daily("22:00", "02:00", "thu"), "2011-12-29", [("30 08:00", "30 12:00")], "into Saturday"),
    ("Pacific/Apia", daily("22:00", "02:00", "fri"), "2011-12-31", [], "begins at 22:00 and ends at 02:00 that day"),
    ("Pacific/Apia", daily("00:00", "24:00", "fri"), "2011-12-31", [], "a whole day that never was"),
    ("Pacific/Apia", daily("08:00", "08:00", "thu"), "2011-12-29", [("29 18:00", "30 18:00")], "until the next 08:00"),
    ("Pacific/Kwajalein", daily("09:00", "17:00", "sat"), "1993-08-22", [("21 21:00", "22 05:00")], "so it was there"),
]


@pytest.mark.parametrize(("zone", "part", "day", "expected", "why"), OCCURRENCES)
def test_an_occurrence_is_one_interval_of_instants(
    zone: str, part: Daypart, day: str, expected: list[tuple[str, str]], why: str
) -> None:
    assert occurrences_on(part, zone, day) == expected, why


@pytest.mark.parametrize(
    "zone", ["Asia/Beirut", "Africa/Cairo", "America/Santiago", "America/Sao_Paulo", "Europe/Berlin"]
)
def test_consecutive_days_have_no_gap_where_midnight_is_skipped(zone: str) -> None:
    start = datetime(2018, 1, 1, tzinfo=UTC)
    spans = union(occurrences([daily("00:00", "24:00")], ZoneInfo(zone), start, start + timedelta(days=365)))
    assert len(spans) == 1


def test_a_window_is_resolved_like_a_daypart() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert window_span(window("2026-03-29T02:30", "2026-10-25T02:30"), berlin) == (
        utc("2026-03-29T01:30"),
        utc("2026-10-25T00:30"),
    )
    assert window_span(window("2026-03-29T02:30", "2026-03-29T03:30"), berlin) is None


@pytest.mark.parametrize(
    ("starts", "ends", "expected"),
    [
        ("2011-12-30T10:00", "2012-01-02T10:00", ("2011-12-30T20:00", "2012-01-01T20:00")),
        ("2011-12-28T10:00", "2011-12-30T18:00", ("2011-12-28T20:00", "2011-12-31T04:00")),
        ("2011-12-30T10:00", "2011-12-30T20:00", ("2011-12-30T20:00", "2011-12-31T06:00")),
        ("2011-12-30T00:00", "2011-12-31T00:00", None),
    ],
)
def test_a_window_that_meets_a_date_that_never_was_moves_to_the_next_date(
    starts: str, ends: str, expected: tuple[str, str] | None
) -> None:
    span = window_span(window(starts, ends), ZoneInfo("Pacific/Apia"))
    assert span == (expected and (utc(expected[0]), utc(expected[1])))


@pytest.mark.parametrize("name", ["", "Nowhere", "Europe", "../../etc/passwd", "/etc/localtime", "\0", "x" * 5000, "é"])
def test_an_unknown_zone_is_none(name: str) -> None:
    assert zone_named(name) is None


def test_every_zone_is_found_by_its_name() -> None:
    assert all(zone_named(name) is not None for name in available_timezones())


def test_spans_that_touch_become_one() -> None:
    a, b, c, d = (utc(f"2026-11-20T{hour:02}:00") for hour in (6, 9, 11, 14))
    assert union([(b, c), (a, b)]) == [(a, c)]
    assert union([(a, c), (b, c)]) == [(a, c)]
    assert union([(c, d), (a, b)]) == [(a, b), (c, d)]
    assert intersection([(a, c)], [(b, d)]) == [(b, c)]
    assert intersection([(a, b)], [(b, c)]) == []
