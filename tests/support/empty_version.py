"""Publishes a playlist without scenes, as services before 0.5.0 did: players may still meet such versions."""

from pathlib import Path

from sqlalchemy import select

from service.core.clock import SystemClock
from service.services.publishing.versions import snapshot
from service.services.registry import Services
from service.settings import Settings
from service.storage.tables.menus import PlaylistRow, PlaylistVersionRow


def publish_empty(data: Path, playlist: str) -> None:
    """The next version of the playlist has no scene. A running service tells of it with its next change."""
    services = Services(Settings(data=data), clock=SystemClock())
    with services.database.write() as unit:
        row = unit.session.scalars(select(PlaylistRow).where(PlaylistRow.id == playlist)).one()
        row.version += 1
        row.published_at = row.changed_at = unit.now
        document = snapshot(unit.session, row, [], version=row.version, at=unit.now)
        unit.session.add(
            PlaylistVersionRow(playlist_id=row.id, version=row.version, published_at=unit.now, document=document)
        )
    services.database.close()
