"""Decides whether a version of the board stays; pure.

A new version is on trial. It is looked at every few seconds, and each look is one of three:

1. WELL: the board shows what it should, is paired if it was, and is in contact if it was.
2. FAULT: it does not, and only the new version can be why.
3. UNKNOWN: nobody can tell. The board is switched off, has no display, or has no contact where this machine reaches the
   service no more than the board does. Such looks count for nothing.

A version is good after `WELL_SECONDS` of looks without a fault in one run of the player, and bad after `FAULT_SECONDS`
of faults in all, also over restarts of the machine.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

WELL_SECONDS = 120.0
FAULT_SECONDS = 300.0
"""Five minutes: the slowest board is on the glass and in contact within one."""


CANNOT_START = "cannot start: "
"""The status that a board tells systemd when it shows what to mend in place of the menu."""


class Before(NamedTuple):
    """State of the board just before the update. If it is unknown, the new version only has to show something."""

    paired: bool = False
    contact: bool = False


class BoardStatus(NamedTuple):
    """Status file of a running board, /run/menu-player/board.json. It is written by an untrusted program: its content
    can only keep a version, or bring one of our own."""

    version: str
    run: str
    presented: bool
    screen: bool
    paired: bool
    contact: bool
    wanted: str | None = None
    zone: str = ""
    hours: Any = None
    """The opening hours as guard/opening.py reads them; None where the board does not know them."""

    @classmethod
    def read(cls, document: Any) -> BoardStatus | None:
        """Parses the status; None if it is invalid."""
        if not isinstance(document, dict):
            return None

        def text(name: str) -> str:
            return found if isinstance(found := document.get(name), str) else ""

        return cls(
            version=text("version"),
            run=text("run"),
            presented=document.get("presented") is True,
            screen=document.get("screen") is not False,
            paired=document.get("paired") is True,
            contact=document.get("contact") is True,
            wanted=text("wanted") if "wanted" in document else None,
            zone=text("zone"),
            hours=document.get("hours"),
        )


class Unit(NamedTuple):
    """State of the board's unit, by systemd."""

    load: str
    active: str
    says: str = ""


class Kind(Enum):
    WELL = "well"
    FAULT = "fault"
    UNKNOWN = "unknown"


class Observation(NamedTuple):
    """A look at the board: what it found, why, as a sentence and of a fault as a code too, and in which run of the
    player."""

    kind: Kind
    why: str = ""
    run: str = ""
    code: str = ""


def observe(
    *, unit: Unit, board: BoardStatus | None, version: str, before: Before, has_display: bool, reaches_service: bool
) -> Observation:
    """Judges the current state of the board. `reaches_service` says whether this program, on the same machine, gets an
    answer from the service: without one, the network is to blame and not the version."""
    if unit.load == "masked" or (unit.load == "loaded" and unit.active == "inactive"):
        return Observation(Kind.UNKNOWN, "the board is switched off")
    if unit.load != "loaded":
        return _fault("not_whole", "the board is not installed whole")
    if board is None or unit.active != "active":
        if not has_display:
            return Observation(Kind.UNKNOWN, "the machine has no display")
        if unit.says.startswith(CANNOT_START):
            return _fault("cannot_start", unit.says)
        return _fault("not_started", "the board does not start")
    if board.version != version:
        return _fault("old_version", f"version {board.version} still runs")
    if not board.screen:
        return Observation(Kind.UNKNOWN, "no screen is connected, or it is switched off")
    if not board.presented:
        return _fault("nothing_shown", "nothing comes onto the screen")
    if before.paired and not board.paired:
        return _fault("pairing_lost", "the board has lost its pairing")
    if before.contact and not board.contact:
        if reaches_service:
            return _fault("no_contact", "the board is not in contact with the service, which answers this machine")
        return Observation(Kind.UNKNOWN, "this machine does not reach the service")
    return Observation(Kind.WELL, run=board.run)


def _fault(code: str, why: str) -> Observation:
    """A look at a board that is not well; the service knows the codes (`service/desk/screens/rollouts.py`)."""
    return Observation(Kind.FAULT, why, code=code)


class Verdict(Enum):
    OPEN = "open"
    GOOD = "good"
    BAD = "bad"


class Trial(NamedTuple):
    """Looks so far, in seconds of each kind. `well` is the period since the last fault or start of the player."""

    faulty: float = 0.0
    well: float = 0.0
    run: str = ""
    why: str = ""
    code: str = ""

    def after(self, look: Observation, seconds: float) -> Trial:
        """Adds a look, which stands for the seconds since the previous one."""
        if look.kind is Kind.FAULT:
            return Trial(faulty=self.faulty + seconds, why=look.why, code=look.code)
        if look.kind is Kind.UNKNOWN:
            return self
        if look.run != self.run:
            return self._replace(well=0.0, run=look.run)
        return self._replace(well=self.well + seconds)

    def verdict(self, *, well_seconds: float = WELL_SECONDS, fault_seconds: float = FAULT_SECONDS) -> Verdict:
        if self.faulty >= fault_seconds:
            return Verdict.BAD
        return Verdict.GOOD if self.run and self.well >= well_seconds else Verdict.OPEN
