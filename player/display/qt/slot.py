"""Owns the one spelling of a slot, because the binding's stub knows only those without arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import Slot

F = TypeVar("F", bound=Callable[..., Any])


def slot(*kinds: type, result: type | None = None) -> Callable[[F], F]:
    """A method that signals and QML call with arguments of these kinds, and that answers with a `result`."""
    make: Any = Slot
    decorate: Callable[[F], F] = make(*kinds) if result is None else make(*kinds, result=result)
    return decorate
