"""Boards that play the same version stay in step, whenever they began and however their clocks are corrected."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from menu.documents.manifest import Catalogue, Location, PlaylistVersion
from menu.rules.timeline import Moment
from player.domain.playing.playback import MAX_HELD, MIN_SHOWING, Playback, corrected, joining, moment_at, play
from tests.menu.rules.versions import daily, entry, utc, version
from tests.support.examples import examples

S = timedelta(seconds=1)
NOON = utc("2026-11-20T12:00")
PUBLISHED = utc("2026-01-01T00:00")
LOCATION = Location(id="loc", name="Corner Café", timezone="UTC", currency="EUR", locale="en")
CATALOGUE = Catalogue(revision=1, revision_at=NOON, items={})
SCHEDULES = (None, None, None, daily("06:00", "12:01"), daily("12:01", "15:00"), daily("12:00", "12:02"))

versions = st.lists(
    st.tuples(st.integers(1, 25), st.sampled_from(SCHEDULES), st.sampled_from((None, None, None, "broken"))),
    min_size=1,
    max_size=5,
).map(
    lambda parts: version(
        *[
            entry(f"e{number}", seconds, only=schedule, unreadable=broken)
            for number, (seconds, schedule, broken) in enumerate(parts)
        ]
    )
)
spans = st.integers(0, 100_000).map(lambda number: timedelta(milliseconds=number))
shifts = st.one_of(
    st.integers(-600, 600).map(lambda number: timedelta(milliseconds=number)),
    st.integers(-90_000, 90_000).map(lambda number: timedelta(milliseconds=number)),
    st.just(timedelta(hours=-6)),
)


def playing(playlist: PlaylistVersion, *, joined: datetime | None = None) -> Playback:
    playback = play(playlist, location=LOCATION, catalogue=CATALOGUE, missing={})
    return playback if joined is None else joining(playback, joined, schedules_trusted=True)


def shown_by(playback: Playback, now: datetime) -> Moment:
    return moment_at(playback, now, schedules_trusted=True)


def showings(playback: Playback, now: datetime, end: datetime) -> Iterator[Moment]:
    """The moments from `now` to `end`, one for each change."""
    while now < end:
        moment = shown_by(playback, now)
        assert moment.since <= now
        assert moment.until is None or moment.until > now
        yield moment
        if moment.until is None:
            return
        now = moment.until


def loop_of(playlist: PlaylistVersion) -> timedelta:
    return sum((each.duration_seconds for each in playlist.entries), 0) * S


THREE = version(entry("a", 10), entry("b", 20), entry("c", 30))
ANCHORED = PUBLISHED + 60 * 1000 * S


@pytest.mark.parametrize(
    ("joined", "shown", "until"), [(6, "a", 10), (8, "b", 30), (57, "c", 60), (58, "a", 70), (60, "a", 70)]
)
def test_a_screen_that_joins_late_shows(joined: float, shown: str, until: float) -> None:
    now = ANCHORED + joined * S
    moment = shown_by(playing(THREE, joined=now), now)
    assert moment.entry is not None
    assert (moment.entry.id, moment.until) == (shown, ANCHORED + until * S)


@pytest.mark.parametrize(
    ("corrected_to", "until", "then"), [(19, 30, "c"), (11, 30, "c"), (8, 30, "c"), (31, 46, "c"), (75, 90, "c")]
)
def test_a_screen_whose_clock_is_corrected_at_15_s_shows_b(corrected_to: float, until: float, then: str) -> None:
    before, now = ANCHORED + 15 * S, ANCHORED + corrected_to * S
    playback = playing(THREE, joined=ANCHORED)
    shown = shown_by(playback, before)
    playback = corrected(playback, now, shown=shown, shift=now - before, schedules_trusted=True)
    moment = shown_by(playback, now)
    assert moment.entry is not None
    assert (moment.entry.id, moment.until) == ("b", ANCHORED + until * S)
    after = shown_by(playback, ANCHORED + until * S).entry
    assert after is not None
    assert after.id == then


@pytest.mark.proves("screen-switched-late")
@examples(80)
@given(playlist=versions, one=spans, other=spans, later=spans)
def test_any_two_boards_show_the_same_from_a_loop_later_on(
    playlist: PlaylistVersion, one: timedelta, other: timedelta, later: timedelta
) -> None:
    now = NOON + max(one, other) + loop_of(playlist) + later
    first, second = (shown_by(playing(playlist, joined=NOON + joined), now) for joined in (one, other))
    assert first == second == shown_by(playing(playlist), now)


@examples(80)
@given(playlist=versions, joined=spans)
def test_nothing_flashes_up(playlist: PlaylistVersion, joined: timedelta) -> None:
    began = NOON + joined
    playback = playing(playlist, joined=began)
    before: Moment | None = None
    for moment in showings(playback, began, began + 200 * S):
        if before is not None and before.entry != moment.entry:
            on_glass = moment.at - max(before.since, began)
            assert on_glass >= least(before) or moment.period != before.period
        before = moment
        names = {moment.entry.id if moment.entry else None, *(other.entry_id for other in moment.others)}
        assert names >= {each.id for each in playlist.entries}


def least(moment: Moment) -> timedelta:
    return min(MIN_SHOWING, moment.entry.duration_seconds * S) if moment.entry else timedelta()


@pytest.mark.proves("system-clock-steps")
@examples(150)
@given(
    playlist=versions, joined=spans, corrections=st.lists(st.tuples(spans, shifts), min_size=1, max_size=4), later=spans
)
def test_corrections_of_the_clock_cut_nothing_and_end_in_step(
    playlist: PlaylistVersion, joined: timedelta, corrections: list[tuple[timedelta, timedelta]], later: timedelta
) -> None:
    now = NOON + joined
    playback = playing(playlist, joined=now)
    on_glass, since_change, period = shown_by(playback, now), timedelta(), shown_by(playback, now).period

    def follow(moment: Moment) -> None:
        """Another scene may come only once the one before was seen, or with another period."""
        nonlocal on_glass, since_change, period
        if moment.entry != on_glass.entry:
            assert since_change >= least(on_glass) or moment.period != period or on_glass.entry is None
            since_change = timedelta()
        on_glass, period = moment, moment.period

    for elapsed, shift in corrections:
        end = now + elapsed
        for moment in showings(playback, now, end):
            follow(moment)
            since_change += min(moment.until or end, end) - moment.at
        now = end
        shown = shown_by(playback, now)
        follow(shown)
        playback = corrected(playback, now + shift, shown=shown, shift=shift, schedules_trusted=True)
        now += shift
        after = shown_by(playback, now)
        assert after.entry == shown.entry or after.period != shown.period or after.entry is None
        follow(after)
    now += MAX_HELD + loop_of(playlist) + later
    found, right = shown_by(playback, now), shown_by(playing(playlist), now)
    assert (found.entry, found.until) == (right.entry, right.until)
