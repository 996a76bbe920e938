"""Fits a text in a box: at the requested size, or at the largest that fits; pure, imports no Qt."""

from __future__ import annotations

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


class FittedText(Struct, frozen=True, kw_only=True):
    """A text broken into lines; `size` in whole canvas units."""

    size: int
    lines: tuple[str, ...]

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
    """Break `text` to fit a box; at `size` if given, otherwise at the largest size up to `most` at which it is
    whole; `even`: with no short word alone on a last line."""
    if size is None:
        high = int(min(height / LINE, most or height))
        # Text that does not fit at 8 canvas units ends in an ellipsis.
        size = largest(8, high, lambda tried: _is_whole(text, measurer, tried, width, height))
    found = _break_at(text, measurer, max(1, round(size)), width, height)
    if not even:
        return found
    ems = width / found.size
    lines = [line for part in text.split("\n") for line in described(measurer, part, ems, MOST_LINES) or ("",)]
    return replace(found, lines=tuple(lines)) if len(lines) == len(found.lines) else found


def _line_limit(size: int, height: float) -> int:
    return min(MOST_LINES, max(1, int(height / (LINE * size) + 0.05)))


def _break_at(text: str, measurer: TextMeasurer, size: int, width: float, height: float) -> FittedText:
    return FittedText(size=size, lines=measurer.lines(text, width / size, _line_limit(size, height)))


def _is_whole(text: str, measurer: TextMeasurer, size: int, width: float, height: float) -> bool:
    # Text shrinks before it breaks inside a word.
    if measurer.widest_piece(text) * size > width:
        return False
    lines = measurer.lines(text, width / size, _line_limit(size, height) + 1)
    return len(lines) * LINE * size <= height + 0.05 * LINE * size


def widest_figures(text: str, measurer: TextMeasurer) -> str:
    """Replaces each figure of the text with the widest of its script: where this fits, all others fit."""
    return "".join(max(figures_of(letter), key=measurer.width, default=letter) for letter in text)


def figures_of(letter: str) -> list[str]:
    """Returns the ten figures of the script of a figure; none for another letter."""
    value = unicodedata.decimal(letter, None)
    return [] if value is None else [chr(ord(letter) - value + figure) for figure in range(10)]
