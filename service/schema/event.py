"""Events as deliveries carry them: the envelope, and what each tells."""

from typing import Literal

from service.schema.base import View
from service.schema.fields import InstantText
from service.schema.pos import SyncCounts
from service.schema.subscription import SubscriptionStatus


class Event(View):
    """What all have in common. An event that is delivered again has the same `id`."""

    id: str
    created_at: InstantText
    workspace: str
    api_version: Literal["v1"]


class ScreenTold(View):
    """The screen, and when it was last heard of."""

    screen: str
    name: str
    location: str
    playlist: str | None
    last_seen: InstantText | None


class ScreenOnline(Event):
    """A screen is there, or there again."""

    type: Literal["screen.online"]
    data: ScreenTold


class ScreenOffline(Event):
    """A screen has not been heard of for two minutes."""

    type: Literal["screen.offline"]
    data: ScreenTold


class PublishedTold(View):
    """The playlist, and the version that it has now."""

    playlist: str
    name: str
    version: int
    published_at: InstantText


class ContentPublished(Event):
    """A playlist was published, directly or on approval."""

    type: Literal["content.published"]
    data: PublishedTold


class DecisionTold(View):
    """The approval, and the keys of those who asked and decided."""

    approval: str
    playlist: str
    name: str
    requested_by: str
    decided_by: str


class ApprovedTold(DecisionTold):
    """An approval, and the version that it published."""

    version: int


class DesignApproved(Event):
    """A publish that was asked for was approved."""

    type: Literal["design.approved"]
    data: ApprovedTold


class RejectedTold(DecisionTold):
    """An approval, and why nothing was published."""

    reason: str


class DesignRejected(Event):
    """A publish that was asked for was rejected."""

    type: Literal["design.rejected"]
    data: RejectedTold


class SyncCompletedTold(View):
    """The connection, and what its sync did."""

    connection: str
    name: str
    counts: SyncCounts


class PosSyncCompleted(Event):
    """A point of sale was read."""

    type: Literal["pos.sync.completed"]
    data: SyncCompletedTold


class SyncFailedTold(View):
    """The connection, and why its sync changed nothing."""

    connection: str
    name: str
    reason: str
    detail: str


class PosSyncFailed(Event):
    """A point of sale could not be read."""

    type: Literal["pos.sync.failed"]
    data: SyncFailedTold


class MemberTold(View):
    """Somebody who belongs to the workspace now."""

    member: str
    email: str
    name: str
    role: str


class TeamMemberAdded(Event):
    """Somebody has accepted an invitation."""

    type: Literal["team.member.added"]
    data: MemberTold


class PlanTold(View):
    """A plan and its status."""

    plan: str
    status: SubscriptionStatus


class SubscriptionTold(PlanTold):
    """The subscription as it is, and as it was before."""

    previous: PlanTold


class SubscriptionUpdated(Event):
    """The plan or the status of the subscription has changed."""

    type: Literal["subscription.updated"]
    data: SubscriptionTold


class PingTold(View):
    """The webhook that is tested."""

    webhook: str


class Ping(Event):
    """What a test of a webhook delivers: nothing has happened."""

    type: Literal["ping"]
    data: PingTold


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
