"""Choices of forms: locations, groups, playlists, and their names by id."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from service.schema.base import ResponseModel
from service.schema.lists import MAX_LIMIT, Listing
from service.schema.places.group import GroupResponse
from service.schema.places.location import LocationResponse
from service.schema.publishing.playlist import PlaylistSummary
from service.services.access.access import Access
from service.services.content.groups import GroupService
from service.services.places.locations import LocationService
from service.services.publishing.playlists import PlaylistService
from service.storage.paging import PageRequest

MOST_PAGES = 20
"""Pages of a list that a form offers: a longer one is searched on its own page."""

R = TypeVar("R", bound=ResponseModel)


@dataclass(frozen=True, slots=True)
class Choices:
    """Lists what there is to choose from."""

    locations_service: LocationService
    groups_service: GroupService
    playlists_service: PlaylistService

    def locations(self, access: Access) -> dict[str, LocationResponse]:
        """Locations by id."""
        return {one.id: one for one in everything(lambda page: self.locations_service.list(access, page))}

    def groups(self, access: Access) -> dict[str, GroupResponse]:
        """Groups by id."""
        return {one.id: one for one in everything(lambda page: self.groups_service.list(access, page))}

    def playlists(self, access: Access) -> dict[str, PlaylistSummary]:
        """Playlists by id."""
        return {one.id: one for one in everything(lambda page: self.playlists_service.list(access.workspace, page))}


def everything(page_of: Callable[[PageRequest], Listing[R]]) -> Iterator[R]:
    """The entries of a list, page by page, as far as forms offer it."""
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = page_of(PageRequest(limit=MAX_LIMIT, cursor=cursor))
        yield from page.data
        cursor = page.pagination.cursor
        if cursor is None:
            return
