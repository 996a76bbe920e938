"""Scenes and their schedules."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from menu.documents.converters import Reference
from menu.documents.references import named_in_document
from menu.documents.scene import MAX_TOGETHER, MIN_CANVAS
from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, in_use, invalid
from service.core.ids import NewId
from service.schema.content.scene import (
    DEFAULTS,
    SceneCreate,
    ScenePatch,
    SceneResponse,
    across_frames,
    languages_beyond,
    outside_canvas,
    panel_width,
)
from service.schema.lists import Listing
from service.schema.publishing.schedule import (
    DaypartCreate,
    SchedulePatch,
    ScheduleResponse,
    WindowCreate,
    changed_schedule,
    schedule_document,
)
from service.services.assets.assets import find_assets
from service.services.scenes.drafts import digest_drafts_with, scene_digest
from service.services.scenes.font_warnings import font_warnings
from service.services.scenes.pages import PAGE_SECONDS, pages_of
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import find_many, get, page_of, read_page, unknown, wrong_asset
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import EntryRow, ItemRow, SceneRow, ScheduleRow

_GEOMETRY_FIELDS = frozenset({"width", "height", "span", "widgets"})
"""Fields that decide whether a widget lies on the canvas, and its text on one panel."""
MAX_SCHEDULES = 100
"""Schedules of one scene."""


class SceneService:
    def __init__(self, *, database: Database, cursors: Cursors, new_id: NewId) -> None:
        self._database = database
        self._cursors = cursors
        self._new_id = new_id

    def list(self, workspace: str, request: PageRequest) -> Listing[SceneResponse]:
        with self._database.read() as session:
            page = read_page(session, self._cursors, SceneRow, workspace, request)
            schedules = schedules_of(session, (row.id for row in page.rows))
            return listing(page, lambda row: _view(row, schedules[row.id]))

    def get(self, workspace: str, scene: str) -> SceneResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            row = get(session, SceneRow, workspace, scene, kind="scene")
            return self._read(session, row, schedules_of(session, [row.id])[row.id])

    def create(self, workspace: str, body: SceneCreate) -> SceneResponse:
        """Raises the 422 problem for unknown assets and items."""
        with self._database.write() as unit:
            return self.view(unit, self.add(unit, workspace, body))

    def view(self, unit: Unit, row: SceneRow) -> SceneResponse:
        """Returns a new scene, which has no schedules yet, as the API shows it."""
        return self._read(unit.session, row, [])

    def add(self, unit: Unit, workspace: str, body: SceneCreate) -> SceneRow:
        """Adds a scene in the caller's transaction."""
        _check(unit.session, workspace, body.document())
        document = {**DEFAULTS, **body.document()}
        _check_geometry(document)
        _check_languages(document)
        row = SceneRow(
            id=self._new_id("scn"),
            workspace_id=workspace,
            document=body.document(),
            created_at=unit.now,
            changed_at=unit.now,
        )
        row.digest = scene_digest(scene_document(row, ()))
        unit.session.add(row)
        unit.session.flush()
        return row

    def change(
        self, workspace: str, scene: str, body: ScenePatch, expected: Condition = ALWAYS, *, by: str | None = None
    ) -> SceneResponse:
        """Replaces top-level fields; screens follow at the next publish. Raises the 404, 412 and 422 problems."""
        with self._database.write() as unit:
            row = get(unit.session, SceneRow, workspace, scene, kind="scene")
            schedules = schedules_of(unit.session, [row.id])[row.id]
            expected.check(_view(row, schedules))
            row.document = _changed(unit.session, row, body)
            _digest(unit.session, row, schedules)
            row.changed_at = unit.now
            row.changed_by = by
            return self._read(unit.session, row, schedules)

    def remove(self, workspace: str, scene: str, expected: Condition = ALWAYS) -> None:
        """Removes a scene and its schedules. Raises the 404 and 412 problems, and 409 while a playlist has it."""
        with self._database.write() as unit:
            row = get(unit.session, SceneRow, workspace, scene, kind="scene")
            expected.check(_view(row, schedules_of(unit.session, [row.id])[row.id]))
            if unit.session.scalar(select(exists().where(EntryRow.scene_id == row.id))):
                raise in_use("scene", "the playlists that hold it")
            unit.session.delete(row)

    def attach(self, workspace: str, scene: str, body: DaypartCreate | WindowCreate) -> ScheduleResponse:
        """Attaches a schedule. Raises the 404 problem, and 409 when the scene has too many."""
        with self._database.write() as unit:
            row = get(unit.session, SceneRow, workspace, scene, kind="scene")
            return _schedule_view(self.add_schedule(unit, row, body))

    def add_schedule(self, unit: Unit, scene: SceneRow, body: DaypartCreate | WindowCreate) -> ScheduleRow:
        """Adds a schedule to a scene in the caller's transaction."""
        held_by_scene = select(func.count()).select_from(ScheduleRow).where(ScheduleRow.scene_id == scene.id)
        if (unit.session.scalar(held_by_scene) or 0) >= MAX_SCHEDULES:
            raise ProblemError(
                409,
                "too_many_schedules",
                "The scene has too many schedules",
                f"A scene has at most {MAX_SCHEDULES} schedules.",
            )
        row = ScheduleRow(
            id=self._new_id("sch"),
            workspace_id=scene.workspace_id,
            scene_id=scene.id,
            document=schedule_document(body),
            created_at=unit.now,
        )
        unit.session.add(row)
        unit.session.flush()
        _digest(unit.session, scene, schedules_of(unit.session, [scene.id])[scene.id])
        return row

    def schedules(self, workspace: str, scene: str, request: PageRequest) -> Listing[ScheduleResponse]:
        """Raises the 404 problem."""
        with self._database.read() as session:
            row = get(session, SceneRow, workspace, scene, kind="scene")
            attached = select(ScheduleRow).where(ScheduleRow.scene_id == row.id)
            page = page_of(session, self._cursors, attached, ScheduleRow.number, f"schedules:{row.id}", request)
            return listing(page, _schedule_view)

    def schedule(self, workspace: str, schedule: str) -> ScheduleResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            return _schedule_view(get(session, ScheduleRow, workspace, schedule, kind="schedule"))

    def reschedule(
        self, workspace: str, schedule: str, body: SchedulePatch, expected: Condition = ALWAYS
    ) -> ScheduleResponse:
        """Changes some fields of a schedule. Raises the 404, 412 and 422 problems."""
        with self._database.write() as unit:
            row = get(unit.session, ScheduleRow, workspace, schedule, kind="schedule")
            expected.check(_schedule_view(row))
            row.document = changed_schedule(row.document, body)
            unit.session.flush()
            scene = get(unit.session, SceneRow, workspace, row.scene_id, kind="scene")
            _digest(unit.session, scene, schedules_of(unit.session, [scene.id])[scene.id])
            return _schedule_view(row)

    def replace(self, workspace: str, schedule: str, body: DaypartCreate | WindowCreate) -> ScheduleResponse:
        """Replaces a schedule in one transaction: without any the scene shows at all hours. Raises the 404 problem."""
        with self._database.write() as unit:
            row = get(unit.session, ScheduleRow, workspace, schedule, kind="schedule")
            scene = get(unit.session, SceneRow, workspace, row.scene_id, kind="scene")
            unit.session.delete(row)
            unit.session.flush()
            return _schedule_view(self.add_schedule(unit, scene, body))

    def detach(self, workspace: str, schedule: str, expected: Condition = ALWAYS) -> None:
        """Removes a schedule. Raises the 404 and 412 problems."""
        with self._database.write() as unit:
            row = get(unit.session, ScheduleRow, workspace, schedule, kind="schedule")
            expected.check(_schedule_view(row))
            scene = get(unit.session, SceneRow, workspace, row.scene_id, kind="scene")
            unit.session.delete(row)
            unit.session.flush()
            _digest(unit.session, scene, schedules_of(unit.session, [scene.id])[scene.id])

    def _read(self, session: Session, row: SceneRow, schedules: Iterable[ScheduleRow]) -> SceneResponse:
        """Returns a scene with its pages and warnings."""
        document = scene_document(row, ())
        pages = pages_of(session, row.workspace_id, document, now=self._database.now())
        warnings = font_warnings(session, row.workspace_id, document)
        told = {"pages": pages, "seconds": pages * PAGE_SECONDS, "warnings": warnings}
        return _view(row, schedules).model_copy(update=told)


