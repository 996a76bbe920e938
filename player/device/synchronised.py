"""Checks whether the system clock is synchronised. Loads no asyncio: a start asks before its first frame."""

from __future__ import annotations

import ctypes
from pathlib import Path

TIMESYNC_FLAG = Path("/run/systemd/timesync/synchronized")
"""Created by systemd-timesyncd when the clock is synchronised for the first time since the boot."""

_LIBC = ctypes.CDLL(None)


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
    """True if the system clock is synchronised: by timesyncd's flag, or by the kernel's for any other daemon."""
    return flag.exists() or _kernel_says_synchronised()


def _kernel_says_synchronised() -> bool:
    timex = _Timex(modes=0)  # Reading needs no privilege.
    state: int = _LIBC.adjtimex(ctypes.byref(timex))
    # Neither TIME_ERROR nor STA_UNSYNC.
    return 0 <= state != 5 and not timex.status & 0x0040
