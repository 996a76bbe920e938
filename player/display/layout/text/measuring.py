"""Protocol through which layout measures text; pure, imports no Qt."""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

Face = Literal["title", "heading", "name", "price", "detail", "tag", "second", "second_detail"]
"""A font of a list or an item; each has a measurer."""


class TextMeasurer(Protocol):
    """Measures text in one font, in ems."""

    def width(self, text: str, /) -> float:
        """Width of one line."""
        ...

    def cursor(self, text: str, index: int) -> float:
        """Distance from the left edge to the position before character `index`."""
        ...

    def lines(self, text: str, width: float, limit: int) -> tuple[str, ...]:
        """Breaks the text into at most `limit` lines no wider than `width` ems."""
        ...

    def least_lines(self, text: str, width: float) -> int:
        """Returns the least number of lines, no wider than `width` ems, that the text takes."""
        ...

    def widest_piece(self, text: str, *, parts: int = 1) -> float:
        """Width of the widest unbreakable piece of the text, where each is hyphenated in at most so many parts."""
        ...


class TextMeasurers(Struct, frozen=True, kw_only=True):
    """A measurer for each font of a list or an item."""

    title: TextMeasurer
    heading: TextMeasurer
    name: TextMeasurer
    price: TextMeasurer
    detail: TextMeasurer
    tag: TextMeasurer
    second: TextMeasurer
    """Measurer of names in a second language."""
    second_detail: TextMeasurer

    def of(self, face: Face) -> TextMeasurer:
        found: TextMeasurer = getattr(self, face)
        return found
