"""Playlist versions: a published playlist frozen as one document, with its entries, scenes, schedules and assets.

The document also lists which items its scenes can show, so that composing a manifest reads no scenes.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

from menu.documents.converters import Reference
from menu.documents.references import named_in_document
from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError
from service.schema.fields import ASSET_PREFIX
from service.services.assets.assets import digest_in, find_assets
from service.services.publishing.differences import changes, document_digest
from service.services.scenes.scenes import scene_document, schedules_of
from service.storage.audit import name_of
from service.storage.database import Unit
from service.storage.tables.menus import EntryRow, PlaylistRow, PlaylistVersionRow, SceneRow


class AssetFacts(msgspec.Struct, frozen=True, rename="camel"):
    """Data that a player needs to fetch an asset and check it."""

    size: int
    media_type: str


class ItemSelection(msgspec.Struct, frozen=True, rename="camel"):
    """Selection of the items that the scenes of a version can show."""

    everything: bool
    categories: tuple[str, ...]
    item_ids: tuple[str, ...]
    languages: tuple[str, ...] = ()
    """The languages in which the scenes may show their items, beside that of the location."""


class PlaylistVersion(msgspec.Struct, frozen=True):
    """A published version. `playlist` and `scenes` go into manifests unchanged."""

    playlist: msgspec.Raw
    scenes: msgspec.Raw
    assets: dict[str, AssetFacts]
    """By the SHA-256 in hex."""
    item_selection: ItemSelection = msgspec.field(name="wanted")


def read_version(document: str) -> PlaylistVersion:
    """Parses a document that `snapshot` wrote."""
    return msgspec.json.decode(document, type=PlaylistVersion)


def snapshot(
    session: Session, playlist: PlaylistRow, entries: Sequence[EntryRow], *, version: int, at: datetime
) -> str:
    """Encodes the current playlist as JSON, as version `version` published at `at`."""
    scene_ids = list(dict.fromkeys(entry.scene_id for entry in entries))
    rows = {row.id: row for row in session.scalars(select(SceneRow).where(SceneRow.id.in_(scene_ids)))}
    schedules = schedules_of(session, scene_ids)
    scenes = [scene_document(rows[scene], schedules[scene]) for scene in scene_ids]
    assets = find_assets(session, playlist.workspace_id, (name for scene in scenes for name in assets_named(scene)))
    document = {
        "playlist": {
            "id": playlist.id,
            "name": playlist.name,
            "version": version,
            "publishedAt": instant_text(at),
            "entries": [_entry(entry) for entry in entries],
        },
        "scenes": scenes,
        "assets": {
            digest_in(name): AssetFacts(size=row.size, media_type=row.media_type) for name, row in assets.items()
        },
        "wanted": item_selection(scenes),
    }
    return msgspec.json.encode(document).decode()


def redated(document: str, *, version: int, at: datetime) -> str:
    """Returns a snapshot with another version and time, for a publish that had to wait for approval."""
    content = msgspec.json.decode(document)
    content["playlist"] |= {"version": version, "publishedAt": instant_text(at)}
    return msgspec.json.encode(content).decode()


def add_version(unit: Unit, playlist: PlaylistRow, document: str, *, by: str | None, restores: int | None) -> None:
    """Stores a version with its differences from the previous one, and its publisher."""
    content = msgspec.json.decode(document)
    before = stored_version(unit.session, playlist.id, playlist.version - 1)
    row = PlaylistVersionRow(
        playlist_id=playlist.id,
        version=playlist.version,
        published_at=unit.now,
        document=document,
        published_by=by,
        publisher_name=None if by is None else name_of(unit.session, by),
        restores=restores,
        changes=None if before is None else changes(msgspec.json.decode(before.document), content).document(),
    )
    unit.session.add(row)
    playlist.published_digest = document_digest(content)


def ensure_assets(session: Session, playlist: PlaylistRow, document: str) -> None:
    """Raises the 409 problem if an asset of a frozen playlist is no longer in the workspace."""
    named = [f"{ASSET_PREFIX}{digest}" for digest in read_version(document).assets]
    there = find_assets(session, playlist.workspace_id, named)
    faults = tuple(Fault("asset_gone", f"The workspace has {name} no more.") for name in named if name not in there)
    if faults:
        detail = "Its scenes show images or films that were deleted. Upload them again, or publish without them."
        raise ProblemError(409, "asset_gone", "An image or film of the version is gone", detail, faults)


def stored_version(session: Session, playlist: str, version: int) -> PlaylistVersionRow | None:
    """Returns a version; None if it is no longer stored."""
    return session.get(PlaylistVersionRow, (playlist, version))


def _entry(entry: EntryRow) -> dict[str, Any]:
    return {
        "id": entry.id,
        "sceneId": entry.scene_id,
        "durationSeconds": entry.duration_seconds,
        "schedule": entry.schedule,
    }


def assets_named(scene: dict[str, Any]) -> Iterable[str]:
    return (one.id for one in named_in_document(scene) if one.kind is not Reference.ITEM)


def item_selection(scenes: Iterable[dict[str, Any]]) -> ItemSelection:
    """Returns the items that the scenes can show, and their languages."""
    everything = False
    widgets = []
    items: dict[str, None] = {}
    languages: dict[str, None] = {}
    for scene in scenes:
        widgets += scene["widgets"]
        items.update((one.id, None) for one in named_in_document(scene) if one.kind is Reference.ITEM)
        for holder in (scene, *scene["widgets"]):
            languages.update(dict.fromkeys(holder.get("languages") or ()))
    categories: dict[str, None] = {}
    for widget in widgets:
        if widget["type"] in ("menu", "grid"):
            categories.update(dict.fromkeys(widget.get("categories") or ()))
            everything = everything or not (widget.get("categories") or widget.get("itemIds"))
    return ItemSelection(
        everything=everything,
        categories=tuple(categories),
        item_ids=tuple(items),
        languages=tuple(languages),
    )
