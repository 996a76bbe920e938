"""Published versions of a playlist: their contents, and the differences between two of them."""

from typing import Annotated, Any, Literal

from service.schema.base import ResponseModel, SchemaOf
from service.schema.content.scene import SceneDocument
from service.schema.fields import InstantText
from service.schema.publishing.playlist import EntryResponse

SceneChangeKind = Literal["added", "removed", "changed", "same"]


class SceneName(ResponseModel):
    """A scene by its id, and its name in the newer version that has it."""

    id: str
    name: str


class VersionChanges(ResponseModel):
    """The differences from another version. `scenesChanged` look different; of those in `durations` and `schedules` the
    time for which, or the hours in which they show is another one."""

    renamed: bool
    scenes_added: list[SceneName]
    scenes_removed: list[SceneName]
    scenes_changed: list[SceneName]
    order: bool
    durations: list[SceneName]
    schedules: list[SceneName]


class Publisher(ResponseModel):
    """The key that published, or the member at the desk, with the name of then; `name` is null for a key that is
    narrowed to locations."""

    key: str
    name: str | None


class VersionSummary(ResponseModel):
    """A version, without its content. `restores` is the version whose content it has again, `changes` are those from
    the version before, null for the first one. Versions of earlier releases have neither changes nor a publisher."""

    version: int
    published_at: InstantText
    published_by: Publisher | None
    restores: int | None
    changes: VersionChanges | None


class VersionResponse(VersionSummary):
    """A version: the name of its playlist, its entries and its scenes as they were."""

    name: str
    entries: list[EntryResponse]
    scenes: list[Annotated[dict[str, Any], SchemaOf(SceneDocument)]]
