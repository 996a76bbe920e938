"""Composes the contents of manifests: the published snapshot, the location and the live items, and the items of other
versions, for boards that still play one of those (docs/adr/0088).

The contents of several boards of a workspace are composed in one pass: it reads each row once, and encodes each item,
and each part that boards have in common, once, and again only for places at which items differ.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from service.core.errors import ProblemError
from service.schema.devices.device import PlayerSettings
from service.services.content.place import places_of
from service.services.places.locations import second_currency_of
from service.services.publishing.board_menu import Menu, Section, fields_of
from service.services.publishing.epochs import epoch_of
from service.services.publishing.live_overrides import ToldOverride, overrides_of
from service.services.publishing.menu_items import Selected, bare_language
from service.services.publishing.versions import ItemSelection, PlaylistVersion, read_version
from service.services.shared.lookup import find_many
from service.storage.tables.menus import PlaylistRow, PlaylistVersionRow, RevisionRow
from service.storage.tables.workspaces import LocationRow, WorkspaceRow

MAX_MANIFEST_BYTES = 4 * 1024 * 1024

WAIT_SECONDS = 10
POLL_SECONDS = 20
HEARTBEAT_SECONDS = 30
PLAYER_SETTINGS = PlayerSettings(
    wait_seconds=WAIT_SECONDS, poll_seconds=POLL_SECONDS, heartbeat_seconds=HEARTBEAT_SECONDS
)

_LOCATION_ALLOWANCE = 4096
"""Bytes reserved, when a playlist is published, for what depends on the location."""

_HEAD_ALLOWANCE = 1024
"""Bytes reserved for the revision."""

MAX_SELECTIONS = 20_000
"""Versions whose selection of items is remembered: they never change, and reading one means reading its scenes."""


@dataclass(frozen=True, slots=True)
class ManifestKey:
    """A playlist at a location; screens with the same key share a manifest."""

    workspace: str
    playlist: str | None
    location: str


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources of a manifest: a change of anything else does not affect it."""

    shown: frozenset[str]
    """The items of its playlist."""
    others: frozenset[str]
    """The items that only other versions show."""
    of_playlist: Selected
    of_others: Selected
    playlists: frozenset[str]
    """The playlists whose versions it names."""
    groups: frozenset[str]
    """The groups of its location."""


@dataclass(frozen=True, slots=True)
class Content:
    """A manifest without its head. `fields` is JSON without the braces around it."""

    epoch: str
    fields: bytes
    digest: str
    newest: datetime
    """The newest change of anything in the manifest."""
    catalogue_changed_at: datetime
    sources: Sources


