"""Events as webhooks deliver them: the envelope, and the data of each type."""

from typing import Literal

from service.schema.base import ResponseModel
from service.schema.content.pos import SyncCounts
from service.schema.fields import InstantText
from service.schema.workspace.subscription import SubscriptionStatus


class Event(ResponseModel):
    """The envelope. A repeated delivery of an event has the same `id`."""

    id: str
    created_at: InstantText
    workspace: str
    api_version: Literal["v1"]


class ScreenEventData(ResponseModel):
    """The screen, and its last contact."""

    screen: str
    name: str
    location: str
    playlist: str | None
    last_seen: InstantText | None


class ScreenOnline(Event):
    """A screen has come online."""

    type: Literal["screen.online"]
    data: ScreenEventData


class ScreenOffline(Event):
    """A screen has had no contact for two minutes."""

    type: Literal["screen.offline"]
    data: ScreenEventData


class PublishedEventData(ResponseModel):
    """The playlist, and its new version."""

    playlist: str
    name: str
    version: int
    published_at: InstantText


class ContentPublished(Event):
    """A playlist was published, directly or on approval."""

    type: Literal["content.published"]
    data: PublishedEventData


class DecisionEventData(ResponseModel):
    """The approval, and the keys that requested and decided it."""

    approval: str
    playlist: str
    name: str
    requested_by: str
    decided_by: str


class ApprovedEventData(DecisionEventData):
    """An approval, and the version that it published."""

    version: int


class DesignApproved(Event):
    """An approval was granted: the playlist is published."""

    type: Literal["design.approved"]
    data: ApprovedEventData


class RejectedEventData(DecisionEventData):
    """An approval, and why nothing was published."""

    reason: str


class DesignRejected(Event):
    """An approval was rejected."""

    type: Literal["design.rejected"]
    data: RejectedEventData


class SyncCompletedEventData(ResponseModel):
    """The connection, and the counts of its sync."""

    connection: str
    name: str
    counts: SyncCounts


class PosSyncCompleted(Event):
    """A point of sale was read."""

    type: Literal["pos.sync.completed"]
    data: SyncCompletedEventData


class SyncFailedEventData(ResponseModel):
    """The connection, and why its sync changed nothing."""

    connection: str
    name: str
    reason: str
    detail: str


class PosSyncFailed(Event):
    """A point of sale could not be read."""

    type: Literal["pos.sync.failed"]
    data: SyncFailedEventData


class MemberEventData(ResponseModel):
    """The new member of the workspace."""

    member: str
    email: str
    name: str
    role: str


class TeamMemberAdded(Event):
    """An invitation was accepted."""

    type: Literal["team.member.added"]
    data: MemberEventData


class PlanEventData(ResponseModel):
    """A plan and its status."""

    plan: str
    status: SubscriptionStatus


class SubscriptionEventData(PlanEventData):
    """The subscription, and its previous state."""

    previous: PlanEventData


class SubscriptionUpdated(Event):
    """The plan or the status of the subscription has changed."""

    type: Literal["subscription.updated"]
    data: SubscriptionEventData


class PingEventData(ResponseModel):
    """The webhook under test."""

    webhook: str


class Ping(Event):
    """The test delivery of a webhook. It reports no event."""

    type: Literal["ping"]
    data: PingEventData


EVENTS: tuple[type[Event], ...] = (
    ScreenOnline,
    ScreenOffline,
    ContentPublished,
    DesignApproved,
    DesignRejected,
    PosSyncCompleted,
    PosSyncFailed,
    TeamMemberAdded,
    SubscriptionUpdated,
    Ping,
)
