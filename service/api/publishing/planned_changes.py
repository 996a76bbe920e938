"""`/v1/planned-changes`."""

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
from service.schema.publishing.planned_change import (
    PlannedChangeCreate,
    PlannedChangePatch,
    PlannedChangeResponse,
    PlannedPreviewResponse,
)
from service.services.registry import Services

routes = api_routes("/v1/planned-changes", tag="Planned changes")
"""Prices, availability and overrides from a local time of each location on."""


@routes.get(response_model=Listing[PlannedChangeResponse])
def list_planned_changes(services: Services, access: MayRead, page: Paged) -> Response:
    """List planned changes, oldest first, also those that have been done in the last 30 days."""
    return JsonReply(services.planned_changes.list(access, page))


@routes.post(status_code=201, response_model=PlannedChangeResponse)
def create_planned_change(services: Services, body: PlannedChangeCreate, access: MayEdit) -> Response:
    """Plan changes of prices and of availability, and overrides. They take effect at `at` in the time of each
    location, on its boards also without the network. Overrides take the permission to publish."""
    return created(services.planned_changes.create(access, body), at="/v1/planned-changes")


@routes.get("/{plan}", response_model=PlannedChangeResponse)
def get_planned_change(services: Services, plan: str, access: MayRead) -> Response:
    """Get one planned change."""
    return resource(services.planned_changes.get(access, plan))


@routes.patch("/{plan}", response_model=PlannedChangeResponse)
def change_planned_change(
    services: Services, plan: str, body: PlannedChangePatch, access: MayEdit, expected: Expected
) -> Response:
    """Change a planned change before it takes effect anywhere. Its scenes are frozen anew."""
    return resource(services.planned_changes.change(access, plan, body, expected))


@routes.delete("/{plan}")
def withdraw_planned_change(services: Services, plan: str, access: MayEdit, expected: Expected) -> None:
    """Withdraw a planned change as a whole before it takes effect anywhere."""
    services.planned_changes.withdraw(access, plan, expected)


@routes.get("/{plan}/preview", response_model=PlannedPreviewResponse)
def preview_planned_change(
    services: Services,
    plan: str,
    access: MayRead,
    location: Annotated[
        Identifier | None, Query(description="The location; the first one that it reaches by default.")
    ] = None,
) -> Response:
    """Get the items that it changes as they are at a location just before and after. For a picture of a scene at
    that instant, name it as `at` of the scene's image."""
    return resource(services.planned_changes.preview(access, plan, location))
