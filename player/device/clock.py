"""Owns the machine's clocks: reads them, as they are or moved for a rehearsal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic

MAX_OFFSET_FILE_BYTES = 100


class SystemClock:
    """The clocks as they are."""

    def wall(self) -> datetime:
        """The system's wall time, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since the boot, without those in which the machine was suspended."""
        return monotonic()


class OffsetClock:
    """For rehearsals: wall time, moved by the number of seconds that a file holds at the moment; no file, no move."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._system = SystemClock()

    def wall(self) -> datetime:
        """The moved wall time, aware, in UTC."""
        try:
            with self._path.open("rb") as file:
                offset = timedelta(seconds=float(file.read(MAX_OFFSET_FILE_BYTES)))
            return self._system.wall() + offset
        except (OSError, ValueError, OverflowError):
            return self._system.wall()

    def monotonic(self) -> float:
        """The monotonic clock is not moved."""
        return self._system.monotonic()
