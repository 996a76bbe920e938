"""Findings about the clock and the time zone: each with its cause and something to do."""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from menu.documents.manifest import Location
from player.domain import events as ev
from player.domain.findings.clock import CLOCK_OFF_SECONDS
from player.domain.findings.diagnosis import diagnose
from player.domain.state import (
    PlayerState,
)
from player.domain.time.clock import ClockState, Trust
from tests.player.domain.findings.states import (
    HEALTHY,
    Case,
    check,
    codes,
    parametrized,
    playing,
    rejected,
    told,
)
from tests.support.board import COFFEE, ITEMS, Board
from tests.support.menus import entry

CASES: list[Case] = [
    ("no time", replace(HEALTHY, clock=ClockState()), "clock_unknown", "NTP"),
    ("a corrected clock", replace(HEALTHY, clock=ClockState(trust=Trust.CORRECTED, offset=timedelta(hours=-1))),
     "clock_corrected", "1 hour fast"),
    ("a clock that begins in 1970, by the service's time",
     replace(HEALTHY, clock=ClockState(trust=Trust.CORRECTED, offset=timedelta(days=20777))),
     "clock_corrected", "says that it is Thursday 1 January 1970. "),
    ("a clock that begins in 2000, and says that it is right",
     replace(HEALTHY, at=HEALTHY.at.replace(year=2000), clock_differs=timedelta(days=9740)),
     "clock_differs", "says that it is Monday 20 November 2000, and the service that it is "),
    ("synchronised and an hour off", replace(HEALTHY, clock_differs=timedelta(hours=1)), "clock_differs", "hour slow"),
    ("an unknown zone",
     rejected("timezone_unknown", "the zone Mars/Base is not known", state=replace(
         HEALTHY, location=Location(id="l", name="Café", timezone="UTC", currency="EUR", locale="de", rotation=0))),
     "zone_unknown", "“Café”"),
    ("a location in another zone than somebody set on the device",
     replace(HEALTHY, device=replace(HEALTHY.device, zone="America/New_York")), "zone_differs", "13:00"),
]  # fmt: skip


@parametrized(CASES)
def test_the_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    check(state, code, says)


def test_a_small_offset_of_the_clock_is_no_finding() -> None:
    small = timedelta(seconds=CLOCK_OFF_SECONDS - 1)
    assert told(replace(HEALTHY, clock_differs=small)) == ()
    assert told(replace(HEALTHY, clock=ClockState(trust=Trust.CORRECTED, offset=small))) == ()


def test_a_zone_of_the_same_time_is_no_finding() -> None:
    for zone in ("", "Europe/Paris", "Mars/Base"):
        assert told(replace(HEALTHY, device=replace(HEALTHY.device, zone=zone))) == ()
    unknown = replace(HEALTHY, clock=ClockState(), device=replace(HEALTHY.device, zone="Asia/Tokyo"))
    assert "zone_differs" not in {finding.code for finding in told(unknown)}


def test_a_clock_that_is_corrected_moves_since_when_with_it() -> None:
    board = playing()
    board.tell(ev.HealthRead(health=ev.Health(temperature_celsius=90.0)))
    board.clock.step(timedelta(hours=1))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    board.swap()
    (finding,) = diagnose(board.state)
    assert finding.since is not None
    assert board.state.at - finding.since < timedelta(seconds=1)


def test_a_clock_that_steps_does_not_make_the_seconds_pass_that_a_finding_has_to_stay() -> None:
    board = Board()
    board.receive(items=ITEMS, scenes=[COFFEE], entries=[entry("coffee")])
    board.swap()
    assert "clock_unknown" in board.state.found
    snapshot = board.state
    board.clock.step(timedelta(hours=1))
    board.clock.pass_(1)
    # Nobody has told the board of it yet.
    assert diagnose(snapshot.as_of(board.clock.monotonic())) == ()
    board.clock.pass_(15)
    (finding,) = diagnose(snapshot.as_of(board.clock.monotonic()))
    assert finding.code == "clock_unknown"


def test_a_clock_that_says_it_is_synchronised_and_is_an_hour_off_is_found_by_the_service_s_time() -> None:
    board = playing()
    for offset in (0, -3600):
        board.tell(
            ev.HeartbeatAnswered(
                server_time=board.clock.wall() + timedelta(seconds=offset),
                sent=board.clock.monotonic(),
                received=board.clock.monotonic(),
                screen_name="Counter",
                settings=board.state.settings,
            )
        )
        board.pass_(3)
        if offset == 0:
            assert codes(board) == []
            board.clock.step(timedelta(hours=1))
            board.tell(ev.ClockChecked(synchronised=True, stepped=True))
            board.swap()
            board.pass_(3)
        (finding,) = diagnose(board.state)
        assert finding.code == "clock_differs"
        assert "1 hour fast" in finding.what
