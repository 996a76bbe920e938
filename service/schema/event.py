"""Events as deliveries carry them: the envelope, and what each tells."""

from typing import Literal

from service.schema.base import ResponseModel
from service.schema.fields import InstantText
from service.schema.pos import SyncCounts
from service.schema.subscription import SubscriptionStatus


class Event(ResponseModel):
    """What all have in common. An event that is delivered again has the same `id`."""

    id: str
    created_at: InstantText
    workspace: str
    api_version: Literal["v1"]


class ScreenEventData(ResponseModel):
    """The screen, and when it was last heard of."""

    screen: str
    name: str
    location: str
    playlist: str | None
    last_seen: InstantText | None


class ScreenOnline(Event):
    """A screen is there, or there again."""

    type: Literal["screen.online"]
    data: ScreenEventData


class ScreenOffline(Event):
    """A screen has not been heard of for two minutes."""

    type: Literal["screen.offline"]
    data: ScreenEventData


class PublishedEventData(ResponseModel):
    """The playlist, and the version that it has now."""

    playlist: str
    name: str
    version: int
    published_at: InstantText


class ContentPublished(Event):
    """A playlist was published, directly or on approval."""

    type: Literal["content.published"]
    data: PublishedEventData


class DecisionEventData(ResponseModel):
    """The approval, and the keys of those who asked and decided."""

    approval: str
    playlist: str
    name: str
    requested_by: str
    decided_by: str


class ApprovedEventData(DecisionEventData):
    """An approval, and the version that it published."""

    version: int


class DesignApproved(Event):
    """A publish that was asked for was approved."""

    type: Literal["design.approved"]
    data: ApprovedEventData


class RejectedEventData(DecisionEventData):
    """An approval, and why nothing was published."""

    reason: str


class DesignRejected(Event):
    """A publish that was asked for was rejected."""

    type: Literal["design.rejected"]
    data: RejectedEventData


class SyncCompletedEventData(ResponseModel):
    """The connection, and what its sync did."""

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
    """Somebody who belongs to the workspace now."""

    member: str
    email: str
    name: str
    role: str


class TeamMemberAdded(Event):
    """Somebody has accepted an invitation."""

    type: Literal["team.member.added"]
    data: MemberEventData


class PlanEventData(ResponseModel):
    """A plan and its status."""

    plan: str
    status: SubscriptionStatus


class SubscriptionEventData(PlanEventData):
    """The subscription as it is, and as it was before."""

    previous: PlanEventData


class SubscriptionUpdated(Event):
    """The plan or the status of the subscription has changed."""

    type: Literal["subscription.updated"]
    data: SubscriptionEventData


class PingEventData(ResponseModel):
    """The webhook that is tested."""

    webhook: str


class Ping(Event):
    """What a test of a webhook delivers: nothing has happened."""

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
