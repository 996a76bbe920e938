"""Frees memory that the display no longer needs, while nothing moves."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable

TIDY_AFTER_CHANGES = 24
"""Changes of views between two times; each leaves some hundred free pieces in the heaps."""


class Tidying:
    """Tidies up when due; called once a second. It takes some milliseconds, so never in a transition."""

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
            # The free pages of all heaps, which glibc gives back of itself only at their ends.
            ctypes.CDLL(None).malloc_trim(0)
