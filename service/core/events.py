"""What can happen that others want to hear of: the nine names and their aliases (specification, events).

Imports nothing of the service.
"""

from enum import StrEnum

PING = "ping"
"""What a test delivery carries. It is no event: nobody subscribes to it."""


class EventType(StrEnum):
    """The name of an event, as deliveries carry it."""

    SCREEN_ONLINE = "screen.online"
    SCREEN_OFFLINE = "screen.offline"
    CONTENT_PUBLISHED = "content.published"
    DESIGN_APPROVED = "design.approved"
    DESIGN_REJECTED = "design.rejected"
    POS_SYNC_COMPLETED = "pos.sync.completed"
    POS_SYNC_FAILED = "pos.sync.failed"
    TEAM_MEMBER_ADDED = "team.member.added"
    SUBSCRIPTION_UPDATED = "subscription.updated"


ALIASES: dict[str, EventType] = {
    "device.online": EventType.SCREEN_ONLINE,
    "device.offline": EventType.SCREEN_OFFLINE,
    "pos.sync_succeeded": EventType.POS_SYNC_COMPLETED,
    "pos.sync_failed": EventType.POS_SYNC_FAILED,
}
"""Other names under which a subscription may ask for an event. Deliveries carry the event's own name."""

NAMES: tuple[str, ...] = (*EventType, *ALIASES)
"""Everything that a subscription may name."""


def event_named(name: str) -> EventType:
    """The event of this name or alias. Raises ValueError for any other word."""
    return ALIASES.get(name) or EventType(name)
