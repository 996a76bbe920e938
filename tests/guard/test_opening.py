"""When a location is closed for long enough that its board can be updated."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from guard.opening import MOST_PARTS, Hours
from menu.documents.manifest import Location
from menu.documents.schedule import Daypart
from menu.rules.opening_hours import opening
from player.device.board_file import board_facts
from tests.player.domain.findings.states import playing

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime(2026, 11, 16, tzinfo=BERLIN)
LUNCH = {"days": [], "start": 11 * 60, "end": 15 * 60, "zone": "Europe/Berlin"}
BAR = {"days": [4, 5], "start": 18 * 60, "end": 4 * 60, "zone": "Europe/Berlin"}


def quiet(parts: Any, *moments: datetime) -> list[bool]:
    return [Hours.read(parts, moment).quiet(moment) for moment in moments]


def test_half_an_hour_before_it_opens_nothing_begins_any_more() -> None:
    at = MONDAY.replace(hour=10, minute=30)
    looks = [at, at + timedelta(minutes=1), at.replace(hour=14, minute=59), at.replace(hour=15, minute=0)]
    assert quiet([LUNCH], *looks) == [True, False, False, True]


def test_hours_over_midnight_belong_to_the_day_on_which_they_start() -> None:
    friday, saturday, sunday, monday = (MONDAY.replace(hour=3) + timedelta(days=n) for n in (4, 5, 6, 7))
    assert quiet([BAR], friday, saturday, sunday, monday) == [True, False, False, True]
    over_the_week = {**BAR, "days": [6]}
    assert quiet([over_the_week], sunday, monday, monday + timedelta(hours=1)) == [True, False, True]


def test_hours_follow_the_clocks_of_their_zone() -> None:
    for summer in (MONDAY, MONDAY.replace(month=7), datetime(2026, 10, 25, tzinfo=BERLIN)):
        assert quiet([LUNCH], summer.replace(hour=10, minute=29), summer.replace(hour=10, minute=31)) == [True, False]
    tokyo = {**LUNCH, "zone": "Asia/Tokyo"}
    assert quiet([tokyo], MONDAY.replace(hour=3), MONDAY.replace(hour=12)) == [False, True]


@pytest.mark.parametrize(
    "parts",
    [
        None,
        [],
        [{"days": [], "start": 0, "end": 0, "zone": "UTC"}],
        [{"days": [], "start": 0, "end": 23 * 60 + 30, "zone": "UTC"}],
        [LUNCH, {**LUNCH, "zone": "No/Where"}],
        [LUNCH, {**LUNCH, "zone": "../../etc/shadow"}],
        [LUNCH, {**LUNCH, "zone": 5}],
        [LUNCH, {**LUNCH, "start": 1440}],
        [LUNCH, {**LUNCH, "start": True}],
        [LUNCH, {**LUNCH, "end": -1}],
        [LUNCH, {**LUNCH, "end": 1e300}],
        [LUNCH, {**LUNCH, "days": [7]}],
        [LUNCH, {**LUNCH, "days": "monday"}],
        [LUNCH, {"days": []}],
        [LUNCH, "11:00-15:00"],
        [LUNCH] * (MOST_PARTS + 1),
        {"start": 1},
        "always",
        7,
    ],
    ids=repr,
)
def test_where_nobody_can_tell_or_it_never_closes_every_time_is_as_good(parts: Any) -> None:
    hours = Hours.read(parts, MONDAY)
    assert not hours.known
    assert all(hours.quiet(MONDAY + timedelta(hours=n)) for n in range(24 * 7))


@pytest.mark.long
def test_it_is_open_for_the_guard_when_it_is_for_the_board() -> None:
    hours = (
        Daypart(days=frozenset({0, 1, 2}), start=8 * 60, end=14 * 60),
        Daypart(days=frozenset({4, 5, 6}), start=17 * 60 + 30, end=90),
        Daypart(days=frozenset({3}), start=600, end=1440, timezone="America/New_York"),
    )
    location = Location(
        id="loc_1", name="", timezone="Europe/Berlin", currency="EUR", locale="de-DE", opening_hours=hours
    )
    for n in range(7 * 24 * 4):
        at = MONDAY + timedelta(minutes=15 * n)
        after = at + timedelta(minutes=30)
        known = opening(location, at)
        assert known is not None
        stays_closed = not known.eligible and (known.end is None or known.end >= after)
        assert Hours.read(told(location), at).quiet(at) == stays_closed, at


def told(location: Location) -> Any:
    return board_facts(replace(playing().state, location=location))["hours"]