def schedules_of(session: Session, scenes: Iterable[str]) -> defaultdict[str, list[ScheduleRow]]:
    """Returns the schedules of each scene, in the order in which they were attached."""
    found: defaultdict[str, list[ScheduleRow]] = defaultdict(list)
    query = select(ScheduleRow).where(ScheduleRow.scene_id.in_(list(scenes))).order_by(ScheduleRow.number)
    for row in session.scalars(query):
        found[row.scene_id].append(row)
    return found


def changed_scene(session: Session, workspace: str, scene: str, body: ScenePatch) -> dict[str, Any]:
    """Returns the scene with the change applied; stores nothing. Raises the 404 and 422 problems."""
    row = get(session, SceneRow, workspace, scene, kind="scene")
    return {**scene_document(row, ()), **_changed(session, row, body)}


def _changed(session: Session, row: SceneRow, body: ScenePatch) -> dict[str, Any]:
    _check(session, row.workspace_id, body.document())
    changed = {**row.document, **body.document()}
    if not _GEOMETRY_FIELDS.isdisjoint(body.document()):
        _check_geometry({**DEFAULTS, **changed})
    _check_languages({**DEFAULTS, **changed})
    return changed


def _digest(session: Session, scene: SceneRow, schedules: Iterable[ScheduleRow]) -> None:
    """Writes the digests of a changed scene and of the playlists that have it."""
    scene.digest = scene_digest(scene_document(scene, schedules))
    digest_drafts_with(session, scene.id)


