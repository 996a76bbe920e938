"""Approvals: requests to publish, and their decisions."""

from enum import StrEnum
from typing import Annotated, Any

from service.schema.base import Input, ResponseModel, SchemaOf
from service.schema.content.scene import SceneDocument
from service.schema.devices.manifest import PublishedPlaylist
from service.schema.fields import InstantText, Reason
from service.schema.publishing.version import SceneChangeKind, VersionChanges


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
    """A request to publish a playlist, or with `restores` one of its versions again. `requestedBy` and `decidedBy` are
    keys."""

    id: str
    playlist: str
    status: ApprovalStatus
    requested_by: str
    requested_at: InstantText
    decided_by: str | None
    decided_at: InstantText | None
    reason: str | None
    version: int | None
    restores: int | None


class Design(ResponseModel):
    """The content of an approval: the playlist with its entries, and its scenes with their schedules."""

    playlist: Annotated[dict[str, Any], SchemaOf(PublishedPlaylist)]
    scenes: list[Annotated[dict[str, Any], SchemaOf(SceneDocument)]]


class SceneComparison(ResponseModel):
    """A scene of the request beside the same scene in the version that plays now: whether they look different, and the
    paths of their images. `image` is null for a scene that the request takes out, `imageNow` for one that it adds."""

    id: str
    name: str
    change: SceneChangeKind
    image: str | None
    image_now: str | None


class ApprovalResponse(ApprovalSummary):
    """A request to publish. Until it is decided it has its design, its `changes` from the version that plays now (null
    if there is none), and its scenes beside those of that version."""

    design: Design | None
    changes: VersionChanges | None
    scenes: list[SceneComparison]
