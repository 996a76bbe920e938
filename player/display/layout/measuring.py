"""Owns the port through which the layout measures text; pure, imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct


class TextMeasurer(Protocol):
    """Measures text of one face in ems."""

    def width(self, text: str, /) -> float:
        """Width of one line."""
        ...

    def cursor(self, text: str, index: int) -> float:
        """Left edge to the place before character `index`."""
        ...

    def lines(self, text: str, width: float, limit: int) -> tuple[str, ...]:
        """The text in at most `limit` lines no wider than `width` ems."""
        ...

    def flow(self, parts: Sequence[str], joint: str, width: float, limit: int) -> tuple[str, ...]:
        """The parts side by side, `joint` between two of a line, each kept whole where it can be."""
        ...

    def widest_piece(self, text: str) -> float:
        """The widest piece of the text that does not break."""
        ...


class TextMeasurers(Struct, frozen=True, kw_only=True):
    """One ruler for each face that a menu is set in."""

    title: TextMeasurer
    heading: TextMeasurer
    name: TextMeasurer
    price: TextMeasurer
    detail: TextMeasurer
    tag: TextMeasurer
