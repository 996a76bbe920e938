"""A read-only property for QML, with a type that the binding's stub lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Property, Signal


def qml_property(kind: type | str, read: Callable[[Any], object], *, notify: Signal | None = None) -> Any:
    """A property that QML reads; without `notify` it is constant. `kind` is a Python type or the name of a Qt type."""
    make: Any = Property
    return make(kind, read, constant=True) if notify is None else make(kind, read, notify=notify)
