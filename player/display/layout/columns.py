"""Breaks a list into columns: in order, balanced, no block split; pure arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Self, TypeVar

from msgspec import Struct

BALANCE_STEPS = 20
"""Halvings in the search for the lowest column height at which everything still fits."""

Part = TypeVar("Part")


class Block(Struct, Generic[Part], frozen=True, kw_only=True):
    """Parts that stay together in one column, from top to bottom with `gaps` between them, and with `gap` above the
    first unless it opens a column. `height` is from the first part's top to the last one's bottom, in any unit of
    length. `continued` makes the block that replaces this one where it opens a page after the first, or, if it
    `heads_columns`, any column after the first."""

    key: str
    gap: float
    height: float
    heights: tuple[float, ...]
    gaps: tuple[float, ...]
    parts: tuple[Part, ...]
    continued: Callable[[], Block[Part]] | None = None
    heads_columns: bool = False

    @classmethod
    def single(
        cls,
        key: str,
        gap: float,
        height: float,
        part: Part,
        *,
        continued: Callable[[], Block[Part]] | None = None,
        heads_columns: bool = False,
    ) -> Self:
        """One part."""
        return cls(
            key=key,
            gap=gap,
            height=height,
            heights=(height,),
            gaps=(),
            parts=(part,),
            continued=continued,
            heads_columns=heads_columns,
        )

    @classmethod
    def joined(cls, blocks: Sequence[Self]) -> Self:
        """Several blocks as one."""
        gaps: list[float] = []
        for number, block in enumerate(blocks):
            gaps += [block.gap, *block.gaps] if number else block.gaps
        return cls(
            key=blocks[0].key,
            gap=blocks[0].gap,
            height=height_of(blocks),
            heights=tuple(height for block in blocks for height in block.heights),
            gaps=tuple(gaps),
            parts=tuple(part for block in blocks for part in block.parts),
        )


def height_of(column: Sequence[Block[Part]]) -> float:
    """The height of a column of blocks with their gaps."""
    return sum(block.height for block in column) + sum(block.gap for block in column[1:])


def opening_block(block: Block[Part], column: int, *, columns_per_page: int) -> Block[Part]:
    """The block as it opens `column`; columns are counted from 0 through all pages."""
    opens = column > 0 and (block.heads_columns or column % columns_per_page == 0)
    return block.continued() if opens and block.continued is not None else block


def fits(blocks: Sequence[Block[Part]], *, columns: int, room: float, columns_per_page: int | None = None) -> bool:
    """Whether the blocks, in order, fit in `columns` columns, each `room` high."""
    return _greedy(blocks, room, columns, columns_per_page or columns) is not None


def fill(
    blocks: Sequence[Block[Part]], *, columns: int, room: float, columns_per_page: int | None = None
) -> tuple[tuple[Block[Part], ...], ...] | None:
    """The blocks, in order, in at most `columns` columns of heights as even as possible; None when they do not fit."""
    per_page = columns_per_page or columns
    if not blocks:
        return ()
    if _greedy(blocks, room, columns, per_page) is None:
        return None
    low, high = max(block.height for block in blocks), room
    for _ in range(BALANCE_STEPS):
        middle = (low + high) / 2
        if _greedy(blocks, middle, columns, per_page) is None:
            low = middle
        else:
            high = middle
    return _greedy(blocks, high, columns, per_page)


def gap_stretch(filled: Sequence[Sequence[Block[Part]]], room: float, most: float) -> float:
    """The factor (1 to `most`) by which every gap may grow before the first column is full."""
    stretch = most
    for column in filled:
        gaps = sum(block.gap for block in column[1:]) + sum(sum(block.gaps) for block in column)
        if gaps > 0:
            stretch = min(stretch, (room - (height_of(column) - gaps)) / gaps)
    return max(1.0, stretch)


def _greedy(
    blocks: Sequence[Block[Part]], limit: float, columns: int, columns_per_page: int
) -> tuple[tuple[Block[Part], ...], ...] | None:
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
        opener = opening_block(block, len(filled), columns_per_page=columns_per_page)
        if opener.height > limit:
            return None
        filled.append([opener])
        height = opener.height
    return tuple(tuple(column) for column in filled)
