"""Estimates the number of pages on which a scene shows its items, by counting letters: players measure them, in their
fonts.

A test compares the estimate with the player's own layout, for every template.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from menu.documents.scene_reader import list_text_sizes
from service.services.content.availability import sold_out
from service.storage.tables.menus import ItemRow

PAGE_SECONDS = 8
"""For which a player shows a page, or longer."""
LISTS = frozenset({"menu", "grid"})
"""Types of widgets that list items by category."""
WIDE = "\u2e80"
"""The first of the letters that are as wide as high."""
# In ems of the text size.
LETTER, WIDE_LETTER = 0.48, 1.0
STEP, LINE, DETAIL, DETAIL_LINE = 0.42, 1.26, 0.86, 1.12
SECTION, HEADING, TITLE, MARK, FOOT = 3 * STEP, 3 * STEP, 3.0, 1.1, 0.8
GUTTER, PRICE, SIZE_COLUMN, LEAST_NAME = 2.0, 3.6, 4.5, 7.0
LEAST_COLUMN, WIDEST_COLUMN, MOST_COLUMNS = 12.0, 24.0, 8
CARD, PICTURED_CARD, MOST_CARDS = 60.0, 120.0, 24
"""The least area of a card without and with a picture, and the most cards of a page."""


def pages_of(session: Session, workspace: str, document: Mapping[str, Any], *, now: datetime) -> int:
    """Returns the largest number of pages of a menu or grid, with the items that can be sold now."""
    lists = [widget for widget in document["widgets"] if widget["type"] in LISTS]
    if not lists:
        return 1
    query = select(ItemRow).where(ItemRow.workspace_id == workspace).order_by(ItemRow.sort_index, ItemRow.number)
    if all(widget.get("categories") and not widget.get("itemIds") for widget in lists):
        query = query.where(ItemRow.category.in_({name for widget in lists for name in widget["categories"]}))
    items = [row for row in session.scalars(query) if not sold_out(row, now=now)]
    listed = [list(items_of(widget, items)) for widget in lists]
    lowest = max(lists, key=lambda widget: widget["y"] + widget["height"])
    allergens = {allergen for rows in listed for row in rows for allergen in row.allergens}
    notes = any(row.energy for rows in listed for row in rows)
    scale = document["theme"].get("scale") or 1
    least, _ = list_text_sizes(document["width"], document["height"])
    others = max(0, len(document["languages"]) - 1) if document["languageMode"] == "together" else 0
    return max(
        _pages(
            widget,
            rows,
            size=float(widget.get("minTextSize", least)) * scale,
            others=others,
            explained=len(allergens) if widget is lowest else 0,
            notes=notes,
        )
        for widget, rows in zip(lists, listed, strict=True)
    )


def items_of(widget: Mapping[str, Any], items: Sequence[ItemRow]) -> Iterable[ItemRow]:
    """Returns the items of a menu or grid, by category."""
    categories, ids = widget.get("categories") or (), widget.get("itemIds") or ()
    order = list(categories) or list(dict.fromkeys(row.category for row in items))
    named = [row for row in items if row.id in set(ids) or row.category in categories or not (categories or ids)]
    return sorted(named, key=lambda row: order.index(row.category) if row.category in order else len(order))


def _pages(
    widget: Mapping[str, Any], rows: Sequence[ItemRow], *, size: float, others: int, explained: int, notes: bool
) -> int:
    width, height = widget["width"] / size, widget["height"] / size
    if explained and widget.get("showAllergens", True):
        height -= FOOT + DETAIL_LINE * (math.ceil(explained * 6.5 / width) + notes)  # 6.5 em an allergen.
    if widget["type"] == "grid":
        pictured = widget.get("showImages", True) and sum(row.image is not None for row in rows) * 2 >= len(rows)
        on_page = int(width * max(height, 1) / (PICTURED_CARD if pictured else CARD))
        return math.ceil(len(rows) / max(1, min(MOST_CARDS, on_page)))
    height -= TITLE if widget.get("title") else 0
    fixed = widget.get("columns", "auto")
    most = min(MOST_COLUMNS, max(1, int((width + GUTTER) / (LEAST_COLUMN + GUTTER))))
    widths = {n: min(WIDEST_COLUMN, (width + GUTTER) / n - GUTTER) for n in range(1, most + 1)}
    if fixed != "auto":
        widths = {fixed: widths.get(fixed, widths[most])}
    # Sizes stand in columns wherever any number of columns has room for them.
    sizes = SIZE_COLUMN * max((len(row.variants) for row in rows), default=0)
    roomy = {n: one for n, one in widths.items() if one - sizes >= LEAST_NAME}
    return min(
        _pages_in(list(_heights(widget, rows, one, others=others)), n, height) for n, one in (roomy or widths).items()
    )


def _pages_in(sections: Sequence[Sequence[float]], columns: int, room: float) -> int:
    """Returns the number of pages for sections of rows of these heights in columns of this height."""
    filled = _columns_filled(sections, room)
    return 1 if filled <= columns else math.ceil(_columns_filled(sections, room - MARK) / columns)


def _columns_filled(sections: Sequence[Sequence[float]], room: float) -> int:
    filled, used = 1, 0.0
    for rows in sections:
        for number, height in enumerate(rows):
            above = STEP if number else HEADING + (SECTION if used else 0)
            # No row stands alone under its heading.
            needed = height + (rows[1] + STEP if not number and len(rows) > 1 else 0)
            if used and used + above + needed > room:
                filled, used, above = filled + 1, 0.0, HEADING
            used += above + height
    return filled


def _heights(widget: Mapping[str, Any], rows: Sequence[ItemRow], width: float, *, others: int) -> Iterator[list[float]]:
    """Yields the heights of the rows of each section in columns of this width."""
    grouped = widget.get("groupByCategory", True)
    for _, section in groupby(rows, key=lambda row: row.category if grouped else ""):
        yield [math.ceil(_height(widget, row, width, others=others) / STEP) * STEP for row in section]


def _height(widget: Mapping[str, Any], row: ItemRow, width: float, *, others: int) -> float:
    prices = SIZE_COLUMN * len(row.variants) if row.variants else PRICE
    below = 0.0
    if row.variants and width - prices < LEAST_NAME:
        prices, below = 0.0, len(row.variants) * DETAIL_LINE
    name, free = _width(row.name), width - prices - (0.5 if prices else 0)
    lines = math.ceil(name / free)
    height = lines * LINE + below + (0.9 * LINE * others if row.translations else 0)
    marks = (len(row.allergens) * 0.8 if widget.get("showAllergens", True) else 0) + (
        sum(1.5 + 0.55 * len(tag) for tag in row.tags) if widget.get("showTags", True) else 0
    )
    if marks and name + marks + 0.7 > lines * free:
        height += DETAIL_LINE
    told = (row.description or "") if widget.get("showDescriptions", True) else ""
    energy = "1,000 kcal · " if row.energy and widget.get("showEnergy", True) else ""
    height += math.ceil(_width(energy + told) * DETAIL / width) * DETAIL_LINE
    if row.modifiers and widget.get("showModifiers", True):
        options = sum(_width(option["name"]) + 5 for option in row.modifiers)
        height += math.ceil(options * DETAIL / width) * DETAIL_LINE
    return height


def _width(text: str) -> float:
    return sum(WIDE_LETTER if letter >= WIDE else LETTER for letter in text)
