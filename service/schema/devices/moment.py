"""Content of a screen at an instant, and between two."""

from typing import Any

from service.schema.base import ResponseModel
from service.schema.fields import InstantText


class MomentUnshowable(ResponseModel):
    """Why a scene cannot be shown: `unreadable`, `refused`, `file_missing`, `sold_out` or `without_values`."""

    why: str
    detail: str


class MomentOther(ResponseModel):
    """A scene that does not show, and why: `waiting` for its turn, `not_scheduled`, `displaced`, `schedule_unreadable`
    or `passed_over`. `detail` tells its schedule in English; `nextAt` is when it shows next, where that is known."""

    entry: str
    name: str
    reason: str
    detail: str
    displaced_by: str | None
    unshowable: MomentUnshowable | None
    next_at: InstantText | None


class MomentResponse(ResponseModel):
    """The showing of a screen at an instant, worked out by the player's own program from what is published now, for a
    screen that has all files. `kind` is `scene` or `house`, with the `reason` for the house card. The scene shows until
    `until`, and takes turns with those that are `waiting` until `turnsUntil`. `changedAt` and `changesAt` are the
    nearest instants at which anything but the turn changes: what shows, or an item. `open` says whether the location is
    open, null where it has no hours: a screen with `display.power` `hours` is off while it is not."""

    at: InstantText
    timezone: str
    kind: str
    reason: str | None
    playlist: str | None
    version: int | None
    entry: str | None
    scene: str | None
    name: str | None
    language: str | None
    override: str | None
    override_reason: str | None
    since: InstantText | None
    until: InstantText | None
    turns_until: InstantText | None
    next_at: InstantText | None
    changed_at: InstantText | None
    changes_at: InstantText | None
    open: bool | None
    others: list[MomentOther]


class SpanEntry(ResponseModel):
    """A scene that takes its turn."""

    entry: str
    scene: str
    name: str
    duration_seconds: int


class SpanLeftOut(ResponseModel):
    """A scene that does not show though its hours allow it, and why."""

    entry: str
    name: str
    reason: str
    displaced_by: str | None
    unshowable: MomentUnshowable | None


class SpanResponse(ResponseModel):
    """A time in which the same scenes take turns; without any, `reason` says why the card of the house shows."""

    from_: InstantText
    to: InstantText
    playlist: str | None
    version: int | None
    override: str | None
    override_reason: str | None
    reason: str | None
    scenes: list[SpanEntry]
    left_out: list[SpanLeftOut]


class TimetableResponse(ResponseModel):
    """The scenes that show between two instants, span by span without a gap. It is `whole` unless there are more than
    1000 spans: then it ends early."""

    from_: InstantText
    to: InstantText
    timezone: str
    whole: bool
    spans: list[SpanResponse]


def unshowable_of(told: dict[str, Any] | None) -> MomentUnshowable | None:
    """Returns the reason why a scene cannot be shown, as the player reports it."""
    return None if told is None else MomentUnshowable(why=told["why"], detail=told["detail"])
