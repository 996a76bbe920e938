"""Breaks a list into columns: in order, balanced, no block split; pure arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace

Part = TypeVar("Part")


class Block(Struct, Generic[Part], frozen=True, kw_only=True):
    """Parts that stay together in one column, each with its top, and with `gap` above the first unless it opens a
    column; `height` is to the end of the last one, in any unit of length. Where it opens a column after the first,
    `again` stands above it, at the distance `again_gap`."""

    key: str
    gap: float
    height: float
    parts: tuple[tuple[Part, float], ...]
    again: Block[Part] | None = None
    again_gap: float = 0.0

    @classmethod
    def single(
        cls,
        key: str,
        gap: float,
        height: float,
        part: Part,
        *,
        again: Block[Part] | None = None,
        again_gap: float = 0.0,
    ) -> Self:
        parts = ((part, 0.0),)
        return cls(key=key, gap=gap, height=height, parts=parts, again=again, again_gap=again_gap)

    def opening(self) -> Block[Part]:
        """Returns the block as it opens a column after the first."""
        if self.again is None:
            return self
        return joined([replace(self.again, key=self.key), replace(self, gap=self.again_gap)])


def joined(blocks: Sequence[Block[Part]]) -> Block[Part]:
    parts, at = list[tuple[Part, float]](), -blocks[0].gap
    for block in blocks:
        at += block.gap
        parts += ((part, at + top) for part, top in block.parts)
        at += block.height
    return replace(blocks[0], height=at, parts=tuple(parts))


def height_of(column: Sequence[Block[Part]]) -> float:
    return sum(block.height for block in column) + sum(block.gap for block in column[1:])


def opening_block(block: Block[Part], column: int) -> Block[Part]:
    """Returns the block as it opens `column`; columns are counted from 0 through all pages."""
    return block.opening() if column > 0 else block


def fits(blocks: Sequence[Block[Part]], *, columns: int, room: float) -> bool:
    """Whether the blocks, in order, fit in `columns` columns, each `room` high."""
    return _greedy(blocks, room, columns) is not None


def fill(blocks: Sequence[Block[Part]], *, columns: int, room: float) -> tuple[tuple[Block[Part], ...], ...] | None:
    """Fills at most `columns` columns with the blocks, in order, at heights as even as possible; None when they do not
    fit."""
    if not blocks:
        return ()
    if _greedy(blocks, room, columns) is None:
        return None
    low, high = max(block.height for block in blocks), room
    for _ in range(20):  # Halvings.
        middle = (low + high) / 2
        if _greedy(blocks, middle, columns) is None:
            low = middle
        else:
            high = middle
    return _greedy(blocks, high, columns)


def _greedy(blocks: Sequence[Block[Part]], limit: float, columns: int) -> tuple[tuple[Block[Part], ...], ...] | None:
    filled: list[list[Block[Part]]] = []
    height = 0.0
    for block in blocks:
        grown = height + block.gap + block.height
        if filled and grown <= limit:
            filled[-1].append(block)
            height = grown
            continue
        if len(filled) == columns:
            return None
        opener = opening_block(block, len(filled))
        if opener.height > limit:
            return None
        filled.append([opener])
        height = opener.height
    return tuple(tuple(column) for column in filled)
