"""`/v1/groups`."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayEdit, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, no_content, resource
from service.api.http.routing import public_router
from service.schema.fields import Identifier
from service.schema.lists import Listing
from service.schema.places.group import GroupCreate, GroupPatch, GroupResponse
from service.services.content.groups import GroupService


def group_routes(*, groups: GroupService, route: type[APIRoute]) -> APIRouter:
    """Groups of locations, such as a region; a location is in any number of them."""
    router = public_router("/v1/groups", tag="Groups", route=route)

    @router.get("", response_model=Listing[GroupResponse])
    def list_groups(
        access: MayRead,
        page: Paged,
        location: Annotated[Identifier | None, Query(description="Only groups that hold this location.")] = None,
    ) -> Response:
        """List groups, oldest first."""
        return JsonReply(groups.list(access, page, location=location))

    @router.post("", status_code=201, response_model=GroupResponse)
    def create_group(body: GroupCreate, access: MayEdit) -> Response:
        """Create a group."""
        document = groups.create(access, body)
        return created(document, at=f"/v1/groups/{document.id}")

    @router.get("/{group}", response_model=GroupResponse)
    def get_group(group: str, access: MayRead) -> Response:
        """Get one group."""
        return resource(groups.get(access, group))

    @router.patch("/{group}", response_model=GroupResponse)
    def change_group(group: str, body: GroupPatch, access: MayEdit, expected: Expected) -> Response:
        """Change some fields; the boards of the locations follow at once."""
        return resource(groups.change(access, group, body, expected))

    @router.delete("/{group}", status_code=204, response_model=None)
    def delete_group(group: str, access: MayEdit, expected: Expected) -> Response:
        """Delete a group with its values; its locations stay."""
        groups.remove(access, group, expected)
        return no_content()

    return router
