"""Owns the one spelling of a read-only property for QML, because the binding's stub does not know the real one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Property, Signal


def qml_property(kind: type | str, read: Callable[[Any], object], *, notify: Signal | None = None) -> Any:
    """A property that QML reads; without `notify` it never changes. `kind` is a Python type or a Qt type's name."""
    make: Any = Property
    return make(kind, read, constant=True) if notify is None else make(kind, read, notify=notify)
