"""Turns a page of rows into the list that the API answers."""

from collections.abc import Callable
from typing import TypeVar

from service.schema.lists import Listing, Pagination
from service.storage.paging import Page

Row = TypeVar("Row")
V = TypeVar("V")


def listing(page: Page[Row], view: Callable[[Row], V]) -> Listing[V]:
    """The list of views."""
    pagination = Pagination(cursor=page.cursor, has_more=page.cursor is not None)
    return Listing(data=[view(row) for row in page.rows], pagination=pagination)
