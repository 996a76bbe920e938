"""Creates, lists and withdraws overrides: a scene or playlist, frozen in its current state, that replaces all else
until a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from menu.documents.manifest_reader import MAX_OVERRIDES
from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid, narrowed, not_found
from service.core.ids import NewId
from service.schema.lists import Listing
from service.schema.publishing.override import MAX_OVERRIDE_DAYS, OverrideCreate, OverrideResponse, OverrideTarget
from service.services.access.access import Access
from service.services.content.groups import visible_group
from service.services.content.place import places_of
from service.services.publishing.live_overrides import announce, live_overrides, size_of
from service.services.publishing.playlists import entries_of, playlist_empty
from service.services.publishing.versions import snapshot
from service.services.scenes.pages import PAGE_SECONDS, pages_of
from service.services.scenes.scenes import scene_document
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import find, find_many, get, read_page, unknown
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.base import Json
from service.storage.tables.menus import EntryRow, PlaylistRow, SceneRow
from service.storage.tables.overrides import OverrideRow
from service.storage.tables.screens import ScreenRow
from service.storage.tables.workspaces import LocationRow

MAX_OVERRIDE_BYTES = 512 * 1024
KEPT_AFTER_END = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class PlannedTimes:
    """A planned change, and the local times between which its override shows."""

    plan: str
    start: str
    end: str


class OverrideService:
    def __init__(self, *, database: Database, cursors: Cursors, new_id: NewId) -> None:
        self._database = database
        self._cursors = cursors
        self._new_id = new_id

    def list(self, access: Access, request: PageRequest) -> Listing[OverrideResponse]:
        """Returns one page of the overrides that the key may see."""
        with self._database.read() as session:
            shown = _shown_to(session, access, now=self._database.now())
            page = read_page(
                session,
                self._cursors,
                OverrideRow,
                access.workspace,
                request,
                keep=None if access.locations is None else lambda row: _owns(access, row) or row.id in shown,
            )
            return listing(page, lambda row: self._view(row, shown.get(row.id)))

    def get(self, access: Access, override: str) -> OverrideResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            row = get(session, OverrideRow, access.workspace, override, kind="override")
            shown = _shown_to(session, access, now=self._database.now())
            if not _owns(access, row) and row.id not in shown:
                raise not_found("override", override)
            return self._view(row, shown.get(row.id))

    def create(self, access: Access, body: OverrideCreate) -> OverrideResponse:
        """Creates an override. Raises the 422 problem for unknown names or times too far ahead, 404 for a location or
        group that the key does not see, and 409 if there are too many, or it is too large."""
        with self._database.write() as unit:
            latest = unit.now + timedelta(days=MAX_OVERRIDE_DAYS)
            if faults := list(self.faults(unit, access, body, latest=latest)):
                raise invalid(faults)
            return self._view(self.add(unit, access, body))

    def add(self, unit: Unit, access: Access, body: OverrideCreate, planned: PlannedTimes | None = None) -> OverrideRow:
        """Adds a valid override in the caller's transaction. Raises the 409 problem."""
        if len(live_overrides(unit.session, access.workspace, now=unit.now)) >= MAX_OVERRIDES:
            detail = f"A workspace has at most {MAX_OVERRIDES} that have not ended. Withdraw those not needed."
            raise ProblemError(409, "too_many_overrides", "Too many overrides", detail)
        identifier = self._new_id("ovr")
        starts_at = max(body.starts_at or unit.now, unit.now)
        name, document = _frozen(unit, access.workspace, body, identifier=identifier, at=starts_at)
        if (size := size_of(document)) > MAX_OVERRIDE_BYTES:
            detail = f"Its scenes take {size} bytes; an override has at most {MAX_OVERRIDE_BYTES}."
            raise ProblemError(409, "override_too_large", "The override is too large", detail)
        location = body.target.location
        narrowed = None if access.locations is None else sorted(access.locations)
        row = OverrideRow(
            id=identifier,
            workspace_id=access.workspace,
            target=body.target.model_dump(by_alias=True, exclude_none=True),
            locations=narrowed if location is None else [location],
            scene=body.scene,
            playlist=body.playlist,
            name=name,
            reason=body.reason,
            starts_at=starts_at,
            until=body.until,
            document=document,
            plan_id=None if planned is None else planned.plan,
            local_start=None if planned is None else planned.start,
            local_end=None if planned is None else planned.end,
            created_by=access.key,
            created_at=unit.now,
        )
        unit.session.add(row)
        unit.session.flush()
        announce(unit, row)
        return row

    def withdraw(self, access: Access, override: str, expected: Condition = ALWAYS) -> None:
        """Ends an override at once. Raises the 404 and 412 problems, and 403 for one that also has other locations."""
        with self._database.write() as unit:
            row = get(unit.session, OverrideRow, access.workspace, override, kind="override")
            if not _owns(access, row):
                if row.id in _shown_to(unit.session, access, now=unit.now):
                    raise narrowed("withdraw an override of other locations")
                raise not_found("override", override)
            expected.check(self._view(row))
            if row.until > unit.now:
                announce(unit, row)
                # Nothing newer stands in the manifests that lose it.
                unit.left.add(access.workspace)
            unit.session.delete(row)

    def prune(self) -> None:
        with self._database.write() as unit:
            ended: ColumnElement[bool] = OverrideRow.until <= unit.now - KEPT_AFTER_END
            for row in unit.session.scalars(select(OverrideRow).where(ended)):
                unit.session.delete(row)

    def faults(
        self, unit: Unit, access: Access, body: OverrideCreate, *, latest: datetime, pointer: str = ""
    ) -> Iterator[Fault]:
        """Yields the faults of an override that ends at `latest` at the latest. Raises the 404 problem for a location
        or group that the key does not see."""
        yield from _unknown_targets(unit.session, access, body.target, pointer)
        if body.until <= unit.now:
            yield Fault("not_in_the_future", "This instant lies in the past.", f"{pointer}/until")
        elif body.until > latest:
            detail = f"An override ends at most {MAX_OVERRIDE_DAYS} days from now, or from its start if it is planned."
            yield Fault("out_of_range", detail, f"{pointer}/until")
        if body.scene is not None and find(unit.session, SceneRow, access.workspace, body.scene) is None:
            yield unknown("scene", body.scene, f"{pointer}/scene")
        if body.playlist is not None and find(unit.session, PlaylistRow, access.workspace, body.playlist) is None:
            yield unknown("playlist", body.playlist, f"{pointer}/playlist")

    def _view(self, row: OverrideRow, target: Json | None = None) -> OverrideResponse:
        now = self._database.now()
        return OverrideResponse(
            id=row.id,
            target=target or row.target,
            scene=row.scene,
            playlist=row.playlist,
            name=row.name,
            reason=row.reason,
            starts_at=instant_text(row.starts_at),
            until=instant_text(row.until),
            status="ended" if row.until <= now else "waiting" if row.starts_at > now else "running",
            planned_change=row.plan_id,
            created_by=row.created_by,
            created_at=instant_text(row.created_at),
        )


