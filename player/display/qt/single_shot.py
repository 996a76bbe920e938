"""A single-shot timer."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def single_shot_timer(seconds: float, call: Callable[[], object], parent: QObject | None = None) -> QTimer:
    """The timer, not started; with 0 seconds it calls in the next turn of the event loop."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(round(seconds * 1000))
    timer.timeout.connect(call)
    return timer
