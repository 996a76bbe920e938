"""Fits a text in a box: at the requested size or a smaller one, or at the largest that fits; pure, imports no Qt."""

from __future__ import annotations

import math
import unicodedata

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.sizes import largest
from player.display.layout.text.line_breaking import described
from player.display.layout.text.measuring import TextMeasurer

LINE = 1.22
"""Line height in ems."""
BASELINE = 0.96
"""From a line's top to its baseline, in ems."""
MOST_LINES = 200
LEAST_SIZE = 8
"""In canvas units: text that does not fit so ends in an ellipsis."""
ONE_LINE = 0.6
"""A title is smaller, down to this share of its size, before it breaks, and any text before a word is hyphenated."""
MOST_PARTS = 4
"""Parts of a word that is hyphenated, at most."""


class FittedText(Struct, frozen=True, kw_only=True):
    """A text broken into lines; `size` in whole canvas units, `whole` if nothing of it is cut."""

    size: int
    lines: tuple[str, ...]
    whole: bool = True

    @property
    def height(self) -> float:
        """Height of all lines, in canvas units."""
        return len(self.lines) * LINE * self.size


def fit_text(
    text: str,
    *,
    measurer: TextMeasurer,
    width: float,
    height: float,
    size: float | None = None,
    most: float | None = None,
    even: bool = False,
) -> FittedText:
    """Break `text` to fit a box, at the largest size at which it is whole: up to `size` if given, otherwise up to
    `most`. A title is `even`: with no short word alone on a last line, and in one line where that has room at
    `ONE_LINE` of the size."""
    high = int(min(height / LINE, most or height)) if size is None else max(1, round(size))

    def holds(tried: int, lines: int = MOST_LINES, parts: int = 1) -> bool:
        return _is_whole(text, measurer, tried, width, height, lines, parts)

    least = min(LEAST_SIZE, high)
    at = high if holds(high) else largest(least, high, holds)
    one_line = math.ceil(ONE_LINE * high)
    if even and size is not None and at < high and holds(one_line, 1):
        at = largest(one_line, high, lambda tried: holds(tried, 1))
    if size is not None and at < one_line and holds(one_line, parts=MOST_PARTS):
        at = largest(one_line, high, lambda tried: holds(tried, parts=MOST_PARTS))
    found = _break_at(text, measurer, at, width, height)
    found = replace(found, whole=at > least or holds(at))
    if not even:
        return found
    ems = width / found.size
    lines = [line for part in text.split("\n") for line in described(measurer, part, ems, MOST_LINES) or ("",)]
    return replace(found, lines=tuple(lines)) if len(lines) == len(found.lines) else found


def _line_limit(size: int, height: float) -> int:
    return min(MOST_LINES, max(1, int(height / (LINE * size) + 0.05)))


def _break_at(text: str, measurer: TextMeasurer, size: int, width: float, height: float) -> FittedText:
    return FittedText(size=size, lines=measurer.lines(text, width / size, _line_limit(size, height)))


def _is_whole(text: str, measurer: TextMeasurer, size: int, width: float, height: float, most: int, parts: int) -> bool:
    # Text shrinks before it breaks inside a word.
    if measurer.widest_piece(text, parts=parts) * size > width:
        return False
    lines = measurer.lines(text, width / size, _line_limit(size, height) + 1)
    return len(lines) <= most and (len(lines) == 1 or len(lines) * LINE * size <= height + 0.05 * LINE * size)


def widest_figures(text: str, measurer: TextMeasurer) -> str:
    """Replaces each figure of the text with the widest of its script: where this fits, all others fit."""
    return "".join(max(figures_of(letter), key=measurer.width, default=letter) for letter in text)


def figures_of(letter: str) -> list[str]:
    """Returns the ten figures of the script of a figure; none for another letter."""
    value = unicodedata.decimal(letter, None)
    return [] if value is None else [chr(ord(letter) - value + figure) for figure in range(10)]
