"""Breaks names and descriptions into lines of about equal length; imports no Qt."""

from __future__ import annotations

from player.display.layout.text.line_breaking import ELLIPSIS, ends_early
from player.display.layout.text.measuring import TextMeasurer

WIDOW = 0.6
"""A single last word of a description that is wider than this share of the line may stay alone."""
BALANCE_STEPS = 6
"""Halvings in the search for the narrowest width at which a name needs no further line."""


def described(measurer: TextMeasurer, text: str, width: float, limit: int) -> tuple[str, ...]:
    """A description in lines, its last one not a single word."""
    if not (text and limit):
        return ()
    lines = measurer.lines(text, width, limit)
    is_single = len(lines) > 1 and " " not in lines[-1].strip() and measurer.width(lines[-1]) < WIDOW * width
    if not is_single or "\n" in text or ends_early(lines, text):
        return lines
    return _balanced(measurer, text, lines, width)


def name_lines(measurer: TextMeasurer, name: str, width: float, limit: int) -> tuple[str, ...]:
    """The name in lines of about equal length, so that no word or character stands alone on the last."""
    lines = measurer.lines(name, width, limit)
    return lines if len(lines) == 1 or lines[-1].endswith(ELLIPSIS) else _balanced(measurer, name, lines, width)


def _balanced(measurer: TextMeasurer, text: str, lines: tuple[str, ...], width: float) -> tuple[str, ...]:
    if (low := measurer.widest_piece(text)) > width:
        return lines
    narrowest, high = lines, width
    for _ in range(BALANCE_STEPS):
        middle = (low + high) / 2
        narrower = measurer.lines(text, middle, len(lines) + 1)
        if len(narrower) > len(lines):
            low = middle
        else:
            narrowest, high = narrower, middle
    return narrowest
