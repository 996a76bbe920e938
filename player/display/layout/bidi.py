"""Owns the marks that keep text of both directions in order (UAX #9); imports no Qt."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

RIGHT_TO_LEFT_MARK = "\N{RIGHT-TO-LEFT MARK}"
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
JOINED = "\N{NO-BREAK SPACE}"
_FROM_THE_RIGHT = frozenset({"R", "AL", "AN"})


def runs_from_right(text: str) -> bool:
    """Whether anything in the text is written from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(letter) in _FROM_THE_RIGHT for letter in text)


def side_by_side(texts: Sequence[str], *, right_to_left: bool) -> str:
    """The texts with a space between them, each in a direction of its own on a right-to-left board or if one of them
    runs that way: a name, a number and its sign must not pull at each other."""
    told = [text for text in texts if text]
    if right_to_left or any(runs_from_right(text) for text in told):
        told = [f"{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}" for text in told]
    return JOINED.join(told)


def based(lines: Sequence[str], *, right_to_left: bool) -> str:
    """A text's lines as the board reads them: on a right-to-left board from the right as soon as anything in them runs
    that way, whatever they begin with. What is wholly left to right stays so."""
    marked = right_to_left and any(runs_from_right(line) for line in lines)
    return "\n".join(RIGHT_TO_LEFT_MARK + line if marked else line for line in lines)