def _owns(access: Access, row: OverrideRow) -> bool:
    """Returns whether the key may see and withdraw the override: one without screens outside its locations."""
    return access.locations is None or (row.locations is not None and access.locations.issuperset(row.locations))


def _shown_to(session: Session, access: Access, *, now: datetime) -> dict[str, Json]:
    """Returns the overrides of others that screens of a restricted key show or will show, with the part of their
    targets that it may read: its own screens and their tags."""
    if access.locations is None:
        return {}
    rows = live_overrides(session, access.workspace, now=now)
    here = sorted(access.locations) if rows else []
    groups = places_of(session, here)
    screens = session.execute(
        select(ScreenRow.id, ScreenRow.tags, ScreenRow.location_id).where(
            ScreenRow.workspace_id == access.workspace, ScreenRow.location_id.in_(here)
        )
    ).all()
    found: dict[str, Json] = {}
    for row in rows:
        places = {place for place in here if row.locations is None or place in row.locations}
        if (group := row.target.get("group")) is not None:
            places = {place for place in places if group in groups[place]}
        named = {screen: frozenset(tags) for screen, tags, place in screens if place in places}
        tags = frozenset[str]().union(*named.values())
        mine = {
            "screens": [screen for screen in row.target.get("screens", ()) if screen in named],
            "tags": [tag for tag in row.target.get("tags", ()) if tag in tags],
        }
        target = {kind: mine.get(kind, value) for kind, value in row.target.items()}
        if places and all(target.values()):
            found[row.id] = target
    return found


def _unknown_targets(session: Session, access: Access, target: OverrideTarget, pointer: str) -> "list[Fault]":
    faults: list[Fault] = []
    if target.location is not None:
        access.reach(target.location)
        if find(session, LocationRow, access.workspace, target.location) is None:
            faults.append(unknown("location", target.location, f"{pointer}/target/location"))
    if target.group is not None:
        visible_group(session, access, target.group)
    if target.screens is not None:
        rows = find_many(session, ScreenRow, access.workspace, target.screens)
        faults += [
            unknown("screen", screen, f"{pointer}/target/screens/{position}")
            for position, screen in enumerate(target.screens)
            if screen not in rows or not access.sees(rows[screen].location_id)
        ]
    return faults


def _frozen(unit: Unit, workspace: str, body: OverrideCreate, *, identifier: str, at: datetime) -> tuple[str, str]:
    """Returns the name and the snapshot of the scene, at all hours, or of the playlist as a publish would freeze it."""
    session = unit.session
    if body.playlist is not None:
        playlist = get(session, PlaylistRow, workspace, body.playlist, kind="playlist")
        entries = entries_of(session, playlist.id)
        if not entries:
            raise playlist_empty()
        return playlist.name, snapshot(session, playlist, entries, version=playlist.version, at=at)
    scene = get(session, SceneRow, workspace, body.scene or "", kind="scene")
    name = scene.document["name"]
    pages = pages_of(session, workspace, scene_document(scene, ()), now=unit.now)
    entry = EntryRow(id=f"{identifier}_scene", scene_id=scene.id, duration_seconds=pages * PAGE_SECONDS, schedule=None)
    alone = PlaylistRow(id=identifier, workspace_id=workspace, name=name)
    content = msgspec.json.decode(snapshot(session, alone, [entry], version=0, at=at))
    content["scenes"] = [one | {"schedules": []} for one in content["scenes"]]
    return name, msgspec.json.encode(content).decode()
