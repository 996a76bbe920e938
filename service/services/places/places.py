"""Items at a location or a group of locations: lists them with their local values, and changes these."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from sqlalchemy import ColumnElement, case, func, or_, select
from sqlalchemy.orm import Session

from service.core.errors import Fault, invalid, narrowed
from service.schema.content.item import InvalidEntry
from service.schema.lists import Listing, whole
from service.schema.places.local_item import (
    LocalBulkEntry,
    LocalBulkResult,
    LocalBulkResults,
    LocalItemPatch,
    LocalItemResponse,
)
from service.schema.problem import ProblemFault
from service.services.access.access import Access
from service.services.content.availability import available_from
from service.services.content.catalogue import catalogue_changed
from service.services.content.eighty_six import lasts
from service.services.content.groups import visible_group
from service.services.content.item_filters import is_found
from service.services.content.place import Place, locations_of, places_of
from service.services.content.single_values import flat
from service.services.content.superseded import supersede
from service.services.places.local_changes import tried
from service.services.places.local_items import LocalItems, keep
from service.services.places.local_views import choices_of, viewer_at
from service.services.shared.etags import ALWAYS, CHANGED, PRECONDITION_FAILED, Condition, changed_meanwhile
from service.services.shared.listing import listing
from service.services.shared.lookup import find_many, get, read_page, unknown
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import ItemRow, LocalItemRow
from service.storage.tables.workspaces import GroupRow, LocationRow


@dataclass(frozen=True, slots=True)
class LocalFilter:
    """Selects the items that match every field that is set."""

    category: str | None = None
    eighty_sixed: bool | None = None
    local: bool | None = None
    """Whether they have local values of this very place."""
    search: str | None = None
    """A part of the name, the category or the SKU."""


class PlaceService:
    def __init__(self, *, database: Database, cursors: Cursors) -> None:
        self._database = database
        self._cursors = cursors

    def list(
        self, access: Access, place: Place, request: PageRequest, chosen: LocalFilter, *, now: datetime
    ) -> Listing[LocalItemResponse]:
        """Returns one page of the workspace's items with their values at the place. Raises the 404 problem."""
        with self._database.read() as session:
            places = _places(session, access, place)
            page = read_page(
                session,
                self._cursors,
                ItemRow,
                access.workspace,
                request,
                *_conditions(place, places, chosen, now=now),
                filters=place._asdict() | asdict(chosen),
            )
            return listing(page, viewer_at(session, access.workspace, place, page.rows, now=now))

    def get(self, access: Access, place: Place, item: str, *, now: datetime) -> LocalItemResponse:
        """Returns one item with its values at the place. Raises the 404 problem."""
        with self._database.read() as session:
            _places(session, access, place)
            row = get(session, ItemRow, access.workspace, item, kind="item")
            return viewer_at(session, access.workspace, place, [row], now=now)(row)

    def change(
        self, access: Access, place: Place, item: str, body: LocalItemPatch, expected: Condition = ALWAYS
    ) -> tuple[LocalItemResponse, frozenset[str]]:
        """Changes local values of the item; screens there follow at once. Returns the item, and the locations at which
        it is no longer available. Raises the 403 problem for a group with locations that the key does not see, 404, 412
        and 422."""
        with self._database.write() as unit:
            places = _places(unit.session, access, place, changed=True)
            row = get(unit.session, ItemRow, access.workspace, item, kind="item")
            expected.check(viewer_at(unit.session, access.workspace, place, [row], now=unit.now)(row))
            can_leave = not _AVAILABILITY.isdisjoint(body.given())
            sold = _sold(unit.session, place, row, now=unit.now) if can_leave else frozenset[str]()
            if faults := _change(unit, place, places, [(row, body)], pointers=[""])[0]:
                raise invalid(faults)
            catalogue_changed(unit, access.workspace, [row], place)
            left = sold - _sold(unit.session, place, row, now=unit.now) if sold else sold
            return viewer_at(unit.session, access.workspace, place, [row], now=unit.now)(row), left

    def change_many(
        self,
        access: Access,
        place: Place,
        entries: Sequence[LocalBulkEntry | InvalidEntry],
        expected: Condition = ALWAYS,
    ) -> Listing[LocalItemResponse]:
        """Changes all of the items or, if any entry has a fault, none. Raises the 403, 404, 412 and 422 problems."""
        with self._database.write() as unit:
            places = _places(unit.session, access, place, changed=True)
            outcomes = _change_each(unit, place, places, access.workspace, entries, expected)
            faults = [fault for _, found in outcomes for fault in found]
            if changed := [fault for fault in faults if fault.code == PRECONDITION_FAILED]:
                raise changed_meanwhile(changed)
            if faults:
                raise invalid(faults)
            rows = [row for row, _ in outcomes if row is not None]
            catalogue_changed(unit, access.workspace, rows, place)
            return whole(list(map(viewer_at(unit.session, access.workspace, place, rows, now=unit.now), rows)))

    def change_some(
        self,
        access: Access,
        place: Place,
        entries: Sequence[LocalBulkEntry | InvalidEntry],
        expected: Condition = ALWAYS,
    ) -> LocalBulkResults:
        """Changes the items whose entries are valid; returns a result for each entry. Raises 403 and 404."""
        with self._database.write() as unit:
            places = _places(unit.session, access, place, changed=True)
            outcomes = _change_each(unit, place, places, access.workspace, entries, expected)
            rows = [row for row, _ in outcomes if row is not None]
            view = viewer_at(unit.session, access.workspace, place, rows, now=unit.now)
            results = [
                LocalBulkResult(
                    index=index,
                    id=entry.id,
                    status="refused" if row is None else "changed",
                    item=None if row is None else view(row),
                    errors=[ProblemFault(pointer=one.pointer, code=one.code, detail=one.detail) for one in faults],
                )
                for index, (entry, (row, faults)) in enumerate(zip(entries, outcomes, strict=True))
            ]
            if rows:
                catalogue_changed(unit, access.workspace, rows, place)
            return LocalBulkResults(changed=len(rows), refused=len(results) - len(rows), results=results)


