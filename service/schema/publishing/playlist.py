"""Playlists: scenes in an order, each for a time, published as a whole."""

from typing import Annotated

from annotated_types import Ge, Le, MaxLen

from menu.documents.manifest import MAX_DURATION_SECONDS
from service.schema.base import ABSENT, Input, Patch, ResponseModel, SchemaOf
from service.schema.fields import Identifier, InstantText, Name, Whole
from service.schema.publishing.schedule import DaypartCreate

MIN_DURATION_SECONDS = 1
MAX_ENTRIES = 500


class PlaylistCreate(Input):
    """A new, empty playlist."""

    name: Name


class PlaylistPatch(Patch):
    """Fields of a playlist to change."""

    name: Name = ABSENT


class EntryCreate(Input):
    """A scene to append, its duration, and optionally its daypart."""

    scene_id: Identifier
    duration_seconds: Annotated[Whole, Ge(MIN_DURATION_SECONDS), Le(MAX_DURATION_SECONDS)]
    schedule: DaypartCreate | None = None


class EntryPatch(Patch):
    """Fields of an entry to change; with `schedule` null it has no daypart of its own."""

    duration_seconds: Annotated[Whole, Ge(MIN_DURATION_SECONDS), Le(MAX_DURATION_SECONDS)] = ABSENT
    schedule: DaypartCreate | None = None


class OrderPatch(Patch):
    """All scene ids of the playlist in their new order; entry ids where a scene occurs twice."""

    order: Annotated[list[Identifier], MaxLen(MAX_ENTRIES)]


class EntryResponse(ResponseModel):
    """A scene's place in a playlist."""

    id: str
    scene_id: str
    duration_seconds: int
    schedule: Annotated[dict[str, object], SchemaOf(DaypartCreate)] | None


class PlaylistSummary(ResponseModel):
    """A playlist, without its scenes. `hasUnpublishedChanges` is whether it differs from its last version."""

    volatile = frozenset({"hasUnpublishedChanges"})

    id: str
    name: str
    version: int
    published_at: InstantText | None
    created_at: InstantText
    has_unpublished_changes: bool


class PlaylistResponse(PlaylistSummary):
    """A playlist with its ordered scene list. `version` is 0 until it is published."""

    scenes: list[EntryResponse]
