"""The entry at an instant, why and until when: the rules of docs/semantics.md as tables of cases."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from menu.documents.schedule import Interval
from menu.rules.timeline import HORIZON, Moment, OtherEntry, Reason, Timeline
from tests.menu.rules.versions import BERLIN, NEW_YORK, at, daily, entry, utc, version, window

ANCHOR = at("2026-11-20T08:00:00")
S = timedelta(seconds=1)


def shows(line: Timeline, t: datetime, **asked: object) -> str | None:
    found = line.at(t, **asked)  # type: ignore[arg-type]
    return found.entry.id if found.entry else None


def other(name: str, reason: Reason, detail: str, next_at: datetime | None) -> OtherEntry:
    return OtherEntry(entry_id=name, scene_name=name, reason=reason, detail=detail, next_at=next_at)


def absence(moment: Moment, name: str) -> OtherEntry:
    (found,) = [other for other in moment.others if other.entry_id == name]
    return found


@pytest.fixture
def three() -> Timeline:
    """A for 10 s, B for 20 s, C for 30 s, at all hours."""
    return Timeline(version(entry("a", 10), entry("b", 20), entry("c", 30)), ANCHOR, BERLIN)


class TestLoop:
    @pytest.mark.parametrize(
        ("seconds", "name", "since", "until", "loop"),
        [
            (0, "a", 0, 10, 0),
            (9.999, "a", 0, 10, 0),
            (10, "b", 10, 30, 0),
            (30, "c", 30, 60, 0),
            (59.999, "c", 30, 60, 0),
            (60, "a", 60, 70, 1),
            (605, "a", 600, 610, 10),
        ],
    )
    def test_entries_follow_one_another_from_the_anchor(
        self, three: Timeline, seconds: float, name: str, since: int, until: int, loop: int
    ) -> None:
        moment = three.at(ANCHOR + seconds * S)
        assert moment.entry is not None
        assert (moment.entry.id, moment.loop) == (name, loop)
        assert (moment.since, moment.until) == (ANCHOR + since * S, ANCHOR + until * S)

    def test_the_loop_boundary_is_the_end_of_this_pass(self, three: Timeline) -> None:
        moment = three.at(ANCHOR + 75 * S)
        assert (moment.loop, moment.loop_boundary) == (1, ANCHOR + 120 * S)
        assert three.at(ANCHOR + 120 * S).loop_boundary == ANCHOR + 180 * S

    def test_a_single_entry_repeats(self) -> None:
        line = Timeline(version(entry("a", 15)), ANCHOR, BERLIN)
        moment = line.at(ANCHOR + 40 * S)
        assert (moment.since, moment.until, moment.loop) == (ANCHOR + 30 * S, ANCHOR + 45 * S, 2)
        assert moment.loop_boundary == ANCHOR + 45 * S
        assert moment.others == ()

    def test_a_scene_may_have_two_entries(self) -> None:
        first, other = entry("a", 10), entry("b", 10)
        again = (replace(first[0], id="again"), first[1])
        line = Timeline(version(first, other, again), ANCHOR, BERLIN)
        assert [shows(line, ANCHOR + n * 10 * S) for n in range(4)] == ["a", "b", "again", "a"]

    def test_other_entries_say_when_they_show(self, three: Timeline) -> None:
        moment = three.at(ANCHOR + 15 * S)
        assert {other.entry_id: other.next_at for other in moment.others} == {
            "a": ANCHOR + 60 * S,
            "c": ANCHOR + 30 * S,
        }
        assert {other.reason for other in moment.others} == {Reason.WAITING}

    def test_two_players_with_the_same_version_show_the_same(self, three: Timeline) -> None:
        twin = Timeline(version(entry("a", 10), entry("b", 20), entry("c", 30)), ANCHOR, BERLIN)
        for seconds in range(0, 200, 7):
            twin.at(ANCHOR + seconds * 3 * S)
            assert three.at(ANCHOR + seconds * S) == twin.at(ANCHOR + seconds * S)

    def test_the_loop_is_counted_from_the_anchor_for_years(self, three: Timeline) -> None:
        moment = three.at(ANCHOR + timedelta(days=3 * 365) + 65 * S)
        assert moment.entry is not None
        assert moment.entry.id == "a"
        assert moment.since == ANCHOR + timedelta(days=3 * 365) + 60 * S

    def test_a_loop_may_last_longer_than_the_horizon(self) -> None:
        long = [entry(f"e{n}", 86_400) for n in range(500)]
        line = Timeline(
            version(*long, entry("x", 60, only=window("2026-11-01T00:00", "2028-03-01T00:00"))), ANCHOR, BERLIN
        )
        others = {f"e{n}" for n in range(1, 500)} | {"x"}
        moment = line.at(ANCHOR + timedelta(days=2), unshowable=others)
        assert moment.until == at("2028-03-01T00:00")


class TestPeriods:
    def test_a_period_cuts_in_at_once(self) -> None:
        line = Timeline(
            version(
                entry("breakfast", 5400, scene=[daily("06:00", "11:00")]),
                entry("lunch", 60, scene=[daily("11:00", "15:00")]),
            ),
            at("2026-11-20T05:30"),
            BERLIN,
        )
        moment = line.at(at("2026-11-20T10:59:59"))
        assert moment.entry is not None
        assert moment.entry.id == "breakfast"
        assert moment.until == moment.loop_boundary == at("2026-11-20T11:00")
        assert moment.period == Interval(start=at("2026-11-20T06:00"), end=at("2026-11-20T11:00"))
        assert shows(line, at("2026-11-20T11:00")) == "lunch"
        assert line.at(at("2026-11-20T11:00")).loop == 0

    def test_the_loop_restarts_with_each_period(self) -> None:
        line = Timeline(
            version(entry("a", 40), entry("b", 40), entry("lunch", 40, scene=[daily("11:00", "15:00")])),
            at("2026-11-20T10:00:30"),
            BERLIN,
        )
        asked = {t: shows(line, at(f"2026-11-20T{t}")) for t in ("10:59:59", "11:00:00", "11:00:40", "11:01:20")}
        assert asked == {"10:59:59": "b", "11:00:00": "a", "11:00:40": "b", "11:01:20": "lunch"}
        assert shows(line, at("2026-11-20T15:00:00")) == "a"
        assert line.at(at("2026-11-20T15:00:10")).since == at("2026-11-20T15:00:00")
        assert line.at(at("2026-11-20T15:00:10")).loop == 0

    def test_adjacent_dayparts_of_one_scene_are_no_boundary(self) -> None:
        scene = [daily("06:00", "11:00"), daily("11:00", "15:00")]
        line = Timeline(version(entry("a", 40, scene=scene), entry("b", 41)), at("2026-11-20T06:00"), BERLIN)
        moment = line.at(at("2026-11-20T11:00"))
        assert moment.period == Interval(start=at("2026-11-20T06:00"), end=at("2026-11-20T15:00"))
        assert moment.since < at("2026-11-20T11:00")

    def test_entries_that_swap_at_the_same_instant_make_a_boundary(self) -> None:
        line = Timeline(
            version(entry("a", 40, scene=[daily("06:00", "11:00")]), entry("b", 40, scene=[daily("11:00", "06:00")])),
            at("2026-11-20T06:00"),
            BERLIN,
        )
        assert line.at(at("2026-11-20T10:59")).period.end == at("2026-11-20T11:00")

    def test_loops_count_from_the_anchor_if_it_is_later_than_the_start_of_the_period(self) -> None:
        line = Timeline(
            version(entry("a", 40, scene=[daily("06:00", "11:00")]), entry("b", 40)), at("2026-11-20T07:00:10"), BERLIN
        )
        moment = line.at(at("2026-11-20T07:00:10"))
        assert (moment.since, moment.loop, moment.period.start) == (
            at("2026-11-20T07:00:10"),
            0,
            at("2026-11-20T06:00"),
        )

    def test_attachment_and_scene_must_both_hold(self) -> None:
        line = Timeline(
            version(
                entry("a", scene=[daily("06:00", "11:00"), daily("15:00", "18:00")], only=daily("10:00", "16:00")),
                entry("b", 10, only=daily("09:00", "10:00")),
            ),
            at("2026-11-19T00:00"),
            BERLIN,
        )
        asked = {t: shows(line, at(f"2026-11-20T{t}")) for t in ("08:00", "09:30", "10:30", "12:00", "15:30", "17:00")}
        assert asked == {"08:00": None, "09:30": "b", "10:30": "a", "12:00": None, "15:30": "a", "17:00": None}

    def test_two_entries_of_one_scene_may_have_different_attachments(self) -> None:
        line = Timeline(
            version(entry("a", only=daily("06:00", "11:00")), entry("b", only=daily("11:00", "15:00"))),
            at("2026-11-20T00:00"),
            BERLIN,
        )
        assert [shows(line, at(f"2026-11-20T{t}")) for t in ("10:00", "12:00")] == ["a", "b"]

    def test_every_entry_has_its_reason(self) -> None:
        line = Timeline(
            version(
                entry("weekday", scene=[daily("06:00", "11:00", "mon", "tue", "wed", "thu", "fri")]),
                entry("brunch", scene=[daily("09:00", "14:00", "sat", "sun")]),
                entry("croissants", 20, scene=[daily("07:00", "10:00")]),
            ),
            at("2026-11-20T00:00"),
            BERLIN,
        )
        moment = line.at(at("2026-11-22T07:30"))
        assert moment.entry is not None
        assert moment.entry.id == "croissants"
        assert moment.others == (
            other("weekday", Reason.NOT_SCHEDULED, "Mon, Tue, Wed, Thu, Fri 06:00–11:00", at("2026-11-23T06:00")),
            other("brunch", Reason.NOT_SCHEDULED, "Sat, Sun 09:00–14:00", at("2026-11-22T09:00")),
        )

    def test_an_entry_that_the_period_cuts_off_says_when_it_shows_next(self) -> None:
        line = Timeline(
            version(entry("a", 3000, scene=[daily("06:00", "07:00")]), entry("b", 3000)), at("2026-11-20T00:00"), BERLIN
        )
        moment = line.at(at("2026-11-20T06:55"))
        assert absence(moment, "a").next_at == at("2026-11-21T06:00")
        moment = line.at(at("2026-11-20T05:59:59"))
        assert shows(line, moment.at) == "b"
        morning = line.at(at("2026-11-20T06:10"))
        assert absence(morning, "b").next_at == at("2026-11-20T06:50")

    @pytest.mark.parametrize(
        ("before", "after"),
        [("2026-03-28T12:00", "2026-03-29T12:00"), ("2026-10-24T12:00", "2026-10-25T12:00")],
    )
    def test_a_clock_change_does_not_disturb_a_loop_that_runs_all_day(self, before: str, after: str) -> None:
        line = Timeline(version(entry("a", 7), entry("b", 6, only=daily("00:00", "24:00"))), at(before), BERLIN)
        t, end = at(before), at(after)
        moment = line.at(end)
        assert moment.entry is not None
        assert (moment.since - t) % (13 * S) == (0 * S if moment.entry.id == "a" else 7 * S)

    def test_an_hour_that_occurs_twice_is_one_occurrence_of_its_daypart(self) -> None:
        line = Timeline(
            version(
                entry("night", 60, scene=[daily("02:00", "03:00")]), entry("other", 60, scene=[daily("03:00", "02:00")])
            ),
            at("2026-10-24T12:00"),
            BERLIN,
        )
        period = line.at(at("2026-10-25T02:30", fold=1)).period
        assert period == Interval(start=at("2026-10-25T02:00"), end=at("2026-10-25T03:00"))
        assert period.start is not None
        assert period.end is not None
        assert period.end - period.start == timedelta(hours=2)

    def test_a_schedule_is_resolved_in_its_own_zone(self) -> None:
        line = Timeline(version(entry("a", only=daily("09:00", "17:00", timezone="America/New_York"))), ANCHOR, BERLIN)
        assert shows(line, at("2026-11-20T09:00", NEW_YORK)) == "a"
        assert shows(line, at("2026-11-20T09:00")) is None

    def test_a_version_follows_the_local_time_of_each_location(self) -> None:
        playlist = version(entry("a", only=daily("09:00", "17:00")))
        assert shows(Timeline(playlist, ANCHOR, BERLIN), at("2026-11-20T10:00", BERLIN)) == "a"
        assert shows(Timeline(playlist, ANCHOR, NEW_YORK), at("2026-11-20T10:00", BERLIN)) is None


class TestNothing:
    def test_with_nothing_eligible_the_next_entry_is_known(self) -> None:
        line = Timeline(
            version(entry("a", scene=[daily("06:00", "11:00")]), entry("b", scene=[daily("08:00", "09:00")])),
            at("2026-11-01T00:00"),
            BERLIN,
        )
        moment = line.at(at("2026-11-20T23:00"))
        assert moment.entry is None
        assert moment.next_scheduled == moment.until == at("2026-11-21T06:00")
        assert moment.since == at("2026-11-20T11:00")
        assert shows(line, at("2026-11-21T06:00")) == "a"
        assert line.at(at("2026-11-21T07:00")).next_scheduled is None

    def test_with_nothing_to_show_another_version_may_take_over_at_once(self) -> None:
        line = Timeline(version(entry("a", scene=[daily("06:00", "11:00")])), at("2026-11-01T00:00"), BERLIN)
        t = at("2026-11-20T23:00")
        assert line.at(t).loop_boundary == t

    def test_a_version_without_entries_shows_nothing(self) -> None:
        moment = Timeline(version(), ANCHOR, BERLIN).at(ANCHOR)
        assert moment.entry is None
        assert moment.others == ()
        assert moment.until is None

    def test_the_search_ends_at_the_horizon(self) -> None:
        t = at("2026-11-20T23:00")
        near = Timeline(version(entry("a", scene=[window("2027-12-01T00:00", "2027-12-02T00:00")])), ANCHOR, BERLIN)
        assert t + HORIZON > at("2027-12-01T00:00")
        assert near.at(t).next_scheduled == at("2027-12-01T00:00")
        far = Timeline(version(entry("a", scene=[window("2031-12-01T00:00", "2031-12-02T00:00")])), ANCHOR, BERLIN)
        assert far.at(t).next_scheduled is None
        assert far.at(t).period == Interval(start=None, end=None)
        assert far.at(at("2031-12-01T12:00")).period.start == at("2031-12-01T00:00")

    def test_a_period_may_have_begun_years_ago(self) -> None:
        """A window that opened three years after the anchor and two years ago is where the loops are counted from."""
        line = Timeline(
            version(entry("a", 40), entry("b", 41, scene=[window("2029-11-20T08:00:07", "2040-01-01T00:00")])),
            ANCHOR,
            BERLIN,
        )
        t = at("2031-11-20T08:00:00")
        moment = line.at(t)
        assert moment.period.start == at("2029-11-20T08:00:07")
        assert moment.loop == (t - at("2029-11-20T08:00:07")) // (81 * S)


class TestUnshowable:
    @pytest.mark.parametrize(
        ("broken", "seconds", "name", "since", "until"),
        [
            # A 0-10, B 10-30, C 30-60
            ("b", 5, "a", 0, 10),
            ("b", 15, "c", 10, 60),
            ("b", 45, "c", 10, 60),
            ("a", 5, "b", 0, 30),
            ("a", 65, "b", 60, 90),
            ("c", 35, "a", 30, 70),
            ("c", 65, "a", 30, 70),
            ("c", 5, "a", 0, 10),
            ("ab", 5, "c", 0, 60),
            ("bc", 5, "a", 0, 10),
            ("bc", 20, "a", 10, 70),
            ("ac", 20, "b", 0, 30),
            ("ac", 65, "b", 30, 90),
        ],
    )
    def test_its_time_goes_to_the_next_showable_entry(
        self, three: Timeline, broken: str, seconds: int, name: str, since: int, until: int
    ) -> None:
        moment = three.at(ANCHOR + seconds * S, unshowable=set(broken))
        assert moment.entry is not None
        assert moment.entry.id == name
        assert (moment.since, moment.until) == (ANCHOR + since * S, ANCHOR + until * S)

    def test_the_loop_keeps_its_length_so_that_screens_stay_in_step(self, three: Timeline) -> None:
        for seconds in range(0, 180, 5):
            whole = three.at(ANCHOR + seconds * S)
            other = three.at(ANCHOR + seconds * S, unshowable={"b"})
            assert (other.loop, other.loop_boundary) == (whole.loop, whole.loop_boundary)
            if whole.entry and whole.entry.id != "b":
                assert other.entry == whole.entry

    def test_it_is_reported_with_its_reason(self, three: Timeline) -> None:
        moment = three.at(ANCHOR, unshowable={"b"})
        assert absence(moment, "b") == other("b", Reason.PASSED_OVER, "", None)
        assert absence(moment, "c").next_at == ANCHOR + 10 * S

    def test_with_every_entry_unshowable_nothing_shows(self, three: Timeline) -> None:
        moment = three.at(ANCHOR + 5 * S, unshowable=set("abc"))
        assert moment.entry is None
        assert moment.loop_boundary == moment.at
        assert moment.next_scheduled is None
        assert [other.reason for other in moment.others] == [Reason.PASSED_OVER] * 3

    def test_next_scheduled_ignores_it(self) -> None:
        line = Timeline(
            version(
                entry("a", only=daily("06:00", "07:00")),
                entry("b", only=daily("08:00", "09:00")),
            ),
            at("2026-11-01T00:00"),
            BERLIN,
        )
        t = at("2026-11-20T00:00")
        assert line.at(t).next_scheduled == at("2026-11-20T06:00")
        assert line.at(t, unshowable={"a"}).next_scheduled == at("2026-11-20T08:00")

    def test_an_unreadable_scene_is_unshowable_by_itself(self) -> None:
        line = Timeline(version(entry("a"), entry("b", unreadable="no widget of it can be drawn")), ANCHOR, BERLIN)
        assert shows(line, ANCHOR + 15 * S) == "a"
        assert absence(line.at(ANCHOR), "b").reason is Reason.PASSED_OVER

    def test_a_change_within_a_showing_counts_at_once(self, three: Timeline) -> None:
        t = ANCHOR + 5 * S
        assert shows(three, t) == "a"
        assert shows(three, t, unshowable={"a"}) == "b"
        assert shows(three, t) == "a"

    def test_a_schedule_that_could_not_be_read_never_lets_its_entry_show(self) -> None:
        line = Timeline(
            version(
                entry("a", 10),
                entry("b", 10, entry_never="its schedule could not be read"),
                entry("c", 10, scene_never="no schedule of its scene could be read"),
            ),
            ANCHOR,
            BERLIN,
        )
        moment = line.at(ANCHOR + 15 * S)
        assert moment.entry is not None
        assert (moment.entry.id, moment.loop) == ("a", 1)
        assert [other.reason for other in moment.others] == [Reason.SCHEDULE_UNREADABLE] * 2
        assert absence(moment, "b").detail == "its schedule could not be read"


CHRISTMAS = window("2026-12-25T10:00", "2026-12-25T20:00", priority=50)
DAY = ("breakfast", "lunch", "christmas", "gifts")


@pytest.fixture
def festive() -> Timeline:
    """Breakfast until 11:00 and lunch from then on, an hour each; in place of both on Christmas Day, from 10:00 to
    20:00, Christmas for 10 s and gifts for 20 s."""
    return Timeline(
        version(
            entry("breakfast", 3600, scene=[daily("06:00", "11:00")]),
            entry("lunch", 3600, scene=[daily("11:00", "22:00")]),
            entry("christmas", 10, scene=[CHRISTMAS]),
            entry("gifts", 20, scene=[CHRISTMAS]),
        ),
        at("2026-12-01T00:00"),
        BERLIN,
    )


class TestPriority:
    @pytest.mark.parametrize(
        ("broken", "when", "name", "period"),
        [
            # The table of docs/semantics.md.
            ("", "09:59", "breakfast", "06:00 10:00"),
            ("", "10:00", "christmas", "10:00 20:00"),
            ("", "11:00:15", "gifts", "10:00 20:00"),
            ("", "20:00", "lunch", "20:00 22:00"),
            ("christmas", "10:00", "gifts", "10:00 20:00"),
            ("christmas gifts", "10:30", "breakfast", "06:00 11:00"),
            ("christmas gifts", "11:00", "lunch", "11:00 22:00"),
            ("christmas gifts breakfast lunch", "11:00", None, ""),
        ],
    )
    def test_entries_of_a_higher_priority_play_in_place_of_others(
        self, festive: Timeline, broken: str, when: str, name: str | None, period: str
    ) -> None:
        moment = festive.at(at(f"2026-12-25T{when}"), unshowable=set(broken.split()))
        assert (moment.entry.id if moment.entry else None) == name
        if period:
            start, end = (at(f"2026-12-25T{each}") for each in period.split())
            assert moment.period == Interval(start=start, end=end)

    def test_what_is_displaced_says_by_which_scene_and_when_it_shows_again(self, festive: Timeline) -> None:
        moment = festive.at(at("2026-12-25T12:00:15"))
        assert absence(moment, "lunch") == OtherEntry(
            entry_id="lunch",
            scene_name="lunch",
            reason=Reason.DISPLACED,
            displaced_by="christmas",
            next_at=at("2026-12-25T20:00"),
        )
        assert absence(moment, "breakfast").reason is Reason.NOT_SCHEDULED
        assert absence(moment, "christmas").reason is Reason.WAITING
        before = festive.at(at("2026-12-25T09:30"))
        assert absence(before, "christmas").next_at == at("2026-12-25T10:00")
        assert absence(festive.at(at("2026-12-25T10:30")), "breakfast").next_at == at("2026-12-26T06:00")

    def test_an_entry_that_cannot_be_shown_keeps_its_time_only_among_those_of_its_priority(
        self, festive: Timeline
    ) -> None:
        moment = festive.at(at("2026-12-25T10:00:05"), unshowable={"christmas"})
        assert (moment.since, moment.until) == (at("2026-12-25T10:00"), at("2026-12-25T10:00:30"))
        below = festive.at(at("2026-12-25T12:00:05"), unshowable={"christmas", "gifts"})
        assert (below.since, below.until) == (at("2026-12-25T12:00"), at("2026-12-25T13:00"))
        assert absence(below, "christmas").reason is Reason.PASSED_OVER

    def test_the_highest_priority_of_the_schedules_that_hold_counts(self) -> None:
        line = Timeline(
            version(
                entry("a", scene=[daily("06:00", "20:00"), daily("10:00", "11:00", priority=5)]),
                entry("b", scene=[daily("06:00", "20:00")], only=daily("08:00", "12:00", priority=3)),
                entry("c"),
            ),
            at("2026-11-19T00:00"),
            BERLIN,
        )
        asked = {t: shows(line, at(f"2026-11-20T{t}")) for t in ("07:00:05", "08:00:05", "10:30:15", "11:30", "12:00")}
        assert asked == {"07:00:05": "a", "08:00:05": "b", "10:30:15": "a", "11:30": "b", "12:00": "a"}

    def test_what_changes_below_a_higher_priority_is_no_boundary(self) -> None:
        line = Timeline(
            version(
                entry("christmas", 7, scene=[window("2026-11-01T00:00", "2027-01-07T00:00", priority=1)]),
                entry("breakfast", scene=[daily("06:00", "11:00")]),
                entry("always"),
            ),
            ANCHOR,
            BERLIN,
        )
        moment = line.at(ANCHOR + timedelta(days=3))
        assert moment.period == Interval(start=at("2026-11-01T00:00"), end=at("2027-01-07T00:00"))
        assert moment.loop == timedelta(days=3) // (7 * S)

    def test_with_an_unknown_clock_no_priority_counts(self, festive: Timeline) -> None:
        line = Timeline(version(entry("always"), entry("christmas", scene=[CHRISTMAS])), ANCHOR, BERLIN)
        assert shows(line, at("2026-12-25T12:00"), schedules_trusted=False) == "always"
        # Where only scheduled entries can show, the time is gone by.
        assert shows(festive, at("2026-12-25T12:00"), schedules_trusted=False) == "christmas"

    def test_the_timetable_has_what_shows(self, festive: Timeline) -> None:
        day = (at("2026-12-25T00:00"), at("2026-12-26T00:00"))
        spans = festive.spans(*day)
        assert spans["breakfast"] == ((at("2026-12-25T06:00"), at("2026-12-25T10:00")),)
        assert spans["lunch"] == ((at("2026-12-25T20:00"), at("2026-12-25T22:00")),)
        assert spans["gifts"] == ((at("2026-12-25T10:00"), at("2026-12-25T20:00")),)
        broken = festive.spans(*day, unshowable={"christmas", "gifts"})
        assert broken["lunch"] == ((at("2026-12-25T11:00"), at("2026-12-25T22:00")),)
        assert broken["gifts"] == spans["gifts"]


class TestClock:
    @pytest.fixture
    def mixed(self) -> Timeline:
        return Timeline(
            version(entry("always", 10), entry("breakfast", 10, scene=[daily("06:00", "11:00")])), ANCHOR, BERLIN
        )

    def test_with_an_unknown_clock_entries_without_schedules_play(self, mixed: Timeline) -> None:
        moment = mixed.at(ANCHOR + 15 * S, schedules_trusted=False)
        assert moment.entry is not None
        assert (moment.entry.id, moment.loop) == ("always", 1)
        assert absence(moment, "breakfast").reason is Reason.CLOCK_UNKNOWN
        assert shows(mixed, ANCHOR + 15 * S) == "breakfast"

    def test_scheduled_entries_play_if_there_is_no_other(self) -> None:
        line = Timeline(version(entry("breakfast", 10, scene=[daily("06:00", "11:00")])), ANCHOR, BERLIN)
        assert shows(line, at("2026-11-20T09:00"), schedules_trusted=False) == "breakfast"
        assert shows(line, at("2026-11-20T12:00"), schedules_trusted=False) is None

    def test_scheduled_entries_play_if_no_other_is_showable(self, mixed: Timeline) -> None:
        t = ANCHOR + 5 * S
        assert shows(mixed, t, schedules_trusted=False, unshowable={"always"}) == "breakfast"

    @pytest.mark.parametrize("back", [1 * S, 65 * S, timedelta(days=2), timedelta(days=399), timedelta(days=20_000)])
    def test_before_the_anchor_loops_are_counted_back_from_it(self, three: Timeline, back: timedelta) -> None:
        moment = three.at(ANCHOR - back)
        assert moment.entry is not None
        assert moment.until is not None
        assert moment.since <= moment.at < moment.until <= ANCHOR
        phase = -back % (60 * S)
        expected = "a" if phase < 10 * S else "b" if phase < 30 * S else "c"
        assert moment.entry.id == expected

    def test_before_the_anchor_the_start_of_a_period_counts_too(self) -> None:
        line = Timeline(
            version(entry("a", 7), entry("b", 6, scene=[daily("06:00", "11:00")])), at("2026-11-20T13:00:05"), BERLIN
        )
        assert line.at(at("2026-11-20T06:00:00")).since == at("2026-11-20T06:00:00")
        assert shows(line, at("2026-11-20T06:00:08")) == "b"
        # The last showing ends where the version really begins.
        assert line.at(at("2026-11-20T13:00:04")).until == at("2026-11-20T13:00:05")

    def test_the_zone_of_the_argument_does_not_matter(self, three: Timeline) -> None:
        t = ANCHOR + 15 * S
        assert three.at(t.astimezone(ZoneInfo("Asia/Tokyo"))) == three.at(t)


def test_cached_answers_are_those_of_a_fresh_timeline() -> None:
    """In any order of instants."""
    playlist = version(
        entry("a", 7, scene=[daily("06:00", "11:00")]), entry("b", 5), entry("c", 3, only=daily("10:00", "12:00"))
    )
    used = Timeline(playlist, utc("2026-11-19T10:00"), BERLIN)
    instants = [utc("2026-11-18T00:00") + timedelta(minutes=step * 173 % 4320, seconds=step) for step in range(120)]
    for t in instants:
        for unshowable in (frozenset[str](), frozenset("b")):
            fresh = Timeline(playlist, utc("2026-11-19T10:00"), BERLIN)
            assert used.at(t, unshowable=unshowable) == fresh.at(t, unshowable=unshowable)
