"""Holds what each page of the desk begins with: the services, and choices of forms, which are names by id."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from service.schema.base import ResponseModel
from service.schema.lists import MAX_LIMIT, Listing
from service.schema.places.group import GroupResponse
from service.schema.places.location import LocationResponse
from service.schema.publishing.playlist import PlaylistSummary
from service.services.access.access import Access
from service.services.registry import Services
from service.storage.paging import PageRequest

MOST_PAGES = 20
"""Pages of a list that a form offers: a longer one is searched on its own page."""

R = TypeVar("R", bound=ResponseModel)


class Desk:
    """Services, and the choices that forms offer of them."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.now = services.clock.now

    def locations(self, access: Access) -> dict[str, LocationResponse]:
        """Locations by id."""
        return {one.id: one for one in everything(lambda page: self.services.locations.list(access, page))}

    def groups(self, access: Access) -> dict[str, GroupResponse]:
        """Groups by id."""
        return {one.id: one for one in everything(lambda page: self.services.groups.list(access, page))}

    def playlists(self, access: Access) -> dict[str, PlaylistSummary]:
        """Playlists by id."""
        return {one.id: one for one in everything(lambda page: self.services.playlists.list(access.workspace, page))}


def everything(page_of: Callable[[PageRequest], Listing[R]]) -> Iterator[R]:
    """The entries of a list, page by page, as far as forms offer it."""
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = page_of(PageRequest(limit=MAX_LIMIT, cursor=cursor))
        yield from page.data
        cursor = page.pagination.cursor
        if cursor is None:
            return
