"""Compares published playlists: a digest of their content, and the differences between two of them. Reads no database.

A document is what `versions.snapshot` writes, decoded.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from service.schema.publishing.version import SceneChangeKind, SceneName, VersionChanges
from service.services.scenes.drafts import playlist_digest, scene_digest

Document = Mapping[str, Any]
NOTHING: Document = {"playlist": {"name": "", "entries": []}, "scenes": []}
"""A playlist that was never published."""


def document_digest(document: Document) -> str:
    digests = {scene["id"]: scene_digest(scene) for scene in document["scenes"]}
    entries = document["playlist"]["entries"]
    parts = ((one["sceneId"], one["durationSeconds"], one["schedule"], digests[one["sceneId"]]) for one in entries)
    return playlist_digest(document["playlist"]["name"], parts)


@dataclass(frozen=True, slots=True)
class SceneChange:
    id: str
    name: str
    change: SceneChangeKind


def scene_changes(before: Document, after: Document) -> Iterator[SceneChange]:
    """Yields each scene of the newer version in its order, then the removed ones."""
    old, new = _scenes(before), _scenes(after)
    for name, scene in new.items():
        change: SceneChangeKind = "added"
        if name in old:
            change = "same" if _look(old[name]) == _look(scene) else "changed"
        yield SceneChange(name, scene["name"], change)
    for name, scene in old.items():
        if name not in new:
            yield SceneChange(name, scene["name"], "removed")


def changes(before: Document, after: Document) -> VersionChanges:
    scenes = list(scene_changes(before, after))
    both = [one for one in scenes if one.change in ("changed", "same")]
    old, new = _scenes(before), _scenes(after)
    old_entries, new_entries = _entries(before), _entries(after)

    def named(chosen: Iterable[SceneChange]) -> list[SceneName]:
        return [SceneName(id=one.id, name=one.name) for one in chosen]

    def differing(field: str) -> list[SceneChange]:
        return [
            one
            for one in both
            if [entry[field] for entry in old_entries if entry["sceneId"] == one.id]
            != [entry[field] for entry in new_entries if entry["sceneId"] == one.id]
        ]

    moved = {one.id for one in differing("schedule")}
    return VersionChanges(
        renamed=before["playlist"]["name"] != after["playlist"]["name"],
        scenes_added=named(one for one in scenes if one.change == "added"),
        scenes_removed=named(one for one in scenes if one.change == "removed"),
        scenes_changed=named(one for one in scenes if one.change == "changed"),
        order=_order(old_entries, new) != _order(new_entries, old),
        durations=named(differing("durationSeconds")),
        schedules=named(one for one in both if one.id in moved or _schedules(old[one.id]) != _schedules(new[one.id])),
    )


def _scenes(document: Document) -> dict[str, Document]:
    return {scene["id"]: scene for scene in document["scenes"]}


def _entries(document: Document) -> list[Document]:
    entries: list[Document] = document["playlist"]["entries"]
    return entries


def _look(scene: Document) -> str:
    return scene_digest({**scene, "schedules": []})


def _schedules(scene: Document) -> list[Document]:
    return [{name: value for name, value in one.items() if name != "id"} for one in scene["schedules"]]


def _order(entries: Iterable[Document], among: Mapping[str, Document]) -> list[str]:
    """Returns the scenes in the order of their first entries, without those that the other version lacks."""
    return list(dict.fromkeys(entry["sceneId"] for entry in entries if entry["sceneId"] in among))
