"""When a machine fetches updates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from guard.window import MISSED_AFTER, USUAL, UpdateWindow, is_due, share_of

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = datetime(2026, 11, 20, 3, 30, tzinfo=BERLIN)
NOON = NIGHT.replace(hour=12)
LAST_NIGHT = NIGHT - timedelta(days=1)


def due(
    now: datetime,
    *,
    window: UpdateWindow = USUAL,
    share: float = 0.0,
    began: datetime | None = LAST_NIGHT,
    done: datetime = LAST_NIGHT,
    up_seconds: float = 1e6,
) -> bool:
    return is_due(now, window, share=share, began=began, done=done, up_seconds=up_seconds)


def test_in_its_window_a_machine_begins_once_and_never_at_another_time() -> None:
    moments = [NOON + timedelta(minutes=10 * n) for n in range(24 * 6)]
    assert [moment.hour for moment in moments if due(moment)] == [3] * 6 + [4] * 6
    assert not due(NIGHT, began=NIGHT - timedelta(minutes=20))


def test_machines_begin_one_after_the_other() -> None:
    begins = []
    for n in range(400):
        share = share_of(f"machine-{n}")
        begins.append(next(m for m in range(120) if due(NIGHT.replace(minute=0) + timedelta(minutes=m), share=share)))
    assert max(begins) <= 90
    assert all(begins.count(minute) < 20 for minute in range(91))


def test_a_window_over_midnight_is_one_window() -> None:
    window = UpdateWindow.read("23:00-01:00")
    assert window is not None
    before, after = NOON.replace(hour=23, minute=30), NOON.replace(hour=0, minute=30) + timedelta(days=1)
    assert due(before, window=window)
    assert due(after, window=window)
    assert not due(after, window=window, began=before)


def test_a_machine_that_is_off_at_night_updates_after_a_week_soon_after_a_start() -> None:
    long_ago = NOON - MISSED_AFTER
    assert due(NOON, done=long_ago, began=None, up_seconds=300)
    assert not due(NOON, done=long_ago, up_seconds=30)
    assert not due(NOON, done=long_ago, up_seconds=3600)
    assert not due(NOON, done=long_ago + timedelta(hours=1), up_seconds=300)


def test_times_of_a_wrong_clock_hold_nothing_up() -> None:
    future = datetime(2099, 1, 1, tzinfo=UTC)
    assert due(NIGHT, began=future, done=future)


@pytest.mark.parametrize("text", ["", "3-5", "03:00", "25:00-26:00", "03:00-03:00", "03:00-05:00; rm -rf /"])
def test_what_is_no_window_is_none(text: str) -> None:
    assert UpdateWindow.read(text) is None
