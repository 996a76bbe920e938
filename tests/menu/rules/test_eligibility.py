"""The interval in which an entry stays eligible or not: by cases, and compared with a check of every minute."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from menu.documents.schedule import Daypart, Schedule, Window
from menu.rules.eligibility import Eligibility, Rule
from tests.menu.rules.oracle import eligible
from tests.menu.rules.versions import BERLIN, at, daily, utc, window
from tests.support.examples import examples

YEAR = timedelta(days=400)
MINUTE = timedelta(minutes=1)
ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Asia/Beirut", "Asia/Tokyo"]


def ask(
    t: datetime, *scene: Schedule, only: Schedule | None = None, zone: ZoneInfo = BERLIN, reach: timedelta = YEAR
) -> Eligibility:
    return Rule(scene=scene, attachment=only, zone=zone).at(t, floor=t - reach, ceiling=t + reach)


def instant(text: str) -> datetime | None:
    return None if text == "-" else at(text if "T" in text else f"2026-11-{text}")


def span(text: str) -> tuple[datetime | None, datetime | None]:
    start, end = text.split(" .. ")
    return instant(start), instant(end)


ADVENT = window("2026-11-20T08:00", "2026-12-24T12:00")
NO_21ST, NO_21ST_NIGHT = (daily(*hours, but_not=["2026-11-21"]) for hours in (("06:00", "11:00"), ("22:00", "02:00")))
BREAKFAST, LUNCH, NIGHT = daily("06:00", "11:00"), daily("11:00", "15:00"), daily("22:00", "02:00")

CASES = [
    # schedules, attachment, when, eligible, unchanged since .. until, why; Berlin's time, in November where no month is
    ((), None, "20 09:00", True, "- .. -", "no schedule: always"),
    ((BREAKFAST,), None, "20 09:00", True, "20 06:00 .. 20 11:00", "within"),
    ((BREAKFAST,), None, "20 06:00", True, "20 06:00 .. 20 11:00", "the start belongs to it"),
    ((BREAKFAST,), None, "20 11:00", False, "20 11:00 .. 21 06:00", "the end does not"),
    ((BREAKFAST, LUNCH), None, "20 09:00", True, "20 06:00 .. 20 15:00", "neighbours join"),
    ((NIGHT,), None, "20 00:30", True, "19 22:00 .. 20 02:00", "past midnight"),
    ((daily("22:00", "02:00", "fri"),), None, "21 01:00", True, "20 22:00 .. 21 02:00", "Friday"),
    ((daily("22:00", "02:00", "fri"),), None, "20 01:00", False, "14 02:00 .. 20 22:00", "not yet"),
    ((daily("00:00", "24:00"),), None, "20 09:00", True, "- .. -", "all day, every day"),
    ((NO_21ST,), None, "20 12:00", False, "20 11:00 .. 22 06:00", "not on the 21st"),
    ((NO_21ST_NIGHT,), None, "21 01:00", True, "20 22:00 .. 21 02:00", "begun on the 20th"),
    ((NO_21ST_NIGHT,), None, "21 23:00", False, "21 02:00 .. 22 22:00", "nor its night"),
    ((daily("07:00", "07:00"),), None, "20 09:00", True, "- .. -", "equal start and end, every day"),
    ((daily("00:00", "24:00", "sat", "sun"),), None, "22 09:00", True, "21 00:00 .. 23 00:00", "a weekend"),
    ((BREAKFAST,), daily("10:00", "12:00"), "20 10:30", True, "20 10:00 .. 20 11:00", "both"),
    ((BREAKFAST,), daily("10:00", "12:00"), "20 11:30", False, "20 11:00 .. 21 10:00", "one only"),
    ((BREAKFAST,), daily("12:00", "14:00"), "20 09:00", False, "- .. -", "they never meet"),
    ((), LUNCH, "20 12:00", True, "20 11:00 .. 20 15:00", "the attachment alone"),
    ((ADVENT,), None, "2026-12-01T00:00", True, "20 08:00 .. 2026-12-24T12:00", "a window"),
    ((ADVENT, BREAKFAST), None, "19 12:00", False, "19 11:00 .. 20 06:00", "or"),
    ((BREAKFAST,), window("2026-12-01T08:00", "2026-12-02T09:00"), "20 09:00", False, "- .. 2026-12-01T08:00", "and"),
    ((window("2020-01-01T00:00", "2020-02-01T00:00"),), None, "20 09:00", False, "- .. -", "long over"),
    ((daily("08:00", "09:00", timezone="Asia/Tokyo"),), None, "20 00:30", True, "20 00:00 .. 20 01:00", "Tokyo's"),
    # Once a year, and only because of a clock change:
    ((daily("02:00", "03:00"), daily("03:00", "02:00")), None, "20 09:00", True, "- .. -", "nothing is left out"),
    ((daily("22:00", "03:10"), daily("02:50", "22:00")), None, "20 09:00", True,
     "2026-03-29T03:50 .. 2027-03-28T03:10", "02:50 is 03:50 on that day: a hole of 40 minutes a year"),
    ((daily("01:30", "02:30"),), daily("02:30", "03:00"), "20 09:00", False, "- .. -", "moved together: never"),
    ((daily("03:00", "03:40"),), daily("02:20", "02:40"), "20 09:00", False,
     "2026-03-29T03:40 .. 2027-03-28T03:20", "20 minutes a year, on the night of the change"),
]  # fmt: skip


@pytest.mark.parametrize(("scene", "only", "when", "expected", "unchanged", "why"), CASES)
def test_eligibility_lasts_from_change_to_change(
    scene: tuple[Schedule, ...], only: Schedule | None, when: str, expected: bool, unchanged: str, why: str
) -> None:
    t = instant(when)
    assert t is not None
    found = ask(t, *scene, only=only)
    assert found.eligible == expected, why
    assert (found.start, found.end) == span(unchanged), why


def test_changes_outside_the_search_are_not_found() -> None:
    far = window("2027-11-20T08:00", "2027-12-01T00:00")
    assert ask(at("2026-11-20T08:00"), far, reach=timedelta(days=365)).end == at("2027-11-20T08:00")
    assert ask(at("2026-11-20T08:00"), far, reach=timedelta(days=364)).end is None
    assert ask(at("2028-11-30T00:00"), far, reach=timedelta(days=365)).start == at("2027-12-01T00:00")
    assert ask(at("2028-11-30T00:00"), far, reach=timedelta(days=364)).start is None


def test_a_window_over_the_whole_calendar_has_no_changes() -> None:
    always = ask(
        utc("2026-11-20T08:00"), window("0001-01-01T00:00", "9999-12-31T23:59:59"), zone=ZoneInfo("America/New_York")
    )
    assert always == Eligibility(eligible=True)


priorities = st.sampled_from([0, 0, 0, 10, 50])
faces = st.integers(0, 24 * 12 - 1).map(lambda n: n * 5)
dayparts = st.builds(
    Daypart,
    days=st.frozensets(st.integers(0, 6)),
    start=faces,
    end=st.one_of(faces, st.just(1440)),
    timezone=st.sampled_from([None, None, None, "America/New_York", "Australia/Lord_Howe", "Asia/Tokyo"]),
    priority=priorities,
    exceptions=st.frozensets(
        st.sampled_from(["2026-03-08", "2026-03-28", "2026-03-29", "2026-10-25", "2011-12-29", "1993-08-20"]).map(
            date.fromisoformat
        ),
        max_size=2,
    ),
)
moments = st.sampled_from(
    # around clock changes, in either hemisphere, and on no particular day
    [
        utc(t)
        for t in ("2026-03-08T07:00", "2026-03-29T01:00", "2026-04-04T15:00", "2026-10-25T01:00", "2026-11-01T06:00")
    ]
).flatmap(lambda t: st.integers(-3000, 3000).map(lambda minutes: t + timedelta(minutes=minutes)))
windows = st.tuples(moments, st.integers(1, 5000), priorities).map(
    lambda drawn: Window(
        starts_at=drawn[0].replace(tzinfo=None),
        ends_at=drawn[0].replace(tzinfo=None) + timedelta(minutes=drawn[1]),
        priority=drawn[2],
    )
)
schedules = st.one_of(dayparts, dayparts, windows)


@examples(40)
@given(
    scene=st.lists(schedules, max_size=3),
    only=st.one_of(st.none(), schedules),
    t=moments,
    zone=st.sampled_from(ZONES).map(ZoneInfo),
)
@example(scene=[daily("22:00", "03:10"), daily("02:50", "22:00")], only=None, t=utc("2026-03-29T01:20"), zone=BERLIN)
def test_the_interval_agrees_with_a_check_of_every_minute(
    scene: list[Schedule], only: Schedule | None, t: datetime, zone: ZoneInfo
) -> None:
    agree_with_every_minute(scene, only, t, zone)


@pytest.mark.proves("date-never-apia")
@examples(20)
@given(
    scene=st.lists(dayparts, min_size=1, max_size=3),
    skipped=st.sampled_from([("Pacific/Apia", "2011-12-30T10:00"), ("Pacific/Kwajalein", "1993-08-21T12:00")]),
    minutes=st.integers(-4000, 4000),
)
@example(scene=[daily("09:00", "17:00", "fri")], skipped=("Pacific/Apia", "2011-12-30T10:00"), minutes=600)
def test_a_date_that_never_was_is_no_exception(scene: list[Schedule], skipped: tuple[str, str], minutes: int) -> None:
    zone, change = skipped
    agree_with_every_minute(scene, None, utc(change) + timedelta(minutes=minutes), ZoneInfo(zone))


def agree_with_every_minute(scene: list[Schedule], only: Schedule | None, t: datetime, zone: ZoneInfo) -> None:
    found = ask(t, *scene, only=only, zone=zone)
    assert found.eligible == eligible(scene, only, t, zone)
    # Its edges are changes, and nothing changes on the way to them.
    for edge in filter(None, (found.start, found.end)):
        assert eligible(scene, only, edge, zone) != eligible(scene, only, edge - MINUTE, zone)
    low = max(found.start or t - timedelta(days=2), t - timedelta(days=2))
    high = min(found.end or t + timedelta(days=2), t + timedelta(days=2))
    step = max(MINUTE, (high - low) // 40)
    looked = low
    while looked < high:
        assert eligible(scene, only, looked, zone) == found.eligible
        looked += step


@given(scene=st.lists(dayparts, min_size=1, max_size=4), only=st.one_of(st.none(), dayparts))
def test_the_search_finds_the_same_as_a_walk_day_by_day(scene: list[Daypart], only: Daypart | None) -> None:
    t = utc("2026-06-10T12:00")
    found = ask(t, *scene, only=only, reach=timedelta(days=150))
    rule = Rule(scene=tuple(scene), attachment=only, zone=BERLIN)
    ahead, behind = t, t
    while ahead < t + timedelta(days=150):
        piece = rule.at(ahead, floor=ahead - timedelta(hours=1), ceiling=ahead + timedelta(days=1))
        if piece.end:
            break
        ahead += timedelta(days=1)
    else:
        piece = Eligibility(eligible=found.eligible)
    assert found.end == piece.end
    while behind > t - timedelta(days=150):
        piece = rule.at(behind, floor=behind - timedelta(days=1), ceiling=behind + timedelta(hours=1))
        if piece.start:
            break
        behind -= timedelta(days=1)
    else:
        piece = Eligibility(eligible=found.eligible)
    assert found.start == piece.start
