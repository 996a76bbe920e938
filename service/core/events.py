"""Event types of webhooks and their aliases (specification, events); imports no other part of the service."""

from enum import StrEnum

PING = "ping"
"""The type of test deliveries. Not an event: it cannot be subscribed to."""


class EventType(StrEnum):
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
"""Other names for a subscription to use. Deliveries carry the event's own type."""

NAMES: tuple[str, ...] = (*EventType, *ALIASES)
"""All names that a subscription accepts."""


def event_named(name: str) -> EventType:
    """Returns the event type of this name or alias. Raises ValueError for any other name."""
    return ALIASES.get(name) or EventType(name)
