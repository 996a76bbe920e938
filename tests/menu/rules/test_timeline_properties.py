"""Properties of every timeline: showings follow each other without a gap, in order, and the same for every player."""

from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from menu.documents.manifest import Entry, PlaylistVersion
from menu.documents.schedule import Schedule
from menu.rules.timeline import Timeline
from tests.menu.rules.oracle import eligible, priority
from tests.menu.rules.test_eligibility import schedules
from tests.menu.rules.versions import BERLIN, entry, utc, version

WEEK = timedelta(days=7)
MICROSECOND = timedelta(microseconds=1)
START = utc("2026-03-25T00:00")
"""The start of a week with a clock change."""

Drawn = list[tuple[int, list[Schedule], Schedule | None, bool]]
"""For each entry: seconds, its scene's schedules, the attachment's, whether it cannot be shown."""

parts: st.SearchStrategy[Drawn] = st.lists(
    st.tuples(
        st.integers(600, 86_400),
        st.lists(schedules, max_size=2),
        st.one_of(st.none(), st.none(), schedules),
        st.booleans(),
    ),
    max_size=5,
)
offsets = st.integers(0, int(WEEK.total_seconds() * 1000)).map(lambda ms: timedelta(milliseconds=ms))


def built(drawn: Drawn) -> tuple[PlaylistVersion, set[str]]:
    made = [entry(f"e{n}", seconds, scene=scene, only=only) for n, (seconds, scene, only, _) in enumerate(drawn)]
    return version(*made), {f"e{n}" for n, part in enumerate(drawn) if part[3]}


def allowed_at(playlist: PlaylistVersion, t: datetime, unshowable: AbstractSet[str]) -> list[Entry]:
    """The entries of the highest priority of which one can be shown; none if none can."""
    by_rank: dict[int, list[Entry]] = {}
    for one in playlist.entries:
        when = (playlist.scenes[one.scene_id].schedules, one.schedule, t, BERLIN)
        if eligible(*when):
            by_rank.setdefault(priority(*when), []).append(one)
    levels = (by_rank[rank] for rank in sorted(by_rank, reverse=True))
    return next((level for level in levels if any(one.id not in unshowable for one in level)), [])


@given(drawn=parts, anchored=st.integers(-300_000, 900_000))
def test_showings_cover_a_week_without_a_gap(drawn: Drawn, anchored: int) -> None:
    playlist, unshowable = built(drawn)
    anchor = START + timedelta(seconds=anchored)
    line = Timeline(playlist, anchor, BERLIN)
    t = START
    before = None
    while t < START + WEEK:
        moment = line.at(t, unshowable=unshowable)
        if moment.until is None:
            assert moment.entry is None
            break
        assert moment.since <= t < moment.until
        assert moment.until <= (moment.period.end or moment.until)
        if moment.entry is None:
            assert moment.loop_boundary == t
        else:
            assert moment.entry.id not in unshowable
            assert t < moment.loop_boundary
        if before is not None:
            assert moment.since == t, "a showing begins where the one before it ended"
        assert {other.entry_id for other in moment.others} | {moment.entry.id if moment.entry else ""} >= {
            e.id for e in playlist.entries
        }
        before = moment
        t = moment.until


@given(drawn=parts, offset=offsets, back=offsets)
def test_an_eligible_entry_shows_if_there_is_one(drawn: Drawn, offset: timedelta, back: timedelta) -> None:
    playlist, unshowable = built(drawn)
    t = START + offset
    moment = Timeline(playlist, START + back, BERLIN).at(t, unshowable=unshowable)
    allowed = [each.id for each in allowed_at(playlist, t, unshowable) if each.id not in unshowable]
    assert (moment.entry is not None) == bool(allowed)
    if moment.entry is not None:
        assert moment.entry.id in allowed


@given(drawn=parts, offset=offsets, restarts=st.lists(offsets, max_size=4))
def test_a_restart_resumes_at_the_same_place(drawn: Drawn, offset: timedelta, restarts: list[timedelta]) -> None:
    playlist, unshowable = built(drawn)
    t = START + offset
    line = Timeline(playlist, START, BERLIN)
    for other in restarts:
        line.at(START + other, unshowable=unshowable)
    assert line.at(t, unshowable=unshowable) == Timeline(playlist, START, BERLIN).at(t, unshowable=unshowable)


@given(drawn=parts, offset=offsets)
def test_a_period_plays_its_entries_in_playlist_order(drawn: Drawn, offset: timedelta) -> None:
    playlist, _ = built(drawn)
    line = Timeline(playlist, START, BERLIN)
    moment = line.at(START + offset)
    if moment.entry is None:
        return
    first = max(moment.period.start or START, START)
    allowed = allowed_at(playlist, moment.at, set())
    length = timedelta(seconds=sum(e.duration_seconds for e in allowed))
    into = (moment.at - first) % length
    for expected in allowed:
        into -= timedelta(seconds=expected.duration_seconds)
        if into < timedelta():
            break
    assert moment.entry == expected


@given(drawn=parts, offset=offsets)
def test_in_a_period_the_same_entries_are_eligible_and_at_its_ends_others(drawn: Drawn, offset: timedelta) -> None:
    playlist, unshowable = built(drawn)
    period = Timeline(playlist, START, BERLIN).at(START + offset, unshowable=unshowable).period
    allowed = allowed_at(playlist, START + offset, unshowable)
    if allowed:
        begin, end = period.start or START, period.end or START + WEEK
        step = (end - begin) / 40
        assert all(allowed_at(playlist, begin + n * step, unshowable) == allowed for n in range(40))
        for beyond in (period.start and period.start - MICROSECOND, period.end):
            assert beyond is None or allowed_at(playlist, beyond, unshowable) != allowed


@given(drawn=parts, days=st.floats(-56 * 365, 24 * 365))
def test_every_instant_has_an_answer(drawn: Drawn, days: float) -> None:
    playlist, unshowable = built(drawn)
    at = START + timedelta(days=days)
    for trusted in (True, False):
        moment = Timeline(playlist, START, BERLIN).at(at, unshowable=unshowable, schedules_trusted=trusted)
        assert moment.since <= at
        assert moment.until is None or at < moment.until
