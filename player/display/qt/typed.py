"""Slots and properties of Qt, with types that the binding's stubs lack, and single-shot timers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import Property, QObject, QTimer, Signal, Slot

F = TypeVar("F", bound=Callable[..., Any])


def slot(*kinds: type, result: type | None = None) -> Callable[[F], F]:
    """Decorates a method that signals and QML call with arguments of these types, and that returns a `result`."""
    make: Any = Slot
    decorate: Callable[[F], F] = make(*kinds) if result is None else make(*kinds, result=result)
    return decorate


def qml_property(kind: type | str, read: Callable[[Any], object], *, notify: Signal | None = None) -> Any:
    """Returns a property that QML reads; without `notify` it is constant. `kind` is a Python type or the name of a Qt
    type."""
    make: Any = Property
    return make(kind, read, constant=True) if notify is None else make(kind, read, notify=notify)


def single_shot_timer(seconds: float, call: Callable[[], object], parent: QObject | None = None) -> QTimer:
    """Returns the timer, not started; with 0 seconds it calls in the next turn of the event loop."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(round(seconds * 1000))
    timer.timeout.connect(call)
    return timer
