"""Sets figures in cells of one width where a font's have several, so that prices stand under each other."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from itertools import groupby

from msgspec import Struct

from menu.text.price import RAISED
from player.display.layout.text.text_fit import figures_of

SAME_WIDTH = 0.01
"""Figures whose widths differ by no more ems are of one width."""


KERNED = 0.25
"""By so many ems two letters overlap where a font draws them closer."""


class Cell(Struct, frozen=True):
    """A part of a text: a figure in its cell, or what stands between two; `x` is its left edge, in ems."""

    x: float
    text: str


class Cells(Struct, frozen=True, kw_only=True):
    """A text whose figures stand in cells; `edges` are the left edges of the parts that begin at an index."""

    parts: tuple[Cell, ...]
    edges: dict[int, float]
    width: float


Measure = Callable[[str], float]
Lefts = Callable[[str, Sequence[tuple[int, int]]], Sequence[float]]
"""The left edges of parts of a text as its font sets it, in ems; each part is its begin and its length."""


def cells_of(text: str, width_of: Measure, lefts_of: Lefts) -> Cells | None:
    """Sets the figures of a text in cells; None where the font does so by itself, where there are none, or where what
    stands between them is not in one piece on the glass."""
    cells = {kind: _cell(kind, width_of) for kind in {_figures(letter) for letter in text} if kind}
    if not any(cells.values()):
        return None
    pieces = _pieces(text)
    lefts = lefts_of(text, [(at, len(piece)) for at, piece in pieces])
    parts, edges, x, end = list[Cell](), dict[int, float](), 0.0, 0.0
    for left, (at, piece) in sorted(zip(lefts, pieces, strict=True)):
        own = width_of(piece)
        if left < end - KERNED:
            return None
        end = left + own
        taken = cells.get(_figures(piece[0])) or own
        edges[at] = x
        parts.append(Cell(x + (taken - own) / 2, piece))
        x += taken
    return Cells(parts=tuple(parts), edges=edges, width=x)


def _pieces(text: str) -> list[tuple[int, str]]:
    """Divides the text into figures and what stands between them, each with its index, without marks of direction."""
    found, at = list[tuple[int, str]](), 0
    for kind, letters in groupby(text, key=_kind):
        part = "".join(letters)
        for piece in part if kind == "figure" else (part,):
            if kind != "mark":
                found.append((at, piece))
            at += len(piece)
    return found


def _kind(letter: str) -> str:
    return "figure" if _figures(letter) else "mark" if unicodedata.category(letter) == "Cf" else "other"


def _figures(letter: str) -> str:
    """Returns the ten figures to which a letter belongs; empty for another."""
    return RAISED if letter in RAISED else "".join(figures_of(letter))


def _cell(figures: str, width_of: Measure) -> float:
    """Returns the width of a cell for any of these figures; 0 where they are of one width."""
    widths = [width_of(figure) for figure in figures]
    return max(widths) if max(widths) - min(widths) > SAME_WIDTH else 0.0
