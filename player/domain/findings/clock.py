"""Findings about the clock of the device, and the time zone of the location."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from menu.documents.schedule import local_time, zone_named
from menu.text.phrase import Phrase, SpokenDay, phrase
from player.domain.finding import Finding, Severity, Who, quoted
from player.domain.findings.finding import at_stake, finding, sentence, some, span
from player.domain.state import PlayerState
from player.domain.time.clock import Trust

CLOCK_OFF_SECONDS = 20.0
"""By how much a clock may be wrong before anybody would notice it on a menu board."""

_A_DAY = timedelta(days=1)
"""From which on the day is told that the clock shows: nobody reckons in thousands of days."""

_TIME_SERVER = phrase("Let the device reach a time server (NTP, UDP port 123), or set its clock.")


def of_clock(state: PlayerState) -> Iterator[Finding]:
    """Reports a clock that is not known, or is wrong."""
    off = timedelta(seconds=CLOCK_OFF_SECONDS)
    offset, differs = state.clock.offset, state.clock_differs
    match state.clock.trust:
        case Trust.UNKNOWN:
            yield finding(
                "clock_unknown",
                "The device does not know what time it is, so scenes with a schedule stand back.",
                "No time server has set its clock, or it shows a time that cannot be, and the service has not told the"
                " time yet.",
                _TIME_SERVER,
                severity=at_stake(state),
                who=Who.NETWORK,
            )
        case Trust.CORRECTED if abs(offset) >= off:
            yield finding(
                "clock_corrected",
                phrase(
                    "The device's clock says that it is {day}. The board goes by the service's time instead.",
                    day=_day(state.at - offset, state),
                )
                if abs(offset) >= _A_DAY
                else phrase(
                    "The device's clock is {off}. The board goes by the service's time instead.", off=_off_by(offset)
                ),
                "No time server has set the clock of the device.",
                "{advice} Until then a restart without the service may show scenes at the wrong hour.",
                who=Who.NETWORK,
                advice=_TIME_SERVER,
            )
        case Trust.TRUSTED if differs is not None and abs(differs) >= off:
            yield finding(
                "clock_differs",
                phrase(
                    "The device's clock says that it is {day}, and the service that it is {other}. Scenes show at the"
                    " wrong time if the service is right.",
                    day=_day(state.at, state),
                    other=_day(state.at + differs, state),
                )
                if abs(differs) >= _A_DAY
                else phrase(
                    "The device's clock is {off}, by the time of the service. Scenes show at the wrong hour if the"
                    " service is right.",
                    off=_off_by(differs),
                ),
                "The device says that a time server has set its clock, so the board goes by it.",
                "Compare the clock on the board with a phone. If the board is wrong, see to the device's time server"
                " and its clock. If the phone agrees with it, tell whoever runs the service that its clock is wrong.",
            )
        case _:
            pass


def of_zone(state: PlayerState) -> Iterator[Finding]:
    """A time zone that does not exist."""
    bad = [part for part in state.rejections if part.code == "timezone_unknown"]
    if bad and state.location is not None:
        yield finding(
            "zone_unknown",
            phrase(
                "The time zone of the location {name} is not known, so the board goes by UTC.",
                name=quoted(state.location.name),
            )
            if state.location.timezone == "UTC"
            else phrase("A schedule names a time zone that is not known, so it is left out."),
            sentence(some([part.detail for part in bad])),
            "Choose a time zone such as Europe/Berlin for it in the service. If that is what it says, the device's"
            " list of zones is too old: update the device.",
            who=Who.OPERATOR,
        )


def of_other_zone(state: PlayerState) -> Iterator[Finding]:
    """Reports a device that somebody set to another time zone than the location's."""
    location = state.location
    if location is None or state.clock.trust is Trust.UNKNOWN or not zone_named(state.device.zone):
        return
    here, there = local_time(state.at, location.timezone), local_time(state.at, state.device.zone)
    if here.utcoffset() != there.utcoffset():
        yield finding(
            "zone_differs",
            "The board goes by the time of {zone}, where it is {time}. This device is set to {other}, where it is"
            " {there}.",
            phrase("A board follows the time zone of its location, {name}.", name=quoted(location.name)),
            "If the first time is wrong here, set the time zone of this location in the service.",
            severity=Severity.NOTE,
            who=Who.OPERATOR,
            zone=location.timezone,
            time=f"{here:%H:%M}",
            other=state.device.zone,
            there=f"{there:%H:%M}",
        )


def _day(instant: datetime, state: PlayerState) -> SpokenDay:
    zone = state.location.timezone if state.location else "UTC"
    return SpokenDay(local_time(instant, zone).date(), with_year=True)


def _off_by(offset: timedelta) -> Phrase:
    length = span(offset)
    return phrase("{span} slow", span=length) if offset > timedelta() else phrase("{span} fast", span=length)
