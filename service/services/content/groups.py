"""Groups of locations, whose values count at each of them."""

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid, narrowed, not_found
from service.core.ids import NewId
from service.schema.lists import Listing
from service.schema.places.group import GroupCreate, GroupPatch, GroupResponse
from service.services.access.access import Access
from service.services.content.catalogue import catalogue_changed, locations_changed
from service.services.content.place import Place, locations_of
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import batches, count, find_many, get, read_page, unknown, unknown_filter
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.workspaces import GroupLocationRow, GroupRow, LocationRow

MAX_GROUPS = 200


class GroupService:
    def __init__(self, *, database: Database, cursors: Cursors, new_id: NewId) -> None:
        self._database = database
        self._cursors = cursors
        self._new_id = new_id

    def list(self, access: Access, request: PageRequest, *, location: str | None = None) -> Listing[GroupResponse]:
        """Returns one page of the groups that the key may see, or of those of one location. Raises the 422 problem."""
        with self._database.read() as session:
            conditions: list[ColumnElement[bool]] = []
            if access.locations is not None:
                conditions.append(_holds(access.locations))
            if location is not None:
                if not access.sees(location) or not find_many(session, LocationRow, access.workspace, [location]):
                    raise invalid([unknown_filter("location", location)])
                conditions.append(_holds([location]))
            page = read_page(
                session,
                self._cursors,
                GroupRow,
                access.workspace,
                request,
                *conditions,
                filters={"location": location},
            )
            locations = locations_of(session, [row.id for row in page.rows])
            return listing(page, lambda row: _view(access, row, locations[row.id]))

    def get(self, access: Access, group: str) -> GroupResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            row, locations = visible_group(session, access, group)
            return _view(access, row, locations)

    def create(self, access: Access, body: GroupCreate) -> GroupResponse:
        """Returns a new group. Raises the 403 problem for a narrowed key, 422, and 409 when the workspace is full."""
        _whole_workspace(access)
        with self._database.write() as unit:
            if count(unit.session, GroupRow, access.workspace) >= MAX_GROUPS:
                detail = f"A workspace has at most {MAX_GROUPS} groups."
                raise ProblemError(409, "too_many_groups", "Too many groups", detail)
            row = GroupRow(
                id=self._new_id("grp"),
                workspace_id=access.workspace,
                name=body.name,
                precedence=body.precedence,
                created_at=unit.now,
            )
            locations = _checked(unit.session, row, body.locations)
            unit.session.add(row)
            unit.session.flush()
            _join(unit, row, locations)
            return _view(access, row, locations_of(unit.session, [row.id])[row.id])

    def change(self, access: Access, group: str, body: GroupPatch, expected: Condition = ALWAYS) -> GroupResponse:
        """Changes some fields; the boards concerned follow at once. Raises the 403, 404, 412 and 422 problems."""
        _whole_workspace(access)
        with self._database.write() as unit:
            row, before = visible_group(unit.session, access, group)
            expected.check(_view(access, row, before))
            given = body.given()
            row.name = given.get("name", row.name)
            if given.get("precedence", row.precedence) != row.precedence:
                row.precedence = given["precedence"]
                catalogue_changed(unit, access.workspace, place=Place(group=row.id))
            if "locations" in given:
                wanted = _checked(unit.session, row, given["locations"])
                if left := set(before) - set(wanted):
                    _leave(unit, row, left)
                _join(unit, row, [one for one in wanted if one not in before])
            return _view(access, row, locations_of(unit.session, [row.id])[row.id])

    def remove(self, access: Access, group: str, expected: Condition = ALWAYS) -> None:
        """Removes a group with its values; the boards at its locations follow at once. Raises the 403, 404 and 412
        problems."""
        _whole_workspace(access)
        with self._database.write() as unit:
            row, locations = visible_group(unit.session, access, group)
            expected.check(_view(access, row, locations))
            unit.session.delete(row)
            catalogue_changed(unit, access.workspace, place=Place(group=row.id))


def visible_group(session: Session, access: Access, group: str) -> tuple[GroupRow, Sequence[str]]:
    """Returns the group with its locations, if it holds one that the key sees. Raises the 404 problem."""
    row = get(session, GroupRow, access.workspace, group, kind="group")
    locations = locations_of(session, [row.id])[row.id]
    if access.locations is not None and access.locations.isdisjoint(locations):
        raise not_found("group", group)
    return row, locations


def _holds(locations: Collection[str]) -> ColumnElement[bool]:
    return GroupRow.id.in_(select(GroupLocationRow.group_id).where(GroupLocationRow.location_id.in_(sorted(locations))))


def _checked(session: Session, row: GroupRow, locations: Sequence[str]) -> Sequence[str]:
    """Returns these locations. Raises the 422 problem for unknown ones, groups, and one that is named twice."""
    known = find_many(session, LocationRow, row.workspace_id, locations)
    groups = find_many(session, GroupRow, row.workspace_id, (one for one in locations if one not in known))
    faults: list[Fault] = []
    for at, one in enumerate(locations):
        pointer = f"/locations/{at}"
        if one in groups:
            code = "itself" if one == row.id else "group_in_group"
            faults.append(Fault(code, "A group holds locations, and no groups.", pointer))
        elif one not in known:
            faults.append(unknown("location", one, pointer))
        elif one in locations[:at]:
            faults.append(Fault("duplicate", "This location stands in the list already.", pointer))
    if faults:
        raise invalid(faults)
    return locations


def _join(unit: Unit, row: GroupRow, locations: Sequence[str]) -> None:
    if not locations:
        return
    unit.session.add_all(GroupLocationRow(group_id=row.id, location_id=one) for one in locations)
    unit.session.flush()
    # Their boards do not know of the group yet.
    unit.left.add(row.workspace_id)
    locations_changed(unit, row.workspace_id, locations)


def _leave(unit: Unit, row: GroupRow, locations: Iterable[str]) -> None:
    for some in batches(sorted(locations)):
        left = GroupLocationRow.group_id == row.id, GroupLocationRow.location_id.in_(some)
        for one in unit.session.scalars(select(GroupLocationRow).where(*left)):
            unit.session.delete(one)
    catalogue_changed(unit, row.workspace_id, place=Place(group=row.id))


def _whole_workspace(access: Access) -> None:
    if access.locations is not None:
        raise narrowed("make, change or remove groups")


def _view(access: Access, row: GroupRow, locations: Sequence[str]) -> GroupResponse:
    return GroupResponse(
        id=row.id,
        name=row.name,
        precedence=row.precedence,
        locations=[one for one in locations if access.sees(one)],
        created_at=instant_text(row.created_at),
    )
