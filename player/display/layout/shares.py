"""Shares the limit of letters in a scene's layouts among its menus; pure, imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from player.domain.playing.listings import fair_share
from player.domain.view import MenuListing, MenuRow, MenuSection

MOST_LETTERS = 200_000
"""Letters that the menus of a scene lay out: those of a thousand rows with descriptions. Laying them out takes about a
second on the smallest player."""
ROW_LETTERS = 100
"""A row costs as much as so many letters, beside its own."""


def share_letters(listings: Sequence[MenuListing]) -> int:
    """Returns the number of letters that each menu of a scene may lay out."""
    wanted = [sum(_letters_of(row) for section in one.sections for row in section.rows) for one in listings]
    return fair_share(wanted, MOST_LETTERS)


def within_share(listing: MenuListing, most: int) -> MenuListing:
    """Returns the listing without the rows beyond so many letters; the first row stays."""
    if listing.whole is not None:
        listing = replace(listing, whole=within_share(listing.whole, most))
    sections, left, left_out = list[MenuSection](), most, listing.left_out
    for section in listing.sections:
        rows = list[MenuRow]()
        for row in section.rows:
            left -= _letters_of(row)
            if left >= 0 or not (rows or sections):
                rows.append(row)
            else:
                left_out += 1
        if rows:
            sections.append(replace(section, rows=tuple(rows)))
    return replace(listing, sections=tuple(sections), left_out=left_out)


def _letters_of(row: MenuRow) -> int:
    letters = ROW_LETTERS + len(row.name) + len(row.description)
    letters += len(row.second.name) + len(row.second.description) if row.second is not None else 0
    letters += sum(len(modifier.name) + len(modifier.delta) for modifier in row.modifiers)
    letters += sum(len(variant.name) + len(variant.price.text) for variant in row.variants)
    return letters + sum(len(mark) for mark in (*row.tags, *row.allergens))
