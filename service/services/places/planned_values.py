"""Planned values of items at a location, from the local time of each planned change.

They are laid over the stored local values, at each place of the location; everywhere is the widest place. So items of a
location are read as of an instant, whether or not the service has stored the change meanwhile.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.json_text import read_json
from service.core.local_time import instant_at
from service.schema.places.local_item import LocalItemPatch
from service.services.content.eighty_six import ends_at
from service.services.content.place import EVERYWHERE, Place, place_of, places_of, span, zones_at
from service.services.content.single_values import nested
from service.services.places.local_changes import tried
from service.services.places.local_items import LocalItems, blank, copy_of
from service.services.shared.lookup import batches
from service.storage.tables.menus import ItemRow
from service.storage.tables.planned import PlannedChangeRow, PlannedValueRow
from service.storage.tables.workspaces import LocationRow


@dataclass(frozen=True, slots=True)
class PlannedValue:
    number: int
    plan: int
    place: Place
    item: str
    at: str
    given: Mapping[str, Any]
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class There:
    """Values of items at a location at an instant: local values, with the due planned ones laid over them, and the
    pending ones. Equal where both are the same."""

    places: tuple[str, ...]
    """The places that make items differ, the narrowest first."""
    due: tuple[int, ...]
    later: tuple[tuple[datetime, int], ...]
    ends: tuple[int, ...]
    """The rows that are not stored as they are."""
    local: LocalItems = field(compare=False)
    told: LocalItems = field(compare=False)
    """Without the ends of 86s at this location."""
    to_come: tuple[tuple[datetime, PlannedValue], ...] = field(compare=False)
    changed: tuple[tuple[str, datetime], ...] = field(compare=False)
    """The items with planned values, and when these were planned."""


class PlannedValues:
    """Planned values of some locations that are not stored yet."""

    def __init__(
        self,
        session: Session,
        workspace: str,
        places: Mapping[str, Sequence[str]],
        items: Collection[str] | None,
    ) -> None:
        """Reads those of these items, or of all, at the places of each of these locations."""
        self._places = {location: (*there, EVERYWHERE.id) for location, there in places.items()}
        """The widest place, everywhere, has planned values only."""
        self._zones: dict[str, str] = {}
        self._read: list[PlannedValue] = []
        self._session = session
        self._hours: dict[str, tuple[str, list[Any] | None]] = {}
        self._ruled: list[ItemRow] | None = None
        """The items whose 86 ends by a rule."""
        open_ones = (PlannedChangeRow.workspace_id == workspace) & PlannedChangeRow.done_at.is_(None)
        if not places or session.scalar(select(PlannedChangeRow.id).where(open_ones).limit(1)) is None:
            return
        wanted = {place for there in self._places.values() for place in there}
        query = select(PlannedValueRow, PlannedChangeRow).join(
            PlannedChangeRow, PlannedChangeRow.id == PlannedValueRow.plan_id
        )
        for some in [None] if items is None else batches(sorted(items)):
            among = query.where(open_ones)
            for row, plan in session.execute(among if some is None else among.where(PlannedValueRow.item_id.in_(some))):
                if place_of(row).id in wanted:
                    self._read.append(_value(row, plan))
        for there in batches(sorted(places) if self._read else ()):
            zones = select(LocationRow.id, LocationRow.timezone).where(LocationRow.id.in_(there))
            self._zones.update(session.execute(zones).all())

    def there(self, location: str, local: LocalItems, items: Mapping[str, ItemRow], *, now: datetime) -> There:
        found, places = self._at(location), self._places[location]
        due = [each for each in found if each[0] <= now]
        to_come = tuple(each for each in found if each[0] > now)
        told = laid_over(local, due, places, items)
        here = self._with_ends(location, told, items, now=now)
        return There(
            places=here.among(places),
            due=tuple(one.number for _, one in due),
            later=tuple((at, one.number) for at, one in to_come),
            local=here,
            told=told,
            ends=tuple(sorted(row.number for row in here.rows_at(places) if row.number < 0)),
            to_come=to_come,
            changed=tuple((one.item, one.changed_at) for _, one in found),
        )

    def as_of(self, there: There, location: str, items: Mapping[str, ItemRow], at: datetime) -> There:
        """Returns the values at a later instant."""
        due = [each for each in there.to_come if each[0] <= at]
        places = self._places[location]
        here = self._with_ends(location, laid_over(there.told, due, places, items), items, now=at)
        return replace(there, places=here.among(places), local=here)

    def _with_ends(
        self, location: str, local: LocalItems, items: Mapping[str, ItemRow], *, now: datetime
    ) -> LocalItems:
        """Returns the local values, in which each 86 that ends by a rule ends at its time at this location."""
        if self._ruled is None:
            self._ruled = [row for row in items.values() if row.eighty_sixed and row.eighty_sixed_rule is not None]
        ruled = [row for row in local.rows_at(self._places[location]) if row.eighty_sixed_rule is not None]
        if not self._ruled and not ruled:
            return local
        if location not in self._hours:
            facts = select(LocationRow.timezone, LocationRow.opening_hours).where(LocationRow.id == location)
            self._hours[location] = self._session.execute(facts).one()
        zone, hours = self._hours[location]
        local = local.copied()
        for row in ruled:
            own = copy_of(row)
            own.eighty_sixed_until, own.eighty_sixed_rule = ends_at(row, zone, hours or []), None
            own.number = local.number_of((row.number, own.eighty_sixed_until))
            local.put(own)
        for item in self._ruled:
            said = local.at(item.id, EVERYWHERE)
            if said is not None and said.eighty_sixed is not None:
                continue
            until = ends_at(item, zone, hours or [])
            own = blank(item.id, EVERYWHERE, now=now) if said is None else copy_of(said)
            own.eighty_sixed, own.eighty_sixed_until = (True, until) if until > now else (False, None)
            own.changed_at = item.changed_at
            own.number = local.number_of((own.number, item.id, until, own.eighty_sixed))
            local.put(own)
        return local

    def _at(self, location: str) -> list[tuple[datetime, PlannedValue]]:
        """Returns the values of a location, each with its instant there, the earliest first."""
        places, zone = self._places[location], self._zones.get(location)
        found = [(instant_at(one.at, zone), one) for one in self._read if zone is not None and one.place.id in places]
        return sorted(found, key=lambda each: (each[0], each[1].plan, each[1].number))


def there_at(session: Session, workspace: str, location: str, rows: Sequence[ItemRow], *, now: datetime) -> There:
    """Returns the values of these items at the location."""
    items = {row.id: row for row in rows}
    places = places_of(session, [location])
    planned = PlannedValues(session, workspace, places, items.keys())
    return planned.there(location, LocalItems(session, places[location], list(items)), items, now=now)


def planned_span(session: Session, plan: PlannedChangeRow) -> tuple[datetime, datetime]:
    """Returns when the planned change takes effect at the first and at the last location."""
    places = [Place(*place) for place in plan.places]
    return span(plan.at, zones_at(session, plan.workspace_id, places).values())


def given_in(row: PlannedValueRow) -> dict[str, Any]:
    """Returns the values that are set, by their Python names."""
    return LocalItemPatch.model_validate(nested(read_json(row.given.encode()))).given()


def _value(row: PlannedValueRow, plan: PlannedChangeRow) -> PlannedValue:
    return PlannedValue(row.number, plan.number, place_of(row), row.item_id, plan.at, given_in(row), plan.changed_at)


def laid_over(
    local: LocalItems,
    due: Sequence[tuple[datetime, PlannedValue]],
    places: Sequence[str],
    items: Mapping[str, ItemRow],
) -> LocalItems:
    """Lays the planned values over the local ones, in their order; `places` are those of the location, the narrowest
    first."""
    if not due:
        return local
    local = local.copied()
    for at, one in due:
        if (item := items.get(one.item)) is None:
            continue
        wider = places[places.index(one.place.id) + 1 :]
        own, _ = tried(local, item, one.place, wider, one.given, now=at)
        own.changed_at = max(at, one.changed_at)
        own.number = local.number_of((own.number, one.number))
        local.put(own)
    return local