def scene_document(row: SceneRow, schedules: Iterable[ScheduleRow]) -> dict[str, Any]:
    """Encodes the whole scene for players, with every top-level field."""
    return {
        "id": row.id,
        "name": row.document["name"],
        **DEFAULTS,
        **row.document,
        "schedules": [{"id": schedule.id, **schedule.document} for schedule in schedules],
    }


_MEDIA = {
    Reference.PICTURE: ("image",),
    Reference.FILM: ("video",),
    Reference.MEDIA: ("image", "video"),
    Reference.FONT: ("font",),
}
"""The kinds of asset that fit a reference."""


def _check(session: Session, workspace: str, document: Mapping[str, Any]) -> None:
    named = list(named_in_document(document))
    assets = find_assets(session, workspace, (one.id for one in named if one.kind is not Reference.ITEM))
    items = find_many(session, ItemRow, workspace, (one.id for one in named if one.kind is Reference.ITEM))
    faults = list[Fault]()
    for one in named:
        if one.kind is Reference.ITEM:
            faults += [] if one.id in items else [unknown("item", one.id, one.pointer)]
        elif (row := assets.get(one.id)) is None:
            faults.append(unknown("asset", one.id, one.pointer))
        elif row.media_type.partition("/")[0] not in (fitting := _MEDIA[one.kind]):
            faults.append(wrong_asset(row.media_type, " or ".join(f"{kind}/*" for kind in fitting), one.pointer))
    if faults:
        raise invalid(faults)


def _check_geometry(document: Mapping[str, Any]) -> None:
    detail = "The widget lies outside of the scene's canvas."
    faults = [Fault("outside_canvas", detail, pointer=pointer) for pointer in outside_canvas(document)]
    if document["span"] is not None and panel_width(document) < MIN_CANVAS:
        faults.append(Fault("out_of_range", "The gap leaves the panels no room on the canvas.", "/span/gap"))
    detail = "The frames between two panels would hide a part of its text: put a widget on each panel instead."
    faults += [Fault("across_frames", detail, pointer=pointer) for pointer in across_frames(document)]
    if faults:
        raise invalid(faults)


def _check_languages(document: Mapping[str, Any]) -> None:
    detail = f"At most {MAX_TOGETHER} languages show together; more show in turn."
    faults = [Fault("too_many", detail, pointer=pointer) for pointer in languages_beyond(document)]
    if faults:
        raise invalid(faults)


def _view(row: SceneRow, schedules: Iterable[ScheduleRow]) -> SceneResponse:
    document = scene_document(row, ())
    return SceneResponse.model_validate(
        {
            **document,
            "schedules": [_schedule_view(schedule) for schedule in schedules],
            "createdAt": instant_text(row.created_at),
            "changedAt": instant_text(row.changed_at),
            "changedBy": row.changed_by,
        }
    )


def _schedule_view(row: ScheduleRow) -> ScheduleResponse:
    return ScheduleResponse.model_validate({"id": row.id, **row.document})
