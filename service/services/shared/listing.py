"""Converts a page of rows to the list in an API response."""

from collections.abc import Callable
from typing import TypeVar

from service.schema.base import unchecked
from service.schema.lists import Listing, Pagination
from service.storage.paging import Page

Row = TypeVar("Row")
V = TypeVar("V")

_listing = unchecked(Listing)
_pagination = unchecked(Pagination)


def listing(page: Page[Row], view: Callable[[Row], V]) -> Listing[V]:
    pagination = _pagination(cursor=page.cursor, has_more=page.cursor is not None)
    return _listing(data=[view(row) for row in page.rows], pagination=pagination)
