"""Owns the size of a text in a box: the one asked for, or the largest that fits; pure, imports no Qt."""

from __future__ import annotations

from msgspec import Struct

from player.display.layout.measuring import TextMeasurer

LINE = 1.22
"""Line height in ems."""
BASELINE = 0.96
"""From a line's top to its baseline, in ems."""
SMALLEST = 8
"""The smallest size tried, in canvas units; at it, what is too much ends in an ellipsis."""
MOST_LINES = 200


class FittedText(Struct, frozen=True, kw_only=True):
    """A text broken into lines; `size` in whole canvas units."""

    size: int
    lines: tuple[str, ...]

    @property
    def height(self) -> float:
        """Of all lines, in canvas units."""
        return len(self.lines) * LINE * self.size


def fit_text(
    text: str,
    *,
    measurer: TextMeasurer,
    width: float,
    height: float,
    size: float | None = None,
    most: float | None = None,
) -> FittedText:
    """Break `text` to fit a box; with `size` at that size, otherwise at the largest up to `most` that fits it whole."""
    if size is not None:
        return _set(text, measurer, max(1, round(size)), width, height)
    low, high = SMALLEST, max(SMALLEST, int(min(height / LINE, most or height)))
    while low < high:
        middle = (low + high + 1) // 2
        if _whole(text, measurer, middle, width, height):
            low = middle
        else:
            high = middle - 1
    return _set(text, measurer, low, width, height)


def _room(size: int, height: float) -> int:
    return min(MOST_LINES, max(1, int(height / (LINE * size) + 0.05)))


def _set(text: str, measurer: TextMeasurer, size: int, width: float, height: float) -> FittedText:
    return FittedText(size=size, lines=measurer.lines(text, width / size, _room(size, height)))


def _whole(text: str, measurer: TextMeasurer, size: int, width: float, height: float) -> bool:
    # A word that would have to be cut counts as too wide: text shrinks before it breaks inside a word.
    if measurer.widest_piece(text) * size > width:
        return False
    lines = measurer.lines(text, width / size, _room(size, height) + 1)
    return len(lines) * LINE * size <= height + 0.05 * LINE * size
