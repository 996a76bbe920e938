"""Detects steps and lost synchronisation of the system clock."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NoReturn

from player.domain.clock import Clock, stepped
from player.domain.events import ClockChecked

LOOK_SECONDS = 0.5
"""Between two readings: a step is noticed within a second."""

TIMESYNC_FLAG = Path("/run/systemd/timesync/synchronized")
"""Created by systemd-timesyncd when the clock is synchronised for the first time since the boot."""

_STA_UNSYNC = 0x0040
_TIME_ERROR = 5


class _Timex(ctypes.Structure):
    """struct timex of adjtimex(2), on 64-bit Linux."""

    _fields_ = [
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_char * 256),
    ]


def synchronised(*, flag: Path = TIMESYNC_FLAG) -> bool:
    """Whether the system clock is synchronised: by timesyncd's flag, or by the kernel's for any other daemon."""
    return flag.exists() or _kernel_says_synchronised()


def _kernel_says_synchronised() -> bool:
    timex = _Timex(modes=0)  # Reading needs no privilege.
    state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    return 0 <= state != _TIME_ERROR and not timex.status & _STA_UNSYNC


class ClockWatch:
    """Emits an event at the start, when synchronisation changes, and within a second of each step of wall time."""

    def __init__(
        self,
        *,
        clock: Clock,
        emit: Callable[[ClockChecked], None],
        synchronised: Callable[[], bool] = synchronised,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._emit = emit
        self._synchronised = synchronised
        self._sleep = sleep

    async def run(self) -> NoReturn:
        """Run until cancelled."""
        clock = self._clock
        wall, since = clock.wall(), clock.monotonic()
        before = self._synchronised()
        self._emit(ClockChecked(synchronised=before, stepped=False))
        while True:
            await self._sleep(LOOK_SECONDS)
            # Compared with the last step, not the last reading: many small steps add up.
            jumped = stepped(wall=clock.wall() - wall, monotonic=clock.monotonic() - since)
            now = self._synchronised()
            if jumped:
                wall, since = clock.wall(), clock.monotonic()
            if jumped or now is not before:
                before = now
                self._emit(ClockChecked(synchronised=now, stepped=jumped))
