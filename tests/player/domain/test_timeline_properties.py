"""What must hold of every timeline: time is divided without a hole, in order, the same for all who ask."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from player.domain.manifest import PlaylistVersion
from player.domain.schedule import Schedule
from player.domain.timeline import timeline
from tests.player.domain.oracle import eligible
from tests.player.domain.test_eligibility import schedules
from tests.player.domain.versions import BERLIN, entry, utc, version

WEEK = timedelta(days=7)
START = utc("2026-03-25T00:00")
"""A week with a clock change in it."""

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


def built(drawn: Drawn) -> tuple[PlaylistVersion, dict[str, str]]:
    made = [entry(f"e{n}", seconds, scene=scene, only=only) for n, (seconds, scene, only, _) in enumerate(drawn)]
    return version(*made), {f"e{n}": "broken" for n, part in enumerate(drawn) if part[3]}


@given(drawn=parts, anchored=st.integers(-300_000, 900_000))
def test_walking_from_until_to_until_covers_a_week_in_order(drawn: Drawn, anchored: int) -> None:
    menu, barred = built(drawn)
    anchor = START + timedelta(seconds=anchored)
    line = timeline(menu, anchor, BERLIN)
    t = START
    before = None
    while t < START + WEEK:
        moment = line.at(t, passed_over=barred)
        if moment.until is None:
            assert moment.entry is None
            break
        assert moment.since <= t < moment.until
        assert moment.until <= (moment.period.end or moment.until)
        if moment.entry is None:
            assert moment.loop_boundary == t
        else:
            assert moment.entry.id not in barred
            assert moment.loop_since <= t < moment.loop_boundary
        if before is not None:
            assert moment.since == t, "a showing begins where the one before it ended"
            assert moment.entry == before.upcoming, "what was prepared is what shows"
        assert {other.entry_id for other in moment.others} | {moment.entry.id if moment.entry else ""} >= {
            e.id for e in menu.entries
        }
        before = moment
        t = moment.until


@given(drawn=parts, offset=offsets, back=offsets)
def test_what_shows_is_allowed_and_what_is_allowed_shows(drawn: Drawn, offset: timedelta, back: timedelta) -> None:
    menu, barred = built(drawn)
    t = START + offset
    moment = timeline(menu, START + back, BERLIN).at(t, passed_over=barred)
    allowed = [
        e.id
        for e in menu.entries
        if eligible(menu.scenes[e.scene_id].schedules, e.schedule, t, BERLIN) and e.id not in barred
    ]
    assert (moment.entry is not None) == bool(allowed)
    if moment.entry is not None:
        assert moment.entry.id in allowed


@given(drawn=parts, offset=offsets, restarts=st.lists(offsets, max_size=4))
def test_a_restart_resumes_at_the_same_place(drawn: Drawn, offset: timedelta, restarts: list[timedelta]) -> None:
    menu, barred = built(drawn)
    t = START + offset
    line = timeline(menu, START, BERLIN)
    for other in restarts:
        line.at(START + other, passed_over=barred)
    assert line.at(t, passed_over=barred) == timeline(menu, START, BERLIN).at(t, passed_over=barred)


@given(drawn=parts, offset=offsets)
def test_a_period_plays_its_entries_in_playlist_order(drawn: Drawn, offset: timedelta) -> None:
    menu, _ = built(drawn)
    line = timeline(menu, START, BERLIN)
    moment = line.at(START + offset)
    if moment.entry is None:
        return
    first = max(moment.period.start or START, START)
    allowed = [e for e in menu.entries if eligible(menu.scenes[e.scene_id].schedules, e.schedule, moment.at, BERLIN)]
    length = timedelta(seconds=sum(e.duration_seconds for e in allowed))
    into = (moment.at - first) % length
    for expected in allowed:
        into -= timedelta(seconds=expected.duration_seconds)
        if into < timedelta():
            break
    assert moment.entry == expected


@given(drawn=parts, days=st.floats(-56 * 365, 24 * 365))
def test_any_instant_gets_an_answer(drawn: Drawn, days: float) -> None:
    menu, barred = built(drawn)
    at = START + timedelta(days=days)
    for trusted in (True, False):
        moment = timeline(menu, START, BERLIN).at(at, passed_over=barred, schedules_trusted=trusted)
        assert moment.since <= at
        assert moment.until is None or at < moment.until
