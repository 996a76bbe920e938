"""End of a countdown: an instant, or the end of a part of the day; pure."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from menu.documents.scene import CountdownWidget
from menu.documents.schedule import occurrences


def end_of(widget: CountdownWidget, t: datetime, timezone: str) -> datetime | None:
    """Returns the end to which it counts at the instant `t` (aware), in a location of this zone; None while there is
    none.

    A daypart is resolved as in docs/semantics.md, but those that touch are not one stretch: each has its own end.
    """
    if widget.ends_at is not None:
        return widget.ends_at if t < widget.ends_at else None
    if widget.daypart is None:
        return None
    zone = ZoneInfo(widget.daypart.timezone or timezone)
    found = occurrences([widget.daypart], zone, t.astimezone(UTC), t.astimezone(UTC))
    return min((end for start, end in found if start <= t < end), default=None)
