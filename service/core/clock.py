"""What time it is, and waking up later; imports no other part of the service.

Every other module is handed a `Clock`, so tests run on a virtual one and a rehearsal may shift the real one.
"""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

_log = logging.getLogger(__name__)


class Cancellable(Protocol):
    """A wake-up that is still to come."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Wall time in UTC, whole milliseconds, and timers that run on the event loop."""

    def now(self) -> datetime: ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Cancellable: ...


async def sleep(clock: Clock, seconds: float) -> None:
    """Wait on the given clock, so that a virtual one decides when the wait is over."""
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    timer = clock.call_later(seconds, lambda: None if done.done() else done.set_result(None))
    try:
        await done
    finally:
        timer.cancel()


def instant_text(instant: datetime) -> str:
    """RFC 3339 in UTC with milliseconds, the only form in which the service writes an instant."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def whole_milliseconds(instant: datetime) -> datetime:
    """The instant as the database can hold it."""
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


class SystemClock:
    """The machine's clock, shifted by the seconds that a file names, if the operator gave one.

    The file is read again when its modification time or size changes; while it is absent, empty or not a number the
    last good shift (at first none) holds. Timers run in real seconds: whoever waits for an instant
    asks the clock again at short intervals.
    """

    def __init__(self, *, offset_file: Path | None = None) -> None:
        self._offset_file = offset_file
        self._offset = timedelta()
        self._seen: tuple[int, int] | None = None

    def now(self) -> datetime:
        if self._offset_file is not None:
            self._read_offset(self._offset_file)
        return whole_milliseconds(datetime.now(UTC) + self._offset)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Cancellable:
        return asyncio.get_running_loop().call_later(seconds, callback)

    def _read_offset(self, path: Path) -> None:
        try:
            status = path.stat()
            seen = (status.st_mtime_ns, status.st_size)
            if seen == self._seen:
                return
            self._seen = seen
            self._offset = timedelta(seconds=float(path.read_text()))
        except FileNotFoundError:
            return
        except (OSError, ValueError, OverflowError) as fault:
            _log.warning("the clock offset file %s is not a number of seconds: %s", path, fault)
