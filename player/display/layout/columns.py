"""Breaks a list into columns: in order, balanced, no block split; pure arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace

Part = TypeVar("Part")
MOST_PAGES_GROWN = 6
"""With more pages, a half-empty one is no reason to look for the size at which all are full, nor to even them out."""


class Block(Struct, Generic[Part], frozen=True, kw_only=True):
    """Parts that stay together in one column, each with its top, and with `gap` above the first unless it opens a
    column; `height` is to the end of the last one, in any unit of length. Where it opens a page after the first,
    `again` stands above it, at the distance `again_gap`, and where it opens another column, `beside`. With `opens` it
    begins a column in any case."""

    key: str
    gap: float
    height: float
    parts: tuple[tuple[Part, float], ...]
    again: Block[Part] | None = None
    beside: Block[Part] | None = None
    again_gap: float = 0.0
    opens: bool = False

    @classmethod
    def single(
        cls,
        key: str,
        gap: float,
        height: float,
        part: Part,
        *,
        again: Block[Part] | None = None,
        beside: Block[Part] | None = None,
        again_gap: float = 0.0,
    ) -> Self:
        parts = ((part, 0.0),)
        return cls(key=key, gap=gap, height=height, parts=parts, again=again, beside=beside, again_gap=again_gap)

    def below(self, head: Block[Part] | None) -> Block[Part]:
        """Returns the block with this one above it."""
        if head is None:
            return self
        return joined([replace(head, key=self.key), replace(self, gap=self.again_gap)])


def joined(blocks: Sequence[Block[Part]]) -> Block[Part]:
    parts, at = list[tuple[Part, float]](), -blocks[0].gap
    for block in blocks:
        at += block.gap
        parts += ((part, at + top) for part, top in block.parts)
        at += block.height
    return replace(blocks[0], height=at, parts=tuple(parts))


def height_of(column: Sequence[Block[Part]]) -> float:
    return sum(block.height for block in column) + sum(block.gap for block in column[1:])


def opening_block(block: Block[Part], column: int, columns: int) -> Block[Part]:
    """Returns the block as it opens `column` of pages of so many columns; counted from 0 through all pages. What it
    continues is named again on a new page alone: beside itself a heading is one too many."""
    if column == 0:
        return block
    return block.below(block.beside if column % columns else block.again)


def fits(blocks: Sequence[Block[Part]], *, columns: int, pages: int = 1, room: float) -> bool:
    """Whether the blocks, in order, fit on pages of `columns` columns, each `room` high."""
    return _greedy(blocks, room, columns, pages) is not None


def fill(
    blocks: Sequence[Block[Part]],
    *,
    columns: int,
    pages: int = 1,
    room: float,
    even: bool = True,
    spread: bool = False,
) -> tuple[tuple[Block[Part], ...], ...] | None:
    """Fills at most `columns` columns a page with the blocks, in order, at heights as even as possible, those of each
    page by themselves, or not `even`, but each as full as it can be; None when they do not fit. With `spread`, the last
    blocks stand in columns that would be empty."""
    if not blocks:
        return ()
    if not fits(blocks, columns=columns, pages=pages, room=room):
        return None
    if not even:
        return _greedy(blocks, room, columns, pages)
    if pages <= MOST_PAGES_GROWN:
        filled = _evened(blocks, columns, pages, room, spread=spread)
    else:
        filled = _greedy(blocks, _least_limit(blocks, columns, pages, room), columns, pages) or ()
    if pages == 1:
        return filled
    found, at = list[tuple[Block[Part], ...]](), 0
    for first in range(0, len(filled), columns):
        found += [()] * (first - len(found))  # The columns of a page that stay empty.
        count = sum(len(column) for column in filled[first : first + columns])
        opener = replace(opening_block(blocks[at], first, columns), again=None, beside=None)
        found += _evened([opener, *blocks[at + 1 : at + count]], columns, 1, room)
        at += count
    return tuple(found)


def _evened(
    blocks: Sequence[Block[Part]], columns: int, pages: int, room: float, *, spread: bool = False
) -> tuple[tuple[Block[Part], ...], ...]:
    """Fills one column after the other, each as high as it has to be for the rest to have the least height. The time
    grows with the square of the pages."""
    filled, rest = list[tuple[Block[Part], ...]](), blocks
    while rest:
        begin = len(filled)
        limit = _least_limit(rest, columns, pages, room, begin=begin)
        column, *_ = _greedy(rest, limit, columns, pages, begin=begin, spread=spread) or (tuple(rest),)
        filled.append(column)
        rest = rest[len(column) :]
    return tuple(filled)


def _least_limit(blocks: Sequence[Block[Part]], columns: int, pages: int, room: float, *, begin: int = 0) -> float:
    """Returns the least height of columns in which the blocks fit, up to the room, in which they do."""
    low, high = max(block.height for block in blocks), room
    for _ in range(20):  # Halvings.
        middle = (low + high) / 2
        if _greedy(blocks, middle, columns, pages, begin=begin) is None:
            low = middle
        else:
            high = middle
    return high


def _greedy(
    blocks: Sequence[Block[Part]], limit: float, columns: int, pages: int, *, begin: int = 0, spread: bool = False
) -> tuple[tuple[Block[Part], ...], ...] | None:
    """Fills columns up to the limit, the first of which has the number `begin`; with `spread`, the last blocks stand in
    columns that would be empty."""
    filled: list[list[Block[Part]]] = []
    height, free = 0.0, columns * pages - begin
    for number, block in enumerate(blocks):
        grown = height + block.gap + block.height
        is_last = spread and len(blocks) - number <= free - len(filled)
        if filled and grown <= limit and not block.opens and not is_last:
            filled[-1].append(block)
            height = grown
            continue
        if len(filled) == free:
            return None
        opener = opening_block(block, begin + len(filled), columns)
        if opener.height > limit:
            return None
        filled.append([opener])
        height = opener.height
    return tuple(tuple(column) for column in filled)
