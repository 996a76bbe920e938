"""`/v1/locations/{location}/items` and `/v1/groups/{group}/items`."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayEdit, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected, Lenient
from service.api.http.replies import JsonReply, resource
from service.api.http.routing import public_router
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


def location_item_routes(
    *, places: PlaceService, boards: BoardService, now: Callable[[], datetime], route: type[APIRoute]
) -> APIRouter:
    """Items at a location: its own prices, and what is sold out or hidden there. A change shows on its boards within
    moments, without a publish."""
    router = public_router("/v1/locations/{location}/items", tag="Items at a place", route=route)

    @router.get("", response_model=Listing[LocalItemResponse])
    def list_location_items(location: str, access: MayRead, page: Paged, chosen: Chosen) -> Response:
        """List all items as they are at the location, oldest first."""
        return JsonReply(places.list(access, Place(location=location), page, chosen, now=now()))

    @router.post("/bulk", response_model=Listing[LocalItemResponse] | LocalBulkResults)
    def change_location_items(
        location: str, body: LocalBulkEntries, access: MayEdit, lenient: Lenient, expected: Expected
    ) -> Response:
        """Change up to 1000 items at the location, all or none; with `Prefer: handling=lenient` the good entries."""
        return _bulk(places, access, Place(location=location), body, expected, lenient=lenient)

    @router.get("/{item}", response_model=LocalItemResponse)
    def get_location_item(location: str, item: str, access: MayRead) -> Response:
        """Get one item as it is at the location; `sources` say which place each value is from."""
        return resource(places.get(access, Place(location=location), item, now=now()))

    @router.patch("/{item}", response_model=ChangedLocalItemResponse)
    def change_location_item(
        location: str, item: str, body: LocalItemPatch, access: MayEdit, expected: Expected
    ) -> Response:
        """Change some values at the location. Null gives the value of its groups, or of the item itself, back."""
        return _change(places, boards, access, Place(location=location), item, body, expected)

    return router


def group_item_routes(
    *, places: PlaceService, boards: BoardService, now: Callable[[], datetime], route: type[APIRoute]
) -> APIRouter:
    """Items at the locations of a group, where these have no values of their own."""
    router = public_router("/v1/groups/{group}/items", tag="Items at a place", route=route)

    @router.get("", response_model=Listing[LocalItemResponse])
    def list_group_items(group: str, access: MayRead, page: Paged, chosen: Chosen) -> Response:
        """List all items as they are in the group, oldest first."""
        return JsonReply(places.list(access, Place(group=group), page, chosen, now=now()))

    @router.post("/bulk", response_model=Listing[LocalItemResponse] | LocalBulkResults)
    def change_group_items(
        group: str, body: LocalBulkEntries, access: MayEdit, lenient: Lenient, expected: Expected
    ) -> Response:
        """Change up to 1000 items in the group, all or none; with `Prefer: handling=lenient` the good entries."""
        return _bulk(places, access, Place(group=group), body, expected, lenient=lenient)

    @router.get("/{item}", response_model=LocalItemResponse)
    def get_group_item(group: str, item: str, access: MayRead) -> Response:
        """Get one item as it is in the group; other groups of its locations do not count here."""
        return resource(places.get(access, Place(group=group), item, now=now()))

    @router.patch("/{item}", response_model=ChangedLocalItemResponse)
    def change_group_item(group: str, item: str, body: LocalItemPatch, access: MayEdit, expected: Expected) -> Response:
        """Change some values in the group. Null gives the value of the item itself back."""
        return _change(places, boards, access, Place(group=group), item, body, expected)

    return router


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
