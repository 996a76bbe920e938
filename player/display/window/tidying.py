"""Gives memory back that a display has used and no longer needs, while nothing moves."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from functools import cache

TIDY_AFTER_CHANGES = 24
"""Changes of views between two times; each leaves some hundred free pieces in the heaps."""


class Tidying:
    """Asked once a second whether it is time. It takes some milliseconds, so never in a transition."""

    def __init__(self, *, collect_qml: Callable[[], None]) -> None:
        """`collect_qml` frees what QML no longer needs."""
        self._collect_qml = collect_qml
        self._tidied_at = 0

    def consider(self, changes: int, *, at_rest: bool) -> None:
        """Tidy up if there have been enough changes since the last time and nothing moves."""
        if at_rest and changes - self._tidied_at >= TIDY_AFTER_CHANGES:
            self._tidied_at = changes
            gc.collect()
            self._collect_qml()
            _trim()


def _trim() -> None:
    """Give the free pages of all heaps back to the system, which glibc does of itself only at their ends."""
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    """None where the C library is not glibc."""
    trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim
