"""Countdowns: to which end, and how the time that is left reads."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from menu.documents.box import Box
from menu.documents.scene import CountdownWidget
from menu.rules.countdown import end_of
from menu.text.wording import time_left_text
from player.domain.playing.playback import play, view_at
from player.domain.view import SceneView
from tests.menu.documents.sample_documents import read, whole

BOX = Box(x=0, y=0, width=100, height=50)
BERLIN = "Europe/Berlin"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def daily(start: int, end: int, *, days: frozenset[int] = frozenset(), timezone: str | None = None) -> CountdownWidget:
    return CountdownWidget(id="c", box=BOX, start=60 * start, end=60 * end, days=days, timezone=timezone)


def test_an_instant_is_the_same_everywhere_and_comes_once() -> None:
    widget = CountdownWidget(id="c", box=BOX, ends_at=at("2026-12-31T23:00"))

    for zone in (BERLIN, "Asia/Tokyo", "Nowhere"):
        assert end_of(widget, at("2026-11-20T12:00"), zone) == at("2026-12-31T23:00")
        assert end_of(widget, at("2026-12-31T23:00"), zone) is None
        assert end_of(widget, at("2030-01-01T00:00"), zone) is None


@pytest.mark.parametrize(
    ("widget", "now", "end"),
    [
        # 20 November 2026 is a Friday.
        (daily(17, 19), "2026-11-20T15:59", None),
        (daily(17, 19), "2026-11-20T16:00", "2026-11-20T18:00"),
        (daily(17, 19), "2026-11-20T17:59", "2026-11-20T18:00"),
        (daily(17, 19), "2026-11-20T18:00", None),
        (daily(17, 19, days=frozenset({4})), "2026-11-20T17:00", "2026-11-20T18:00"),
        (daily(17, 19, days=frozenset({5})), "2026-11-20T17:00", None),
        (daily(17, 19, timezone="Asia/Tokyo"), "2026-11-20T08:30", "2026-11-20T10:00"),
        (daily(22, 2, days=frozenset({4})), "2026-11-21T00:30", "2026-11-21T01:00"),
        (daily(22, 2, days=frozenset({4})), "2026-11-22T00:30", None),
        # Each day has its own end, although nothing lies between two of them.
        (daily(0, 24), "2026-11-20T22:59", "2026-11-20T23:00"),
        (daily(8, 8), "2026-11-20T06:59", "2026-11-20T07:00"),
        (daily(8, 8), "2026-11-20T07:00", "2026-11-21T07:00"),
        # The clocks change: the hour that is skipped is not counted, the one that comes twice is.
        (daily(0, 4), "2026-03-28T23:00", "2026-03-29T02:00"),
        (daily(0, 4), "2026-10-24T22:00", "2026-10-25T03:00"),
    ],
)
def test_a_part_of_the_day_ends_as_a_schedule_does(widget: CountdownWidget, now: str, end: str | None) -> None:
    assert end_of(widget, at(now), BERLIN) == (None if end is None else at(end))


@pytest.mark.parametrize(
    ("left", "with_seconds", "without"),
    [
        (timedelta(milliseconds=1), "00:01", "00:01"),
        (timedelta(seconds=59), "00:59", "00:01"),
        (timedelta(seconds=60), "01:00", "00:01"),
        (timedelta(seconds=61), "01:01", "00:02"),
        (timedelta(minutes=59, seconds=59.2), "01:00:00", "01:00"),
        (timedelta(hours=1, minutes=20), "01:20:00", "01:20"),
        (timedelta(hours=23, minutes=59, seconds=30), "23:59:30", "1\u00a0day\u00a000:00"),
        (timedelta(days=1), "1\u00a0day\u00a000:00:00", "1\u00a0day\u00a000:00"),
        (timedelta(days=400, seconds=1), "400\u00a0days\u00a000:00:01", "400\u00a0days\u00a000:01"),
    ],
)
def test_what_has_begun_counts_as_whole(left: timedelta, with_seconds: str, without: str) -> None:
    assert time_left_text(left, "en", with_seconds=True) == with_seconds
    assert time_left_text(left, "en", with_seconds=False) == without


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("de-DE", "3\u00a0Tage\u00a001:20:00"),
        ("it-IT", "3\u00a0giorni\u00a001:20:00"),
        ("fr-FR", "3\u00a0jours\u00a001:20:00"),
        ("ar-KW", "٣\u00a0أيام\u00a0٠١:٢٠:٠٠"),
        ("ar-AE", "3\u00a0أيام\u00a001:20:00"),
        ("fa-IR", "۳\u00a0روز\u00a0۰۱:۲۰:۰۰"),
        ("ja-JP", "3\u00a0日\u00a001:20:00"),
        ("nonsense", "3\u00a0days\u00a001:20:00"),
    ],
)
def test_it_reads_as_the_locale_writes(locale: str, text: str) -> None:
    assert time_left_text(timedelta(days=3, hours=1, minutes=20), locale, with_seconds=True) == text


def test_a_board_that_does_not_know_the_time_says_so_to_its_scenes() -> None:
    document = whole()
    del document["playlist"]["entries"][0]
    manifest = read(document)
    assert manifest.version is not None
    playback = play(
        manifest.version,
        location=manifest.location,
        catalogue=manifest.catalogue,
        missing={},
    )
    for trusted in (True, False):
        view = view_at(playback, at("2026-11-20T12:00"), schedules_trusted=trusted)
        assert isinstance(view, SceneView)
        assert view.clock_known is trusted