class Selections:
    """Caches the items that stored versions select. A version never changes, and one that has the same number after a
    restore has another time."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int, datetime], ItemSelection] = {}

    def of(self, session: Session, playlist: str, version: int, published_at: datetime) -> ItemSelection:
        """Returns the selection of a version, read from its document once."""
        name = (playlist, version, published_at)
        known = self._known.get(name)
        if known is None:
            known = _version(session, playlist, version).item_selection
            if len(self._known) >= MAX_SELECTIONS:
                self._known.clear()
            self._known[name] = known
        return known


def compose_contents(
    session: Session, keys: Sequence[ManifestKey], selections: Selections, *, now: datetime
) -> dict[ManifestKey, Content]:
    """Composes the contents of these manifests of one workspace, without those whose location is gone."""
    workspace = session.get(WorkspaceRow, keys[0].workspace)
    if workspace is None:
        return {}
    boards = _Boards(session, workspace, keys, selections, now=now)
    return {key: boards.content(key) for key in keys if key.location in boards.locations}


def ensure_publishable(session: Session, playlist: PlaylistRow, document: str, *, now: datetime) -> None:
    """Raises the 409 problem when a manifest with this snapshot would be larger than players accept."""
    # It may be played at any location.
    locales = session.scalars(
        select(LocationRow.locale).where(LocationRow.workspace_id == playlist.workspace_id).distinct()
    ).all()
    version = read_version(document)
    menu = Menu(session, playlist.workspace_id, [version.item_selection], now=now)
    languages = _languages(locales, version.item_selection)
    size = len(menu.playlist(_published(version), [version], languages).fields) + 2 + _LOCATION_ALLOWANCE
    if size > MAX_MANIFEST_BYTES:
        raise ProblemError(
            409,
            "playlist_too_large",
            "The playlist is too large to publish",
            f"With its scenes and items it takes {size} bytes; players accept {MAX_MANIFEST_BYTES}.",
        )


class _Boards:
    """Boards whose manifests are composed in one pass."""

    def __init__(
        self,
        session: Session,
        workspace: WorkspaceRow,
        keys: Sequence[ManifestKey],
        selections: Selections,
        *,
        now: datetime,
    ) -> None:
        self._catalogue_changed_at = workspace.catalogue_changed_at
        self._epoch = epoch_of(session)
        self.locations = find_many(session, LocationRow, workspace.id, (key.location for key in keys))
        self._places = places_of(session, self.locations)
        played = {key.playlist for key in keys if key.playlist is not None}
        self._playlists = find_many(session, PlaylistRow, workspace.id, played)
        self._told = {location: set[str]() for location in self.locations}
        """By location, the playlists that have had a manifest there."""
        at_locations = RevisionRow.location_id.in_(self.locations)
        for location, name in session.execute(
            select(RevisionRow.location_id, RevisionRow.playlist_id).where(at_locations)
        ):
            self._told[location].add(name)
        playlist, version = PlaylistVersionRow.playlist_id, PlaylistVersionRow.version
        had = select(RevisionRow.playlist_id).where(at_locations)
        stored = session.execute(
            select(playlist, version, PlaylistVersionRow.published_at)
            .where(or_(playlist.in_(played), playlist.in_(had)))
            .order_by(playlist, version)
        ).all()
        self._selections = {(name, number): selections.of(session, name, number, at) for name, number, at in stored}
        """By playlist and version, in the order in which manifests name them."""
        latest = {name: (number, at) for name, number, at in stored if name in played}
        self._latest = {name: (_version(session, name, number), number, at) for name, (number, at) in latest.items()}
        boards = ((key.playlist, key.location) for key in keys if key.location in self.locations)
        zones = {location.id: location.timezone for location in self.locations.values()}
        self._overrides = overrides_of(session, workspace.id, boards, places=self._places, zones=zones, now=now)
        overriding = {one.id: one.version.item_selection for told in self._overrides.values() for one in told}
        self._menu = Menu(
            session,
            workspace.id,
            [*self._selections.values(), *overriding.values()],
            places=self._places,
            now=now,
        )
        self._sections: dict[tuple[object, ...], Section] = {}

    def content(self, key: ManifestKey) -> Content:
        """Returns the content for one board. If it is too large, omits first the items of other versions, which then
        stay as they were, then the texts in other languages, then the values."""
        location = self.locations[key.location]
        _, _, published_at = self._latest.get(key.playlist or "", (None, 0, None))
        overrides = self._overrides.get((key.playlist, key.location), ())
        playlist, others, told, fields = self._fitting(key, location, overrides)
        while overrides and _too_long(fields):
            # Those that started first, which the others displace.
            overrides = overrides[1:]
            playlist, others, told, fields = self._fitting(key, location, overrides)
        published = [] if published_at is None else [published_at]
        published += [one.changed_at for one in overrides]
        return Content(
            epoch=self._epoch,
            fields=fields,
            digest=hashlib.sha256(b"{%b}" % fields).hexdigest(),
            newest=max([location.changed_at, *published, *playlist.changes, *others.changes]),
            catalogue_changed_at=self._catalogue_changed_at,
            sources=Sources(
                shown=playlist.items,
                others=others.items,
                of_playlist=playlist.selected,
                of_others=others.selected,
                playlists=told,
                groups=frozenset(self._places[key.location][1:]),
            ),
        )

    def _fitting(
        self, key: ManifestKey, location: LocationRow, overrides: Sequence[ToldOverride]
    ) -> tuple[Section, Section, frozenset[str], bytes]:
        """Returns the sections of a board with these overrides, as far as they fit."""
        playlist = self._playlist(key, location.locale, overrides)
        others, told = self._others(key, playlist, location.locale, overrides)
        place = fields_of({"location": _place(location)})
        values = {"values": location.live_values} if location.live_values else {}
        settings: dict[str, Any] = {"settings": PLAYER_SETTINGS.document()}
        if overrides:
            settings["overrides"] = [one.document for one in overrides]
        if planned := self._menu.planned(key.location, playlist, others):
            settings["planned"] = planned
        ends = fields_of(values | settings)
        fields = b",".join((place, playlist.fields, ends, others.fields))
        if _too_long(fields):
            fields = b",".join((place, playlist.fields, ends))
        if _too_long(fields):
            bare = self._playlist(key, location.locale, overrides, translated=False)
            fields = b",".join((place, bare.fields, ends))
            if _too_long(fields):
                fields = b",".join((place, bare.fields, fields_of(settings)))
            if _too_long(fields):
                settings.pop("planned", None)
                fields = b",".join((place, bare.fields, fields_of(settings)))
        return playlist, others, told, fields

    def _playlist(
        self, key: ManifestKey, locale: str, overrides: Sequence[ToldOverride], *, translated: bool = True
    ) -> Section:
        there = self._menu.there(key.location)
        name = ("playlist", key.playlist, bare_language(locale), there, translated, *(one.id for one in overrides))
        if name not in self._sections:
            version, _, _ = self._latest.get(key.playlist or "", (None, 0, None))
            playlist = self._playlists.get(key.playlist or "")
            versions = [*([] if version is None else [version]), *(one.version for one in overrides)]
            languages = _languages([locale], *(one.item_selection for one in versions))
            head = _published(version) if version is not None else _nothing_published(playlist)
            section = Section(fields_of({**head, "items": [], "assets": {}}), Selected.by(()))
            if versions:
                section = self._menu.playlist(head, versions, languages, there, translated=translated)
            if version is None and playlist is not None:
                section = replace(section, changes=(*section.changes, playlist.changed_at))
            self._sections[name] = section
        return self._sections[name]

    def _others(
        self, key: ManifestKey, playlist: Section, locale: str, overrides: Sequence[ToldOverride]
    ) -> tuple[Section, frozenset[str]]:
        """Returns the items of other versions only: those of this playlist, and of each that screens here have had."""
        told = frozenset(self._told[key.location] | ({key.playlist} if key.playlist else set()))
        there = self._menu.there(key.location)
        name = ("others", key.playlist, bare_language(locale), told, there, *(one.id for one in overrides))
        if name not in self._sections:
            _, latest, _ = self._latest.get(key.playlist or "", (None, 0, None))
            versions: dict[str, list[int]] = {}
            selections: list[ItemSelection] = []
            for (one, number), selection in self._selections.items():
                if one in told and (one, number) != (key.playlist, latest):
                    versions.setdefault(one, []).append(number)
                    selections.append(selection)
            if selections and key.playlist in self._latest:
                selections.append(self._selections[key.playlist, latest])
            self._sections[name] = self._menu.others(
                Selected.by(selections), playlist.items, versions, _languages([locale], *selections), there
            )
        return self._sections[name], told


def _version(session: Session, playlist: str, version: int) -> PlaylistVersion:
    return read_version(session.get_one(PlaylistVersionRow, (playlist, version)).document)


def _place(row: LocationRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "timezone": row.timezone,
        "currency": row.currency,
        "locale": row.locale,
        "rotation": row.rotation,
        **({"openingHours": row.opening_hours} if row.opening_hours else {}),
        **({"spans": row.spans} if row.spans else {}),
        **({"secondCurrency": second.document()} if (second := second_currency_of(row)) else {}),
    }


def _published(version: PlaylistVersion) -> dict[str, Any]:
    return {"playlist": version.playlist, "scenes": version.scenes}


def _nothing_published(playlist: PlaylistRow | None) -> dict[str, Any]:
    """Returns why there is no playlist: none is assigned, or the assigned one was never published."""
    why = {"reason": "unassigned"} if playlist is None else {"reason": "unpublished", "name": playlist.name}
    return {"playlist": None, "withoutPlaylist": why, "scenes": []}


def _languages(locales: Iterable[str], *selections: ItemSelection) -> frozenset[str]:
    """Returns the languages that a player may show, without scripts and territories: `en` for `en-GB`."""
    wanted = (language for selection in selections for language in selection.languages)
    return frozenset(bare_language(language) for language in (*locales, *wanted))


def _too_long(fields: bytes) -> bool:
    return len(fields) + 2 + _HEAD_ALLOWANCE > MAX_MANIFEST_BYTES
