"""`/v1/approvals`."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from service.api.content.scene_images import LanguageQuery, LocationQuery, WidthQuery, image_reply
from service.api.http.authentication import MayPublish, MayRead
from service.api.http.paging import Paged
from service.api.http.replies import JsonReply, resource
from service.api.http.routing import public_router
from service.schema.lists import Listing
from service.schema.publishing.approval import ApprovalReject, ApprovalResponse, ApprovalStatus, ApprovalSummary
from service.services.publishing.approvals import ApprovalService
from service.services.publishing.pictures import request_picture
from service.services.publishing.previews import DEFAULT_WIDTH, PreviewService

APPROVAL_REQUESTED: dict[int | str, dict[str, Any]] = {
    202: {"model": ApprovalResponse, "description": "Requested, and waiting for approval."}
}


def approval_routes(*, approvals: ApprovalService, previews: PreviewService, route: type[APIRoute]) -> APIRouter:
    """Publish requests of Editors. An approval publishes the playlist as it was requested; later edits do not count."""
    router = public_router("/v1/approvals", tag="Approvals", route=route)

    @router.get("", response_model=Listing[ApprovalSummary])
    def list_approvals(
        access: MayRead,
        page: Paged,
        status: Annotated[ApprovalStatus | None, Query(description="Only approvals with this status.")] = None,
    ) -> Response:
        """List approvals, oldest first."""
        return JsonReply(approvals.list(access.workspace, page, status=status))

    @router.get("/{approval}", response_model=ApprovalResponse)
    def get_approval(approval: str, access: MayRead) -> Response:
        """Get one approval; `design` is what it would publish, until it is decided."""
        return resource(approvals.get(access.workspace, approval))

    @router.get("/{approval}/scenes/{scene}/image", response_class=Response)
    async def draw_request(
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
        return await image_reply(request, previews, access, picture, width=width, location=location, language=language)

    @router.post("/{approval}/approve", response_model=ApprovalResponse)
    def approve(approval: str, access: MayPublish) -> Response:
        """Publish the requested design as the playlist's next version (409 if already decided)."""
        return resource(approvals.approve(access, approval))

    @router.post("/{approval}/reject", response_model=ApprovalResponse)
    def reject(approval: str, body: ApprovalReject, access: MayPublish) -> Response:
        """Reject the request, with a reason (409 if already decided)."""
        return resource(approvals.reject(access, approval, body))

    return router


def accepted(document: ApprovalResponse) -> Response:
    """202: the publish waits for approval; `Location` is the approval."""
    return JsonReply(document, status_code=202, headers={"Location": f"/v1/approvals/{document.id}"})
