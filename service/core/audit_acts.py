"""Acts in the audit list; imports no other part of the service."""

from enum import StrEnum


class AuditAct(StrEnum):
    """The act of an entry."""

    CREATED = "created"
    CHANGED = "changed"
    REMOVED = "removed"
    PUBLISHED = "published"
    ASKED = "asked"
    """Asked for an approval."""
    APPROVED = "approved"
    REJECTED = "rejected"
    SENT = "sent"
    """A command to a screen, or an event once more to a webhook."""
    UNDONE = "undone"
    SIGNED_IN = "signed_in"
    SIGNED_OUT = "signed_out"
