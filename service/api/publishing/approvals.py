"""`/v1/approvals`."""

from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from service.api.content.scene_images import LanguageQuery, LocationQuery, WidthQuery, image_reply
from service.api.http.authentication import MayPublish, MayRead
from service.api.http.paging import Paged
from service.api.http.replies import JsonReply, resource
from service.api.http.routes import api_routes
from service.schema.lists import Listing
from service.schema.publishing.approval import ApprovalReject, ApprovalResponse, ApprovalStatus, ApprovalSummary
from service.services.publishing.pictures import request_picture
from service.services.publishing.previews import DEFAULT_WIDTH
from service.services.registry import Services

APPROVAL_REQUESTED: dict[int | str, dict[str, Any]] = {
    202: {"model": ApprovalResponse, "description": "Requested, and waiting for approval."}
}

routes = api_routes("/v1/approvals", tag="Approvals")
"""Publish requests of Editors. An approval publishes the playlist as it was requested; later edits do not count."""


@routes.get(response_model=Listing[ApprovalSummary])
def list_approvals(
    services: Services,
    access: MayRead,
    page: Paged,
    status: Annotated[ApprovalStatus | None, Query(description="Only approvals with this status.")] = None,
) -> Response:
    """List approvals, oldest first."""
    return JsonReply(services.approvals.list(access.workspace, page, status=status))


@routes.get("/{approval}", response_model=ApprovalResponse)
def get_approval(services: Services, approval: str, access: MayRead) -> Response:
    """Get one approval; `design` is what it would publish, until it is decided."""
    return resource(services.approvals.get(access.workspace, approval))


@routes.get("/{approval}/scenes/{scene}/image", response_class=Response)
async def draw_request(
    services: Services,
    approval: str,
    scene: str,
    request: Request,
    access: MayRead,
    width: WidthQuery = DEFAULT_WIDTH,
    location: LocationQuery = None,
    language: LanguageQuery = None,
) -> Response:
    """Get an image of a scene as it would be published, with the current items, until the approval is decided."""
    picture = request_picture(approval, scene)
    return await image_reply(
        request, services.previews, access, picture, width=width, location=location, language=language
    )


@routes.post("/{approval}/approve", response_model=ApprovalResponse)
def approve(services: Services, approval: str, access: MayPublish) -> Response:
    """Publish the requested design as the playlist's next version (409 if already decided)."""
    return resource(services.approvals.approve(access, approval))


@routes.post("/{approval}/reject", response_model=ApprovalResponse)
def reject(services: Services, approval: str, body: ApprovalReject, access: MayPublish) -> Response:
    """Reject the request, with a reason (409 if already decided)."""
    return resource(services.approvals.reject(access, approval, body))


def accepted(document: ApprovalResponse) -> Response:
    """Responds 202: the publish waits for approval; `Location` is the approval."""
    return JsonReply(document, status_code=202, headers={"Location": f"/v1/approvals/{document.id}"})
