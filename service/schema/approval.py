"""Approvals: requests to publish, and their decisions."""

from enum import StrEnum
from typing import Annotated, Any

from service.schema.base import Input, ResponseModel, SchemaOf
from service.schema.fields import InstantText, Reason
from service.schema.manifest import PublishedPlaylist
from service.schema.scene import SceneDocument


class ApprovalStatus(StrEnum):
    """The status of a request to publish."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    REPLACED = "replaced"
    """The playlist was published, or another approval requested, before the decision."""


class ApprovalReject(Input):
    """Why the playlist is not published."""

    reason: Reason


class ApprovalSummary(ResponseModel):
    """A request to publish a playlist. `requestedBy` and `decidedBy` are keys."""

    id: str
    playlist: str
    status: ApprovalStatus
    requested_by: str
    requested_at: InstantText
    decided_by: str | None
    decided_at: InstantText | None
    reason: str | None
    version: int | None


class Design(ResponseModel):
    """The content of an approval: the playlist with its entries, and its scenes with their schedules."""

    playlist: Annotated[dict[str, Any], SchemaOf(PublishedPlaylist)]
    scenes: list[Annotated[dict[str, Any], SchemaOf(SceneDocument)]]


class ApprovalResponse(ApprovalSummary):
    """A request to publish, with its design until it is decided."""

    design: Design | None
