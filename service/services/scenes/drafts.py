"""Digests of edited scenes and playlists, by which a draft is compared with the published version.

Each change of a scene or playlist writes its digest in the same unit of work, so that a list of playlists reads no
scene.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.schema.content.scene import DEFAULTS
from service.services.shared.lookup import batches
from service.storage.tables.menus import EntryRow, PlaylistRow, SceneRow

Part = tuple[str, int, Mapping[str, Any] | None, str]
"""An entry: the id of its scene, its seconds, its own schedule, and the digest of its scene."""


def scene_digest(scene: Mapping[str, Any]) -> str:
    """Returns the digest of a scene document. Ids of the scene and its schedules, and fields with their default, do not
    count: a field that a later release adds changes no digest."""
    told = {name: value for name, value in scene.items() if name != "id" and DEFAULTS.get(name) != value}
    told["schedules"] = [{name: value for name, value in one.items() if name != "id"} for one in scene["schedules"]]
    return _digest(told)


def playlist_digest(name: str, parts: Iterable[Part]) -> str:
    """Returns the digest of a playlist by its name and entries: equal where boards show the same."""
    return _digest([name, [list(part) for part in parts]])


def digest_drafts(session: Session, playlists: Collection[str]) -> None:
    """Writes the digests of playlists after a change of their names, entries or scenes.

    That of a playlist that was never published and has no entries is empty: there is nothing to publish.
    """
    for some in batches(list(playlists)):
        parts: dict[str, list[Part]] = {playlist: [] for playlist in some}
        entries = (
            select(EntryRow.playlist_id, EntryRow.scene_id, EntryRow.duration_seconds, EntryRow.schedule)
            .add_columns(SceneRow.digest)
            .join(SceneRow, SceneRow.id == EntryRow.scene_id)
            .where(EntryRow.playlist_id.in_(some))
            .order_by(EntryRow.position, EntryRow.number)
        )
        for playlist, scene, seconds, schedule, digest in session.execute(entries):
            parts[playlist].append((scene, seconds, schedule, digest))
        for row in session.scalars(select(PlaylistRow).where(PlaylistRow.id.in_(some))):
            there = parts[row.id]
            row.draft_digest = playlist_digest(row.name, there) if there or row.version else ""


def digest_drafts_with(session: Session, scene: str) -> None:
    """Writes the digests of the playlists that have the scene."""
    digest_drafts(
        session, session.scalars(select(EntryRow.playlist_id).where(EntryRow.scene_id == scene).distinct()).all()
    )


def _digest(document: object) -> str:
    """Returns the SHA-256 of a JSON document in hex, whatever the order of its fields."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
