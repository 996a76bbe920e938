"""`/v1/groups`."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from service.api.http.authentication import MayEdit, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, resource
from service.api.http.routes import api_routes
from service.schema.fields import Identifier
from service.schema.lists import Listing
from service.schema.places.group import GroupCreate, GroupPatch, GroupResponse
from service.services.registry import Services

routes = api_routes("/v1/groups", tag="Groups")
"""Groups of locations, such as a region; a location is in any number of them."""


@routes.get(response_model=Listing[GroupResponse])
def list_groups(
    services: Services,
    access: MayRead,
    page: Paged,
    location: Annotated[Identifier | None, Query(description="Only groups that hold this location.")] = None,
) -> Response:
    """List groups, oldest first."""
    return JsonReply(services.groups.list(access, page, location=location))


@routes.post(status_code=201, response_model=GroupResponse)
def create_group(services: Services, body: GroupCreate, access: MayEdit) -> Response:
    """Create a group."""
    return created(services.groups.create(access, body), at="/v1/groups")


@routes.get("/{group}", response_model=GroupResponse)
def get_group(services: Services, group: str, access: MayRead) -> Response:
    """Get one group."""
    return resource(services.groups.get(access, group))


@routes.patch("/{group}", response_model=GroupResponse)
def change_group(services: Services, group: str, body: GroupPatch, access: MayEdit, expected: Expected) -> Response:
    """Change some fields; the boards of the locations follow at once."""
    return resource(services.groups.change(access, group, body, expected))


@routes.delete("/{group}")
def delete_group(services: Services, group: str, access: MayEdit, expected: Expected) -> None:
    """Delete a group with its values; its locations stay."""
    services.groups.remove(access, group, expected)
