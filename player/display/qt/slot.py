"""A Qt slot with arguments, with a type that the binding's stub lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import Slot

F = TypeVar("F", bound=Callable[..., Any])


def slot(*kinds: type, result: type | None = None) -> Callable[[F], F]:
    """A method that signals and QML call with arguments of these types, and that returns a `result`."""
    make: Any = Slot
    decorate: Callable[[F], F] = make(*kinds) if result is None else make(*kinds, result=result)
    return decorate
