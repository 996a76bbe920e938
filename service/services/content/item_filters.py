"""Chooses items for lists: by category, SKU, 86, language or a search."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_

from service.services.content.eighty_six import lasts
from service.services.shared.lookup import contains
from service.storage.tables.menus import ItemRow


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Items to list: those that match every field that is set."""

    category: str | None = None
    sku: str | None = None
    eighty_sixed: bool | None = None
    without_name_in: str | None = None
    """A language (BCP 47) in which they have no name."""
    search: str | None = None
    """A part of the name, the category or the SKU."""


EVERY_ITEM = ItemFilter()


def conditions(chosen: ItemFilter, *, now: datetime) -> Iterator[ColumnElement[bool]]:
    if chosen.category is not None:
        yield ItemRow.category == chosen.category
    if chosen.sku is not None:
        yield ItemRow.sku == chosen.sku
    if chosen.eighty_sixed is not None:
        active = ItemRow.eighty_sixed.is_(True) & lasts(ItemRow, now=now)
        yield active if chosen.eighty_sixed else ~active
    if chosen.without_name_in is not None:
        yield ~ItemRow.named_in.contains(f" {chosen.without_name_in} ", autoescape=True)
    if chosen.search is not None:
        yield is_found(chosen.search)


def is_found(text: str) -> ColumnElement[bool]:
    """True if a search for the text finds an item: by its name, category or SKU."""
    columns = (ItemRow.name, ItemRow.category, func.coalesce(ItemRow.sku, ""))
    return or_(*(contains(column, text) for column in columns))
