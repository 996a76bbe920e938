"""Geometry of a widget."""

# Without `annotations` of __future__: a start would evaluate strings to read its first scene.

from typing import Annotated, Self

from msgspec import Struct

from menu.documents.converters import Number

MAX_CANVAS = 8192
MAX_COORDINATE = 4 * MAX_CANVAS
MIN_EXTENT = 1
"""Canvas units; a smaller widget cannot be seen."""

Coordinate = Annotated[float, Number(-MAX_COORDINATE, MAX_COORDINATE)]
Extent = Annotated[float, Number(MIN_EXTENT, MAX_COORDINATE)]


class Box(Struct, frozen=True, kw_only=True, rename="camel"):
    """A widget's geometry in canvas units."""

    x: Coordinate
    y: Coordinate
    width: Extent
    height: Extent

    def shares_columns(self, other: Self) -> bool:
        """Whether a vertical line crosses both."""
        return self.x < other.x + other.width and other.x < self.x + self.width

    def shares_lines(self, other: Self) -> bool:
        """Whether a horizontal line crosses both."""
        return self.y < other.y + other.height and other.y < self.y + self.height

    def contains(self, other: Self) -> bool:
        """Whether every point of the other is in this one."""
        across = self.x <= other.x and other.x + other.width <= self.x + self.width
        return across and self.y <= other.y and other.y + other.height <= self.y + self.height

    def overlaps(self, other: Self) -> bool:
        return self.shares_columns(other) and self.shares_lines(other)
