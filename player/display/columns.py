"""Owns how a list falls into columns: balanced, in order, nothing split; pure arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Self, TypeVar

from msgspec import Struct

BALANCE_STEPS = 20
"""Halvings in the search for the lowest height at which the columns still hold everything."""

Part = TypeVar("Part")


class Unit(Struct, Generic[Part], frozen=True, kw_only=True):
    """What stays together in one column: parts from top to bottom with `gaps` between them, and `gap` above the first
    unless it opens a column. `height` is from the first part's top to the last one's bottom, in any one unit."""

    key: str
    gap: float
    height: float
    heights: tuple[float, ...]
    gaps: tuple[float, ...]
    parts: tuple[Part, ...]

    @classmethod
    def single(cls, key: str, gap: float, height: float, part: Part) -> Self:
        """One part."""
        return cls(key=key, gap=gap, height=height, heights=(height,), gaps=(), parts=(part,))

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


def fits(units: Sequence[Unit[Part]], *, columns: int, room: float) -> bool:
    """Whether the units, in order, fit in so many columns that are each `room` high."""
    return all(unit.height <= room for unit in units) and _greedy(units, room, columns) is not None


def fill(units: Sequence[Unit[Part]], *, columns: int, room: float) -> tuple[tuple[Unit[Part], ...], ...] | None:
    """The units, in order, in at most so many columns, as even as can be; None when they do not fit."""
    if not units:
        return ()
    if not fits(units, columns=columns, room=room):
        return None
    low, high = max(unit.height for unit in units), room
    for _ in range(BALANCE_STEPS):
        middle = (low + high) / 2
        if _greedy(units, middle, columns) is None:
            low = middle
        else:
            high = middle
    return _greedy(units, high, columns)


def spread(filled: Sequence[Sequence[Unit[Part]]], room: float, most: float) -> float:
    """By how much (1 to `most`) every gap may grow before the first column is full."""
    air = most
    for column in filled:
        gaps = sum(unit.gap for unit in column[1:]) + sum(sum(unit.gaps) for unit in column)
        if gaps > 0:
            air = min(air, (room - (height_of(column) - gaps)) / gaps)
    return max(1.0, air)


def _greedy(units: Sequence[Unit[Part]], limit: float, columns: int) -> tuple[tuple[Unit[Part], ...], ...] | None:
    filled: list[list[Unit[Part]]] = []
    height = 0.0
    for unit in units:
        grown = height + unit.gap + unit.height
        if filled and grown <= limit:
            filled[-1].append(unit)
            height = grown
        elif len(filled) == columns:
            return None
        else:
            filled.append([unit])
            height = unit.height
    return tuple(tuple(column) for column in filled)
