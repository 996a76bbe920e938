"""Overrides in manifests: selects those of a board's screens, and encodes them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.changes import ContentChanged
from service.core.clock import instant_text
from service.core.local_time import instant_at
from service.services.content.catalogue import locations_changed
from service.services.publishing.versions import PlaylistVersion, read_version
from service.services.shared.lookup import batches
from service.storage.database import Unit
from service.storage.tables.overrides import OverrideRow
from service.storage.tables.screens import ScreenRow


@dataclass(frozen=True, slots=True)
class ToldOverride:
    """An override in a manifest, for these screens of the board; None for all of them."""

    id: str
    head: Mapping[str, str]
    version: PlaylistVersion
    changed_at: datetime
    screens: tuple[str, ...] | None

    @property
    def document(self) -> dict[str, object]:
        screens = {} if self.screens is None else {"screens": self.screens}
        # One that is planned starts at each location at another instant.
        playlist = {**msgspec.json.decode(self.version.playlist), "publishedAt": self.head["startsAt"]}
        return {**self.head, **screens, "playlist": playlist, "scenes": self.version.scenes}


@dataclass(frozen=True, slots=True)
class _Screen:
    id: str
    tags: frozenset[str]
    waiting: bool


def live_overrides(session: Session, workspace: str, *, now: datetime) -> Sequence[OverrideRow]:
    """Returns the overrides that have not ended, the one that started last at the end."""
    return session.scalars(
        select(OverrideRow)
        .where(OverrideRow.workspace_id == workspace, OverrideRow.until > now)
        .order_by(OverrideRow.starts_at, OverrideRow.number)
    ).all()


def overrides_of(
    session: Session,
    workspace: str,
    boards: Iterable[tuple[str | None, str]],
    *,
    places: Mapping[str, Sequence[str]],
    zones: Mapping[str, str],
    now: datetime,
) -> dict[tuple[str | None, str], tuple[ToldOverride, ...]]:
    """Returns the overrides that each of these boards (a playlist, or none, at a location) tells its screens. `places`
    are those of each location, `zones` their time zones."""
    rows = live_overrides(session, workspace, now=now)
    if not rows:
        return {}
    boards = list(boards)
    screens = _screens(session, workspace, sorted({location for _, location in boards}))
    versions = {row.id: read_version(row.document) for row in rows}
    told: dict[tuple[str | None, str], tuple[ToldOverride, ...]] = {}
    for playlist, location in boards:
        here = screens.get((playlist, location), [])
        times = {row.id: _times(row, zones[location]) for row in rows}
        found = [
            ToldOverride(row.id, _head(row, *times[row.id]), versions[row.id], row.created_at, meant)
            for row in sorted(rows, key=lambda row: (times[row.id][0], row.number))
            if times[row.id][1] > now
            if (row.locations is None or location in row.locations)
            if row.target.get("group") in (None, *places[location])
            for meant in (_meant(row.target, here),)
            if meant is None or meant
        ]
        told[playlist, location] = tuple(found)
    return told


def announce(unit: Unit, override: OverrideRow) -> None:
    """Triggers recomposition of the manifests of the override's screens."""
    workspace, locations = override.workspace_id, override.locations
    if (group := override.target.get("group")) is not None:
        unit.announce(ContentChanged(workspace, group=group))
        return
    if "screens" in override.target or "tags" in override.target:
        rows = unit.session.execute(
            select(ScreenRow.id, ScreenRow.tags, ScreenRow.location_id).where(ScreenRow.workspace_id == workspace)
        )
        wanted = override.target
        meant = {
            location
            for screen, tags, location in rows
            if screen in wanted.get("screens", ()) or not frozenset(tags).isdisjoint(wanted.get("tags", ()))
        }
        locations = sorted(meant if locations is None else meant & set(locations))
    locations_changed(unit, workspace, locations)


def announce_screens(unit: Unit, workspace: str, locations: Iterable[str]) -> None:
    """Handles screens at these locations that are new, or have other tags or playlists: the targets of overrides that
    name screens may have changed."""
    if live_overrides(unit.session, workspace, now=unit.now):
        for location in dict.fromkeys(locations):
            unit.announce(ContentChanged(workspace, location=location))


def _times(row: OverrideRow, zone: str) -> tuple[datetime, datetime]:
    """Returns when the override starts and ends at locations in this zone."""
    if row.local_start is None or row.local_end is None:
        return row.starts_at, row.until
    return instant_at(row.local_start, zone), instant_at(row.local_end, zone)


def _head(row: OverrideRow, starts_at: datetime, until: datetime) -> dict[str, str]:
    return {
        "id": row.id,
        "reason": row.reason,
        "startsAt": instant_text(starts_at),
        "until": instant_text(until),
    }


def _meant(target: Mapping[str, list[str]], here: Sequence[_Screen]) -> tuple[str, ...] | None:
    """Returns the targeted screens of a board; None for all. An unconfirmed screen shows nothing."""
    if "screens" not in target and "tags" not in target and not any(screen.waiting for screen in here):
        return None
    named, tags = target.get("screens"), target.get("tags")
    return tuple(
        screen.id
        for screen in here
        if not screen.waiting
        and (named is None or screen.id in named)
        and (tags is None or not screen.tags.isdisjoint(tags))
    )


def _screens(session: Session, workspace: str, locations: Sequence[str]) -> dict[tuple[str | None, str], list[_Screen]]:
    """Returns the screens at these locations by board."""
    found: dict[tuple[str | None, str], list[_Screen]] = {}
    columns = select(ScreenRow.id, ScreenRow.tags, ScreenRow.waiting, ScreenRow.playlist_id, ScreenRow.location_id)
    for some in batches(locations):
        rows = session.execute(
            columns.where(ScreenRow.workspace_id == workspace, ScreenRow.location_id.in_(some)).order_by(
                ScreenRow.number
            )
        )
        for screen, tags, waiting, playlist, location in rows:
            board = (None if waiting else playlist, location)
            found.setdefault(board, []).append(_Screen(screen, frozenset(tags), waiting))
    return found


def size_of(document: str) -> int:
    """Returns the bytes of an override of this snapshot in a manifest, without its head."""
    version = read_version(document)
    return len(msgspec.json.encode({"playlist": version.playlist, "scenes": version.scenes}))
