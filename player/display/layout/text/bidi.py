"""Adds the control characters that keep text of mixed directions in order (UAX #9); imports no Qt."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

RIGHT_TO_LEFT_MARK = "\N{RIGHT-TO-LEFT MARK}"
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
_RIGHT_TO_LEFT_CLASSES = frozenset({"R", "AL", "AN"})


def has_right_to_left(text: str) -> bool:
    """Whether any character of the text is written from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT_CLASSES for letter in text)


def join_isolated(texts: Sequence[str], *, right_to_left: bool) -> str:
    """Joins the texts with spaces; isolated from each other on a right-to-left board, or if one of them runs that way,
    so that a name, a number and its sign keep their order."""
    parts = [text for text in texts if text]
    if right_to_left or any(has_right_to_left(text) for text in parts):
        parts = [f"{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}" for text in parts]
    return NO_BREAK_SPACE.join(parts)


def with_base_direction(lines: Sequence[str], *, right_to_left: bool) -> str:
    """Gives the lines the base direction of the board: right to left on a right-to-left board if any of them contains
    such text, whatever they begin with. Text that is left to right throughout is unchanged."""
    marked = right_to_left and any(has_right_to_left(line) for line in lines)
    return "\n".join(RIGHT_TO_LEFT_MARK + line if marked else line for line in lines)
