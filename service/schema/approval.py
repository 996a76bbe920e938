"""Approvals: publishes that were asked for, and what became of them."""

from enum import StrEnum
from typing import Annotated, Any

from service.schema.base import Input, Like, ResponseModel
from service.schema.fields import InstantText, Remark
from service.schema.manifest import PublishedPlaylist
from service.schema.scene import SceneDocument


class ApprovalStatus(StrEnum):
    """Where a publish that was asked for stands."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    REPLACED = "replaced"
    """The playlist was published, or asked to be published, again before anybody decided."""


class Rejection(Input):
    """Why it is not published."""

    reason: Remark


class ApprovalSummary(ResponseModel):
    """A publish that was asked for. People are named by the keys that they used."""

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
    """What an approval would publish: the playlist with its entries, and its scenes with their schedules."""

    playlist: Annotated[dict[str, Any], Like(PublishedPlaylist)]
    scenes: list[Annotated[dict[str, Any], Like(SceneDocument)]]


class ApprovalResponse(ApprovalSummary):
    """A publish that was asked for, with what was asked for until it is decided."""

    design: Design | None
