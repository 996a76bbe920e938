"""Divides a list that is too long to be laid out at once into portions of whole rows; pure, imports no Qt."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from player.domain.menu.fair_share import fair_share
from player.domain.view import MenuListing, MenuRow

MOST_LETTERS = 60_000
"""Letters that the menus of a scene lay out at once: those of a hundred rows with long descriptions, or of five hundred
with short names. Laying them out takes about as long as drawing a frame or two."""
ROW_LETTERS = 100
"""A row costs as much as so many letters, beside its own."""
KEPT_FACTOR = 2
"""The factor by which a portion may grow while it shows, because rows come back."""


class Portion(Struct, frozen=True, kw_only=True):
    """The part of a listing from row `first` to before row `stop`, of `total`."""

    listing: MenuListing
    first: int
    stop: int
    total: int

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole listing."""
        return self.first == 0 and self.stop == self.total


def share_letters(listings: Sequence[MenuListing]) -> int:
    """The letters that each menu of a scene may lay out at once."""
    return fair_share([_letters(_rows(listing), MOST_LETTERS) for listing in listings], MOST_LETTERS)


def portion_of(listing: MenuListing, *, most: int, first: int = 0, kept: Collection[str] = ()) -> Portion:
    """The portion of about `most` letters that begins with row `first`; the whole listing if it has no more.

    `kept` are the items of the portion that shows: it goes on from the first to the last of those that are still
    listed, so that a change elsewhere moves nothing in it.
    """
    rows = _rows(listing)
    if _end(rows, 0, most) == len(rows):
        return Portion(listing=listing, first=0, stop=len(rows), total=len(rows))
    stop = 0
    if remaining := [at for at, row in enumerate(rows) if row.item_id in kept]:
        first, last = remaining[0], remaining[-1]
        if _end(rows, first, KEPT_FACTOR * most) > last:
            stop = last + 1
    if first >= len(rows):
        first = 0
    stop = stop or _end(rows, first, most)
    return Portion(listing=_cut(listing, first, stop), first=first, stop=stop, total=len(rows))


def _rows(listing: MenuListing) -> list[MenuRow]:
    return [row for section in listing.sections for row in section.rows]


def _end(rows: Sequence[MenuRow], first: int, most: int) -> int:
    """The row before which a portion from `first` on ends; it has at least one."""
    left = most
    for at in range(first, len(rows)):
        left -= _letters_of(rows[at])
        if left < 0:
            return max(at, first + 1)
    return len(rows)


def _letters(rows: Sequence[MenuRow], most: int) -> int:
    """The letters of the rows; counted no further than `most` is exceeded."""
    letters = 0
    for row in rows:
        letters += _letters_of(row)
        if letters > most:
            break
    return letters


def _letters_of(row: MenuRow) -> int:
    letters = ROW_LETTERS + len(row.name) + len(row.description)
    letters += len(row.second.name) + len(row.second.description) if row.second is not None else 0
    letters += sum(len(modifier.name) + len(modifier.delta) for modifier in row.modifiers)
    letters += sum(len(variant.name) + len(variant.price.text) for variant in row.variants)
    return letters + sum(len(mark) for mark in (*row.tags, *row.allergens))


def _cut(listing: MenuListing, first: int, stop: int) -> MenuListing:
    sections, at = [], 0
    for section in listing.sections:
        rows = section.rows[max(0, first - at) : max(0, stop - at)]
        at += len(section.rows)
        if rows:
            sections.append(replace(section, rows=rows))
    return replace(listing, sections=tuple(sections))
