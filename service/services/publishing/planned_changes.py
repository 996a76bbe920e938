"""Plans, lists and withdraws planned changes, and previews their effects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid, narrowed, not_found
from service.core.ids import NewId
from service.core.json_text import read_json, write_json
from service.core.local_time import instant_at, is_skipped
from service.core.permissions import Permission
from service.schema.lists import Listing
from service.schema.publishing.override import MAX_OVERRIDE_DAYS, OverrideCreate
from service.schema.publishing.planned_change import (
    PlannedChangeCreate,
    PlannedChangePatch,
    PlannedChangeResponse,
    PlannedItemResponse,
    PlannedOverride,
    PlannedPreviewResponse,
    PlannedValues,
)
from service.services.access.access import Access
from service.services.content.catalogue import catalogue_changed
from service.services.content.groups import visible_group
from service.services.content.place import EVERYWHERE, Place, places_of, span, zones_at
from service.services.content.single_values import flat, meet
from service.services.places.local_changes import tried
from service.services.places.local_items import LocalItems
from service.services.places.local_views import viewer_at
from service.services.places.planned_values import planned_span
from service.services.publishing.live_overrides import announce
from service.services.publishing.overrides import OverrideService, PlannedTimes
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import find_many, get, read_page, unknown
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import ItemRow
from service.storage.tables.overrides import OverrideRow
from service.storage.tables.planned import PlannedChangeRow, PlannedValueRow
from service.storage.tables.workspaces import LocationRow

MAX_PLANNED_CHANGES = 20
"""Planned changes of a workspace that are not done."""
MAX_DAYS_AHEAD = 400
KEPT_WHEN_DONE = timedelta(days=30)


class PlannedChangeService:
    def __init__(self, *, database: Database, cursors: Cursors, new_id: NewId, overrides: OverrideService) -> None:
        self._database = database
        self._cursors = cursors
        self._new_id = new_id
        self._overrides = overrides

    def list(self, access: Access, request: PageRequest) -> Listing[PlannedChangeResponse]:
        """Returns one page of the planned changes that the key may see."""
        with self._database.read() as session:
            page = read_page(
                session,
                self._cursors,
                PlannedChangeRow,
                access.workspace,
                request,
                keep=None if access.locations is None else lambda row: _sees(access, row),
            )
            return listing(page, lambda row: self._view(session, row))

    def get(self, access: Access, plan: str) -> PlannedChangeResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            return self._view(session, _get(session, access, plan))

    def create(self, access: Access, body: PlannedChangeCreate) -> PlannedChangeResponse:
        """Raises the 403, 404 and 422 problems, and 409 if there are too many."""
        with self._database.write() as unit:
            open_ones: ColumnElement[bool] = PlannedChangeRow.done_at.is_(None)
            there = select(func.count()).where(PlannedChangeRow.workspace_id == access.workspace, open_ones)
            if (unit.session.scalar(there) or 0) >= MAX_PLANNED_CHANGES:
                detail = f"A workspace has at most {MAX_PLANNED_CHANGES} that are not done. Withdraw those not needed."
                raise ProblemError(409, "too_many_planned_changes", "Too many planned changes", detail)
            row = PlannedChangeRow(
                id=self._new_id("plan"),
                workspace_id=access.workspace,
                created_by=access.key,
                created_at=unit.now,
                done_at=None,
            )
            self._plan(unit, access, row, body)
            return self._view(unit.session, row)

    def change(
        self, access: Access, plan: str, body: PlannedChangePatch, expected: Condition = ALWAYS
    ) -> PlannedChangeResponse:
        """Changes some fields. Raises the 403, 404, 412 and 422 problems, and 409 once it has taken effect anywhere."""
        with self._database.write() as unit:
            row = self._open(unit, access, plan, expected)
            stored = {"name": row.name, "at": row.at, **read_json(row.document.encode())}
            given = body.given()
            sent = {name: list(map(_sent, given[name])) for name in ("changes", "overrides") if name in given}
            wanted = PlannedChangeCreate.model_validate(stored | given | sent)
            self._take_back(unit, row)
            self._plan(unit, access, row, wanted)
            return self._view(unit.session, row)

    def withdraw(self, access: Access, plan: str, expected: Condition = ALWAYS) -> None:
        """Withdraws a planned change as a whole. Raises the 404 and 412 problems, and 409 once it has taken effect
        anywhere."""
        with self._database.write() as unit:
            row = self._open(unit, access, plan, expected)
            self._take_back(unit, row)
            unit.session.delete(row)

    def preview(self, access: Access, plan: str, location: str | None) -> PlannedPreviewResponse:
        """Returns the items that a planned change alters at a location, before and after; without a location, at the
        first that it reaches. Raises 404."""
        with self._database.read() as session:
            row = _get(session, access, plan)
            if location is None:
                places = zones_at(session, access.workspace, [Place(*one) for one in row.places])
                location = next((name for there in places.values() for name in there), "")
            access.reach(location)
            there = get(session, LocationRow, access.workspace, location, kind="location")
            at = instant_at(row.at, there.timezone)
            counting = {EVERYWHERE.id, *places_of(session, [location])[location]}
            here = {one.item for one in _changes_of(row) if Place(one.location, one.group).id in counting}
            rows = find_many(session, ItemRow, access.workspace, here)
            before, after = (
                viewer_at(session, access.workspace, Place(location), list(rows.values()), now=now)
                for now in (at - timedelta(milliseconds=1), at)
            )
            items = [PlannedItemResponse(before=before(one), after=after(one)) for one in rows.values()]
            return PlannedPreviewResponse(location=location, at=instant_text(at), items=items)

    def prune(self) -> None:
        """Deletes planned changes that were done long ago."""
        with self._database.write() as unit:
            long_done: ColumnElement[bool] = PlannedChangeRow.done_at <= unit.now - KEPT_WHEN_DONE
            for row in unit.session.scalars(select(PlannedChangeRow).where(long_done)):
                unit.session.delete(row)

    def _plan(self, unit: Unit, access: Access, row: PlannedChangeRow, body: PlannedChangeCreate) -> None:
        """Stores the planned change with its values and overrides. Raises the problems of its faults."""
        if body.overrides:
            access.require(Permission.PUBLISH)
        reach = _reach(unit.session, access, body)
        begins_at, ends_at = span(body.at, reach.values())
        faults = [*_time_faults(unit, body, reach), *_value_faults(unit, access.workspace, row, body, begins_at)]
        planned = [_override_of(body.at, one, reach) for one in body.overrides]
        latest = ends_at + timedelta(days=MAX_OVERRIDE_DAYS)
        for number, one in enumerate(planned):
            pointer = f"/overrides/{number}"
            if datetime.fromisoformat(body.overrides[number].until) <= datetime.fromisoformat(body.at):
                faults.append(Fault("ends_before_start", "until lies after the planned time.", f"{pointer}/until"))
            faults += self._overrides.faults(unit, access, one, latest=latest, pointer=pointer)
        if faults:
            raise invalid(faults)
        row.name, row.at = body.name, body.at
        sent = {"changes": list(map(_sent, body.changes)), "overrides": list(map(_sent, body.overrides))}
        row.document = write_json(sent).decode()
        row.locations = _confined(access, reach)
        row.places = [list(where) for where in reach]
        row.passed_at = row.changed_at = unit.now
        unit.session.add(row)
        unit.session.flush()
        for value in body.changes:
            unit.session.add(
                PlannedValueRow(
                    plan_id=row.id,
                    location_id=value.location,
                    group_id=value.group,
                    item_id=value.item,
                    given=write_json(flat(_values_sent(value))).decode(),
                )
            )
        for one, told in zip(planned, body.overrides, strict=True):
            self._overrides.add(unit, access, one, PlannedTimes(row.id, body.at, told.until))
        _announce(unit, access.workspace, body.changes)

    def _open(self, unit: Unit, access: Access, plan: str, expected: Condition) -> PlannedChangeRow:
        """Returns the planned change if it has not taken effect anywhere and the key may change it."""
        row = _get(unit.session, access, plan)
        expected.check(self._view(unit.session, row))
        if planned_span(unit.session, row)[0] <= unit.now or row.done_at is not None:
            detail = "It has taken effect already. Change what it has changed, or plan another one."
            raise ProblemError(409, "has_taken_effect", "The planned change has taken effect", detail)
        if read_json(row.document.encode())["overrides"]:
            access.require(Permission.PUBLISH)
        return row

    def _take_back(self, unit: Unit, row: PlannedChangeRow) -> None:
        for override in unit.session.scalars(select(OverrideRow).where(OverrideRow.plan_id == row.id)).all():
            announce(unit, override)
            unit.session.delete(override)
        for value in unit.session.scalars(select(PlannedValueRow).where(PlannedValueRow.plan_id == row.id)).all():
            unit.session.delete(value)
        unit.session.flush()
        _announce(unit, row.workspace_id, _changes_of(row))

    def _view(self, session: Session, row: PlannedChangeRow) -> PlannedChangeResponse:
        begins_at, ends_at = planned_span(session, row)
        waiting = begins_at > self._database.now()
        return PlannedChangeResponse(
            id=row.id,
            name=row.name,
            at=row.at,
            **read_json(row.document.encode()),
            begins_at=instant_text(begins_at),
            ends_at=instant_text(ends_at),
            status="done" if row.done_at is not None else "waiting" if waiting else "takingEffect",
            created_by=row.created_by,
            created_at=instant_text(row.created_at),
        )


def _sees(access: Access, row: PlannedChangeRow) -> bool:
    """Returns whether the key may see the planned change: one that reaches no location outside of its own."""
    return access.locations is None or (row.locations is not None and access.locations.issuperset(row.locations))


def _get(session: Session, access: Access, plan: str) -> PlannedChangeRow:
    row = get(session, PlannedChangeRow, access.workspace, plan, kind="planned change")
    if not _sees(access, row):
        raise not_found("planned change", plan)
    return row


def _changes_of(row: PlannedChangeRow) -> list[PlannedValues]:
    return [PlannedValues.model_validate(one) for one in read_json(row.document.encode())["changes"]]


def _sent(body: PlannedValues | PlannedOverride) -> dict[str, Any]:
    """Returns the part as it was sent, with instants as text."""
    document = body.model_dump(by_alias=True, exclude_unset=True)
    until = document.get("eightySixedUntil")
    return document if not isinstance(until, datetime) else {**document, "eightySixedUntil": instant_text(until)}


def _values_sent(body: PlannedValues) -> dict[str, Any]:
    return {name: value for name, value in _sent(body).items() if name not in ("item", "location", "group")}


def _reach(session: Session, access: Access, body: PlannedChangeCreate) -> dict[Place, Mapping[str, str]]:
    """Returns the places that the change reaches, and the zones of their locations. Raises the 403 problem for values
    that a key may not change, 404 for places that it does not see, and 422."""
    places: list[Place] = []
    for one in body.changes:
        where = Place(one.location, one.group)
        if where in places:
            continue
        if one.location is not None:
            access.reach(one.location)
        elif one.group is not None:
            _, locations = visible_group(session, access, one.group)
            if not all(map(access.sees, locations)):
                raise narrowed("change what a group with other locations has")
        else:
            access.reach_all()
        places.append(where)
    for target in (override.target for override in body.overrides):
        if target.group is not None:
            visible_group(session, access, target.group)
        confined = access.locations is not None and target.location is None and target.group is None
        places += map(Place, sorted(access.locations or ())) if confined else [Place(target.location, target.group)]
    if not places:
        raise invalid([Fault("nothing_changes", "A planned change has changes or overrides.", "/changes")])
    return zones_at(session, access.workspace, places)


def _confined(access: Access, reach: Mapping[Place, Mapping[str, str]]) -> list[str] | None:
    if access.locations is None and EVERYWHERE in reach:
        return None
    return sorted({location for there in reach.values() for location in there})


def _time_faults(unit: Unit, body: PlannedChangeCreate, reach: Mapping[Place, Mapping[str, str]]) -> Iterator[Fault]:
    ends = ((f"/overrides/{number}/until", one.until) for number, one in enumerate(body.overrides))
    for pointer, wall in (("/at", body.at), *ends):
        for zone in sorted({zone for there in reach.values() for zone in there.values()}):
            if is_skipped(wall, zone):
                yield Fault("skipped_hour", f"The clocks of {zone} skip this time.", pointer)
    begins_at, ends_at = span(body.at, reach.values())
    if begins_at <= unit.now:
        yield Fault("not_in_the_future", "This time has passed at one of the locations.", "/at")
    elif ends_at > unit.now + timedelta(days=MAX_DAYS_AHEAD):
        yield Fault("out_of_range", f"A change is planned at most {MAX_DAYS_AHEAD} days ahead.", "/at")


def _value_faults(
    unit: Unit, workspace: str, plan: PlannedChangeRow, body: PlannedChangeCreate, begins_at: datetime
) -> Iterator[Fault]:
    """Yields values that cannot be planned, and those that another planned change has at the same time."""
    session = unit.session
    rows = find_many(session, ItemRow, workspace, [one.item for one in body.changes])
    locations = {one.location for one in body.changes if one.location is not None}
    known = find_many(session, LocationRow, workspace, locations)
    places = places_of(session, locations)
    groups = (one.group for one in body.changes if one.group is not None)
    local = LocalItems(session, {*groups, *(one for some in places.values() for one in some)}, list(rows))
    others = _planned_then(session, workspace, plan, body.at)
    for at, one in enumerate(body.changes):
        pointer = f"/changes/{at}"
        if one.location is not None and one.location not in known:
            yield unknown("location", one.location, f"{pointer}/location")
        if (item := rows.get(one.item)) is None:
            yield unknown("item", one.item, f"{pointer}/item")
            continue
        place, wider = Place(one.location, one.group), places[one.location][1:] if one.location is not None else ()
        yield from tried(local, item, place, wider, one.values(), now=begins_at, pointer=pointer)[1]
        values = flat(_values_sent(one))
        for name, others_values in others.get(one.place, ()):
            if meet(values, others_values):
                yield Fault("planned_already", f"{name!r} has the same value at the same time.", pointer)


def _planned_then(
    session: Session, workspace: str, plan: PlannedChangeRow, at: str
) -> dict[tuple[str, str | None, str | None], list[tuple[str, Sequence[str]]]]:
    """Returns the values of other planned changes at this local time, by item and place."""
    found: dict[tuple[str, str | None, str | None], list[tuple[str, Sequence[str]]]] = {}
    query = select(PlannedChangeRow).where(
        PlannedChangeRow.workspace_id == workspace, PlannedChangeRow.done_at.is_(None), PlannedChangeRow.id != plan.id
    )
    for other in session.scalars(query):
        if datetime.fromisoformat(other.at) == datetime.fromisoformat(at):
            for one in _changes_of(other):
                found.setdefault(one.place, []).append((other.name, list(flat(_values_sent(one)))))
    return found


def _override_of(at: str, sent: PlannedOverride, reach: Mapping[Place, Mapping[str, str]]) -> OverrideCreate:
    """Builds the override from its first start to its last end."""
    return OverrideCreate.model_construct(
        target=sent.target,
        scene=sent.scene,
        playlist=sent.playlist,
        starts_at=span(at, reach.values())[0],
        until=span(sent.until, reach.values())[1],
        reason=sent.reason,
    )


def _announce(unit: Unit, workspace: str, changes: Iterable[PlannedValues]) -> None:
    """Announces the planned values to the boards at these places."""
    by_place: dict[Place, list[str]] = {}
    for one in changes:
        by_place.setdefault(Place(one.location, one.group), []).append(one.item)
    for place, items in by_place.items():
        catalogue_changed(unit, workspace, list(find_many(unit.session, ItemRow, workspace, items).values()), place)
