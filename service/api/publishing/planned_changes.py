"""`/v1/planned-changes`."""

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
from service.schema.publishing.planned_change import (
    PlannedChangeCreate,
    PlannedChangePatch,
    PlannedChangeResponse,
    PlannedPreviewResponse,
)
from service.services.publishing.planned_changes import PlannedChangeService


def planned_change_routes(*, planned_changes: PlannedChangeService, route: type[APIRoute]) -> APIRouter:
    """Prices, availability and overrides from a local time of each location on."""
    router = public_router("/v1/planned-changes", tag="Planned changes", route=route)

    @router.get("", response_model=Listing[PlannedChangeResponse])
    def list_planned_changes(access: MayRead, page: Paged) -> Response:
        """List planned changes, oldest first, also those that have been done in the last 30 days."""
        return JsonReply(planned_changes.list(access, page))

    @router.post("", status_code=201, response_model=PlannedChangeResponse)
    def create_planned_change(body: PlannedChangeCreate, access: MayEdit) -> Response:
        """Plan changes of prices and of availability, and overrides. They take effect at `at` in the time of each
        location, on its boards also without the network. Overrides take the permission to publish."""
        document = planned_changes.create(access, body)
        return created(document, at=f"/v1/planned-changes/{document.id}")

    @router.get("/{plan}", response_model=PlannedChangeResponse)
    def get_planned_change(plan: str, access: MayRead) -> Response:
        """Get one planned change."""
        return resource(planned_changes.get(access, plan))

    @router.patch("/{plan}", response_model=PlannedChangeResponse)
    def change_planned_change(plan: str, body: PlannedChangePatch, access: MayEdit, expected: Expected) -> Response:
        """Change a planned change before it takes effect anywhere. Its scenes are frozen anew."""
        return resource(planned_changes.change(access, plan, body, expected))

    @router.delete("/{plan}", status_code=204, response_model=None)
    def withdraw_planned_change(plan: str, access: MayEdit, expected: Expected) -> Response:
        """Withdraw a planned change as a whole before it takes effect anywhere."""
        planned_changes.withdraw(access, plan, expected)
        return no_content()

    @router.get("/{plan}/preview", response_model=PlannedPreviewResponse)
    def preview_planned_change(
        plan: str,
        access: MayRead,
        location: Annotated[
            Identifier | None, Query(description="The location; the first one that it reaches by default.")
        ] = None,
    ) -> Response:
        """Get the items that it changes as they are at a location just before and after. For a picture of a scene at
        that instant, name it as `at` of the scene's image."""
        return resource(planned_changes.preview(access, plan, location))

    return router