def _places(session: Session, access: Access, place: Place, *, changed: bool = False) -> Sequence[str]:
    """Returns the places whose values count at this one, if the key sees it: itself, and the groups of a location.
    Raises the 404 problem, and 403 for a change that would reach other locations."""
    if place.location is not None:
        access.reach(place.location)
        get(session, LocationRow, access.workspace, place.location, kind="location")
        return places_of(session, [place.location])[place.location]
    row, locations = visible_group(session, access, place.group or "")
    if changed and not all(map(access.sees, locations)):
        raise narrowed("change what a group with other locations has")
    return [row.id]


def _conditions(
    place: Place, places: Sequence[str], chosen: LocalFilter, *, now: datetime
) -> Iterable[ColumnElement[bool]]:
    if chosen.category is not None:
        yield ItemRow.category == chosen.category
    if chosen.search is not None:
        yield is_found(chosen.search)
    if chosen.local is not None:
        where = LocalItemRow.location_id == place.location, LocalItemRow.group_id == place.group
        own = ItemRow.id.in_(select(LocalItemRow.item_id).where(*where))
        yield own if chosen.local else ~own
    if chosen.eighty_sixed is not None:
        here = (
            select(LocalItemRow.eighty_sixed)
            .outerjoin(GroupRow, GroupRow.id == LocalItemRow.group_id)
            .where(
                LocalItemRow.item_id == ItemRow.id,
                or_(LocalItemRow.location_id.in_(places), LocalItemRow.group_id.in_(places)),
                LocalItemRow.eighty_sixed.is_not(None) & lasts(LocalItemRow, now=now),
            )
            .order_by(case((LocalItemRow.group_id.is_(None), 0), else_=1), GroupRow.precedence.desc(), GroupRow.number)
            .limit(1)
            .correlate(ItemRow)
            .scalar_subquery()
        )
        everywhere = ItemRow.eighty_sixed.is_(True) & lasts(ItemRow, now=now)
        yield func.coalesce(here, everywhere).is_(chosen.eighty_sixed)


def _sold(session: Session, place: Place, row: ItemRow, *, now: datetime) -> frozenset[str]:
    """Returns the locations of the place at which the item is available."""
    locations = [place.id] if place.location is not None else locations_of(session, [place.id])[place.id]
    places = places_of(session, locations)
    choices = choices_of(session, row.workspace_id, [row])
    local = LocalItems(session, (place for some in places.values() for place in some), [row.id, *choices])

    def is_sold(places: Sequence[str]) -> bool:
        here = {one.id: one for one in local.items_at([row, *choices.values()], places, now=now)}
        return row.id in here and available_from(here[row.id], here, now=now) <= now

    return frozenset(location for location in locations if is_sold(places[location]))


def _change_each(
    unit: Unit,
    place: Place,
    places: Sequence[str],
    workspace: str,
    entries: Sequence[LocalBulkEntry | InvalidEntry],
    expected: Condition,
) -> list[tuple[ItemRow | None, list[Fault]]]:
    """Returns the item of each entry, or None and the faults; applies nothing of a faulty entry."""
    rows = find_many(unit.session, ItemRow, workspace, (one.id for one in entries if isinstance(one, LocalBulkEntry)))
    every = list(rows.values())
    view = None if expected.tags is None else viewer_at(unit.session, workspace, place, every, now=unit.now)
    found: dict[int, list[Fault]] = {}
    wanted: dict[int, tuple[ItemRow, LocalItemPatch]] = {}
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        if isinstance(entry, InvalidEntry):
            found[index] = [replace(flaw, pointer=f"/{index}{flaw.pointer}") for flaw in entry.faults]
        elif entry.id not in rows:
            found[index] = [unknown("item", entry.id, f"/{index}/id")]
        elif entry.id in seen:
            found[index] = [Fault("duplicate", "This item stands in the call already.", f"/{index}/id")]
        elif view is not None and not expected.holds(view(rows[entry.id])):
            found[index] = [Fault(PRECONDITION_FAILED, CHANGED, f"/{index}")]
        else:
            seen.add(entry.id)
            wanted[index] = (rows[entry.id], entry)
    faults = _change(unit, place, places, list(wanted.values()), pointers=[f"/{index}" for index in wanted])
    found |= dict(zip(wanted, faults, strict=True))
    return [(None if found[index] else wanted[index][0], found[index]) for index in range(len(entries))]


def _change(
    unit: Unit,
    place: Place,
    places: Sequence[str],
    changes: Sequence[tuple[ItemRow, LocalItemPatch]],
    *,
    pointers: Sequence[str],
) -> list[list[Fault]]:
    """Changes local values of each item; returns the faults of each. Applies nothing of a faulty one."""
    local = LocalItems(unit.session, places, [row.id for row, _ in changes])
    found: list[list[Fault]] = []
    for (row, body), pointer in zip(changes, pointers, strict=True):
        changed, faults = tried(local, row, place, places[1:], body.given(), now=unit.now, pointer=pointer)
        if not faults:
            keep(unit, row.workspace_id, changed)
        found.append(faults)
    good = [(row, body) for (row, body), faults in zip(changes, found, strict=True) if not faults]
    if good:
        values = {row.id: flat(body.document()) for row, body in good}
        supersede(unit, good[0][0].workspace_id, values, place)
    unit.session.flush()
    return found


_AVAILABILITY = frozenset({"eighty_sixed", "hidden", "variants"})
