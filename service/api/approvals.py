"""`/v1/approvals`."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.guard import Paged, Publisher, Reader
from service.api.replies import JsonReply, resource
from service.api.routing import public_router
from service.schema.approval import ApprovalResponse, ApprovalStatus, ApprovalSummary, Rejection
from service.schema.lists import Listing
from service.services.publishing.approvals import ApprovalService


def approval_routes(*, approvals: ApprovalService, route: type[APIRoute]) -> APIRouter:
    """Publishes that an Editor asked for. What is approved is what was asked for, whatever was edited since."""
    router = public_router("/v1/approvals", tag="Approvals", route=route)

    @router.get("", response_model=Listing[ApprovalSummary])
    def list_approvals(
        access: Reader,
        page: Paged,
        status: Annotated[ApprovalStatus | None, Query(description="Only those that stand so.")] = None,
    ) -> Response:
        """List approvals, oldest first."""
        return JsonReply(approvals.list(access.workspace, page, status=status))

    @router.get("/{approval}", response_model=ApprovalResponse)
    def get_approval(approval: str, access: Reader) -> Response:
        """Get one approval; `design` is what it would publish, until it is decided."""
        return resource(approvals.get(access.workspace, approval))

    @router.post("/{approval}/approve", response_model=ApprovalResponse)
    def approve(approval: str, access: Publisher) -> Response:
        """Publish what was asked for as the playlist's next version (409 when it is decided already)."""
        return resource(approvals.approve(access, approval))

    @router.post("/{approval}/reject", response_model=ApprovalResponse)
    def reject(approval: str, body: Rejection, access: Publisher) -> Response:
        """Publish nothing, and say why (409 when it is decided already)."""
        return resource(approvals.reject(access, approval, body))

    return router


def accepted(view: ApprovalResponse) -> Response:
    """202: it is asked for, and this is where to see what becomes of it."""
    return JsonReply(view, status_code=202, headers={"Location": f"/v1/approvals/{view.id}"})
