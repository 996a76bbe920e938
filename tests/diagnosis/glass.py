"""Faults that keep a frame from the glass: a display's thread that stands still, and a window that nobody sees."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.diagnosis.bad_disk import NotHereError

_DETACH, _SEIZE, _INTERRUPT = 17, 0x4206, 0x4207
_ANY_CHILD = 0x40000000
"""__WALL: a thread, too."""

TRIES = 20


@contextmanager
def display_stopped(process: int, *, answers: Callable[[], object]) -> Iterator[None]:
    """The first thread of a process, which is Qt's, stands still, and the others go on, as `answers` tells. It must not
    be stopped while the others need something of it, so it is let go, and stopped again, until they do."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    for _ in range(TRIES):
        if libc.ptrace(_SEIZE, process, None, None) != 0:
            raise NotHereError(f"no thread can be stopped: {os.strerror(ctypes.get_errno())}")
        libc.ptrace(_INTERRUPT, process, None, None)
        os.waitpid(process, _ANY_CHILD)
        if answers():
            break
        libc.ptrace(_DETACH, process, None, None)
        time.sleep(0.05)
    else:
        raise NotHereError("the other threads do not go on")
    try:
        yield
    finally:
        libc.ptrace(_DETACH, process, None, None)


def unmap_windows(display: str) -> None:
    """Take every window off the screen of an X server, as who minimises them does."""
    try:
        x = ctypes.CDLL("libX11.so.6")
    except OSError as error:
        raise NotHereError(f"no window can be hidden: {error}") from error
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XDefaultRootWindow.restype = ctypes.c_ulong
    connection = ctypes.c_void_p(x.XOpenDisplay(display.encode()))
    root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
    windows = ctypes.POINTER(ctypes.c_ulong)()
    x.XQueryTree(
        connection,
        ctypes.c_ulong(x.XDefaultRootWindow(connection)),
        *(ctypes.byref(each) for each in (root, parent, windows, count)),
    )
    for window in windows[: count.value]:
        x.XUnmapWindow(connection, ctypes.c_ulong(window))
    x.XSync(connection, 0)
    x.XCloseDisplay(connection)
