"""`/v1/locations/{location}/items` and `/v1/groups/{group}/items`."""

from typing import Annotated, Literal

from fastapi import Depends, Query
from starlette.responses import Response

from service.api.http.authentication import MayEdit, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected, Lenient
from service.api.http.replies import JsonReply, resource
from service.api.http.routes import api_routes
from service.schema.fields import Label
from service.schema.lists import Listing
from service.schema.places.local_item import (
    ChangedLocalItemResponse,
    LocalBulkEntries,
    LocalBulkResults,
    LocalItemPatch,
    LocalItemResponse,
)
from service.services.access.access import Access
from service.services.content.place import Place
from service.services.places.places import LocalFilter, PlaceService
from service.services.publishing.boards import BoardService
from service.services.registry import Services
from service.services.shared.etags import Condition

Flag = Literal["true", "false"]


def _chosen(
    category: Annotated[Label | None, Query(description="Only items of this category.")] = None,
    eighty_sixed: Annotated[
        Flag | None, Query(alias="eightySixed", description="Only items that are, or are not, sold out there.")
    ] = None,
    local: Annotated[
        Flag | None, Query(description="Only items that have, or have not, something of their own at this place.")
    ] = None,
    search: Annotated[Label | None, Query(description="Only items with this in their name, category or SKU.")] = None,
) -> LocalFilter:
    sold_out, own = (None if flag is None else flag == "true" for flag in (eighty_sixed, local))
    return LocalFilter(category=category, eighty_sixed=sold_out, local=own, search=search)


Chosen = Annotated[LocalFilter, Depends(_chosen)]

of_location = api_routes("/v1/locations/{location}/items", tag="Items at a place")
"""Items at a location: its own prices, and what is sold out or hidden there. A change shows on its boards within
    moments, without a publish."""


@of_location.get(response_model=Listing[LocalItemResponse])
def list_location_items(services: Services, location: str, access: MayRead, page: Paged, chosen: Chosen) -> Response:
    """List all items as they are at the location, oldest first."""
    return JsonReply(services.places.list(access, Place(location=location), page, chosen, now=services.clock.now()))


@of_location.post("/bulk", response_model=Listing[LocalItemResponse] | LocalBulkResults)
def change_location_items(
    services: Services, location: str, body: LocalBulkEntries, access: MayEdit, lenient: Lenient, expected: Expected
) -> Response:
    """Change up to 1000 items at the location, all or none; with `Prefer: handling=lenient` the good entries."""
    return _bulk(services.places, access, Place(location=location), body, expected, lenient=lenient)


@of_location.get("/{item}", response_model=LocalItemResponse)
def get_location_item(services: Services, location: str, item: str, access: MayRead) -> Response:
    """Get one item as it is at the location; `sources` say which place each value is from."""
    return resource(services.places.get(access, Place(location=location), item, now=services.clock.now()))


@of_location.patch("/{item}", response_model=ChangedLocalItemResponse)
def change_location_item(
    services: Services, location: str, item: str, body: LocalItemPatch, access: MayEdit, expected: Expected
) -> Response:
    """Change some values at the location. Null gives the value of its groups, or of the item itself, back."""
    return _change(services.places, services.boards, access, Place(location=location), item, body, expected)


of_group = api_routes("/v1/groups/{group}/items", tag="Items at a place")
"""Items at the locations of a group, where these have no values of their own."""


@of_group.get(response_model=Listing[LocalItemResponse])
def list_group_items(services: Services, group: str, access: MayRead, page: Paged, chosen: Chosen) -> Response:
    """List all items as they are in the group, oldest first."""
    return JsonReply(services.places.list(access, Place(group=group), page, chosen, now=services.clock.now()))


@of_group.post("/bulk", response_model=Listing[LocalItemResponse] | LocalBulkResults)
def change_group_items(
    services: Services, group: str, body: LocalBulkEntries, access: MayEdit, lenient: Lenient, expected: Expected
) -> Response:
    """Change up to 1000 items in the group, all or none; with `Prefer: handling=lenient` the good entries."""
    return _bulk(services.places, access, Place(group=group), body, expected, lenient=lenient)


@of_group.get("/{item}", response_model=LocalItemResponse)
def get_group_item(services: Services, group: str, item: str, access: MayRead) -> Response:
    """Get one item as it is in the group; other groups of its locations do not count here."""
    return resource(services.places.get(access, Place(group=group), item, now=services.clock.now()))


@of_group.patch("/{item}", response_model=ChangedLocalItemResponse)
def change_group_item(
    services: Services, group: str, item: str, body: LocalItemPatch, access: MayEdit, expected: Expected
) -> Response:
    """Change some values in the group. Null gives the value of the item itself back."""
    return _change(services.places, services.boards, access, Place(group=group), item, body, expected)


def _change(
    places: PlaceService,
    boards: BoardService,
    access: Access,
    place: Place,
    item: str,
    body: LocalItemPatch,
    expected: Condition,
) -> Response:
    changed, left = places.change(access, place, item, body, expected)
    return resource(changed, told={**changed.document(), "leftBoards": boards.left_at(access, changed, left)})


def _bulk(
    places: PlaceService, access: Access, place: Place, body: LocalBulkEntries, expected: Condition, *, lenient: bool
) -> Response:
    if lenient:
        applied = {"Preference-Applied": "handling=lenient"}
        return JsonReply(places.change_some(access, place, body, expected), headers=applied)
    return JsonReply(places.change_many(access, place, body, expected))
