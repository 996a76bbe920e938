"""Owns what the player believes of the time: the port to the machine's clocks, and how far they can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol


class Clock(Protocol):
    """The machine's two clocks."""

    def wall(self) -> datetime:
        """The system's wall time, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back; for durations and time-outs."""
        ...


class Trust(StrEnum):
    """How far the wall clock can be believed."""

    TRUSTED = "trusted"
    """The system says that it is synchronised."""
    CORRECTED = "corrected"
    """Not synchronised, but the service's time gave an offset."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockState:
    """`offset` is true time minus the system's; zero unless corrected."""

    trust: Trust = Trust.UNKNOWN
    offset: timedelta = timedelta()
