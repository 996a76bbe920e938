"""Clock: the current time and timers; imports no other part of the service.

All other modules get a `Clock`: tests pass a virtual one, and a rehearsal can shift the real one.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

_log = logging.getLogger(__name__)


class Cancellable(Protocol):
    """A pending timer."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Wall time in UTC, whole milliseconds; monotonic time, which nobody sets; and timers on the event loop."""

    def now(self) -> datetime: ...

    def monotonic(self) -> timedelta: ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Cancellable: ...


async def sleep(clock: Clock, seconds: float) -> None:
    """Sleeps by the given clock, which may be virtual."""
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    timer = clock.call_later(seconds, lambda: None if done.done() else done.set_result(None))
    try:
        await done
    finally:
        timer.cancel()


def instant_text(instant: datetime) -> str:
    """Formats an instant as RFC 3339 in UTC with milliseconds: the only format that the service writes."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def whole_milliseconds(instant: datetime) -> datetime:
    """Truncates the instant to the precision of the database."""
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


STEP = timedelta(seconds=2)
"""A smaller difference between wall time and monotonic time is no step: synchronisation slews the clock."""


class ClockSteps:
    """Detects steps of the clock, by the monotonic clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._begin = self._reading()

    def noticed(self) -> bool:
        """Returns whether the clock was set since the last call."""
        last, self._begin = self._begin, self._reading()
        return abs(self._begin - last) > STEP

    def _reading(self) -> datetime:
        return self._clock.now() - self._clock.monotonic()


class SystemClock:
    """System clock, optionally shifted by the seconds in a file.

    The file is read again when its modification time or size changes. While it is absent, empty or not a number, the
    last valid shift (at first 0) applies. A shift ahead is later on the monotonic clock, too; one back sets the clock.
    Timers run in real seconds: code that waits for an instant polls the clock.
    """

    def __init__(self, *, offset_file: Path | None = None) -> None:
        self._offset_file = offset_file
        self._offset = timedelta()
        self._passed = timedelta()
        self._seen: tuple[int, int] | None = None

    def now(self) -> datetime:
        if self._offset_file is not None:
            self._read_offset(self._offset_file)
        return whole_milliseconds(datetime.now(UTC) + self._offset)

    def monotonic(self) -> timedelta:
        if self._offset_file is not None:
            self._read_offset(self._offset_file)
        return timedelta(seconds=time.monotonic()) + self._passed

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Cancellable:
        return asyncio.get_running_loop().call_later(seconds, callback)

    def _read_offset(self, path: Path) -> None:
        try:
            status = path.stat()
            seen = (status.st_mtime_ns, status.st_size)
            if seen == self._seen:
                return
            self._seen = seen
            before, self._offset = self._offset, timedelta(seconds=float(path.read_text()))
            self._passed += max(self._offset - before, timedelta())
        except FileNotFoundError:
            return
        except (OSError, ValueError, OverflowError) as fault:
            _log.warning("the clock offset file %s is not a number of seconds: %s", path, fault)
