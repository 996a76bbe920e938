"""Owns how a list falls into columns: balanced, in order, nothing split; pure arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Self, TypeVar

from msgspec import Struct

BALANCE_STEPS = 20
"""Halvings in the search for the lowest height at which the columns still hold everything."""

Part = TypeVar("Part")


class Unit(Struct, Generic[Part], frozen=True, kw_only=True):
    """What stays together in one column: parts from top to bottom with `gaps` between them, and `gap` above the first
    unless it opens a column. `height` is from the first part's top to the last one's bottom, in any one unit.
    `continued` makes what takes its place where it opens a page after the first."""

    key: str
    gap: float
    height: float
    heights: tuple[float, ...]
    gaps: tuple[float, ...]
    parts: tuple[Part, ...]
    continued: Callable[[], Unit[Part]] | None = None

    @classmethod
    def single(
        cls,
        key: str,
        gap: float,
        height: float,
        part: Part,
        *,
        continued: Callable[[], Unit[Part]] | None = None,
    ) -> Self:
        """One part."""
        return cls(key=key, gap=gap, height=height, heights=(height,), gaps=(), parts=(part,), continued=continued)

    @classmethod
    def joined(cls, units: Sequence[Self]) -> Self:
        """Several units as one that is not split."""
        gaps: list[float] = []
        for number, unit in enumerate(units):
            gaps += [unit.gap, *unit.gaps] if number else unit.gaps
        return cls(
            key=units[0].key,
            gap=units[0].gap,
            height=height_of(units),
            heights=tuple(height for unit in units for height in unit.heights),
            gaps=tuple(gaps),
            parts=tuple(part for unit in units for part in unit.parts),
        )


def height_of(column: Sequence[Unit[Part]]) -> float:
    """The height of a column of units with their gaps."""
    return sum(unit.height for unit in column) + sum(unit.gap for unit in column[1:])


def opening(unit: Unit[Part], column: int, *, columns_a_page: int) -> Unit[Part]:
    """The unit as it opens a column, counted on through the pages from 0."""
    opens_page = column > 0 and column % columns_a_page == 0
    return unit.continued() if opens_page and unit.continued is not None else unit


def fits(units: Sequence[Unit[Part]], *, columns: int, room: float, columns_a_page: int | None = None) -> bool:
    """Whether the units, in order, fit in so many columns that are each `room` high."""
    return _greedy(units, room, columns, columns_a_page or columns) is not None


def fill(
    units: Sequence[Unit[Part]], *, columns: int, room: float, columns_a_page: int | None = None
) -> tuple[tuple[Unit[Part], ...], ...] | None:
    """The units, in order, in at most so many columns, as even as can be; None when they do not fit."""
    a_page = columns_a_page or columns
    if not units:
        return ()
    if _greedy(units, room, columns, a_page) is None:
        return None
    low, high = max(unit.height for unit in units), room
    for _ in range(BALANCE_STEPS):
        middle = (low + high) / 2
        if _greedy(units, middle, columns, a_page) is None:
            low = middle
        else:
            high = middle
    return _greedy(units, high, columns, a_page)


def spread(filled: Sequence[Sequence[Unit[Part]]], room: float, most: float) -> float:
    """By how much (1 to `most`) every gap may grow before the first column is full."""
    air = most
    for column in filled:
        gaps = sum(unit.gap for unit in column[1:]) + sum(sum(unit.gaps) for unit in column)
        if gaps > 0:
            air = min(air, (room - (height_of(column) - gaps)) / gaps)
    return max(1.0, air)


def _greedy(
    units: Sequence[Unit[Part]], limit: float, columns: int, columns_a_page: int
) -> tuple[tuple[Unit[Part], ...], ...] | None:
    filled: list[list[Unit[Part]]] = []
    height = 0.0
    for unit in units:
        grown = height + unit.gap + unit.height
        if filled and grown <= limit:
            filled[-1].append(unit)
            height = grown
            continue
        if len(filled) == columns:
            return None
        opener = opening(unit, len(filled), columns_a_page=columns_a_page)
        if opener.height > limit:
            return None
        filled.append([opener])
        height = opener.height
    return tuple(tuple(column) for column in filled)
