"""Stores what planned changes have changed: the values of a place once the time has come at each of its locations.

Boards have these values before (`planned_values`), and switch by their own clocks. Values are stored and their
planned ones deleted in one transaction, so nothing is done by half, and nothing twice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.local_time import instant_at
from service.services.content.catalogue import catalogue_changed, locations_changed
from service.services.content.eighty_six import EIGHTY_SIX, settle
from service.services.content.place import EVERYWHERE, Place, places_of, span, zones_at
from service.services.content.variants import set_variants
from service.services.places.local_changes import tried
from service.services.places.local_items import LocalItems, item_at, keep
from service.services.places.planned_values import given_in, planned_span
from service.services.shared.lookup import find_many
from service.storage.database import Unit
from service.storage.tables.menus import ItemRow
from service.storage.tables.planned import PlannedChangeRow, PlannedValueRow


@dataclass(frozen=True, slots=True)
class _Due:
    """Values of a planned change at one place, and when each of its locations is reached."""

    plan: PlannedChangeRow
    place: Place
    last: datetime
    """When all locations are reached."""
    instants: tuple[tuple[datetime, str], ...]


def next_effect(session: Session) -> datetime | None:
    """When something is to be done next; in the past if it is late."""
    waiting = list(_waiting(session))
    instants = [one.last for one in waiting]
    instants += [at for one in waiting for at, _ in one.instants if at > one.plan.passed_at]
    unstored = {one.plan.id for one in waiting}
    instants += [planned_span(session, plan)[1] for plan in _open_plans(session) if plan.id not in unstored]
    return min(instants, default=None)


def store_due(unit: Unit) -> None:
    """Stores the values that are due; boards where others take effect are told."""
    upcoming = next_effect(unit.session)
    if upcoming is None or upcoming > unit.now:
        return
    waiting = list(_waiting(unit.session))
    for one in sorted(waiting, key=lambda one: (one.last, one.plan.number)):
        if one.last <= unit.now:
            _store(unit, one)
        else:
            # For players that do not know planned changes.
            reached = [location for at, location in one.instants if one.plan.passed_at < at <= unit.now]
            locations_changed(unit, one.plan.workspace_id, reached)
    unit.session.flush()
    left = {one.plan.id for one in waiting if one.last > unit.now}
    for plan in _open_plans(unit.session):
        plan.passed_at = unit.now
        if plan.id not in left and planned_span(unit.session, plan)[1] <= unit.now:
            plan.done_at = unit.now


def _open_plans(session: Session) -> Sequence[PlannedChangeRow]:
    return session.scalars(select(PlannedChangeRow).where(PlannedChangeRow.done_at.is_(None))).all()


def _waiting(session: Session) -> Iterator[_Due]:
    """The places of all planned changes that are not done."""
    for plan in _open_plans(session):
        places = session.execute(
            select(PlannedValueRow.location_id, PlannedValueRow.group_id)
            .where(PlannedValueRow.plan_id == plan.id)
            .distinct()
        )
        there = [Place(*place) for place in places]
        for place, zones in zones_at(session, plan.workspace_id, there).items():
            instants = tuple((instant_at(plan.at, zone), one) for one, zone in zones.items())
            yield _Due(plan, place, span(plan.at, [zones])[1], instants)


def _store(unit: Unit, due: _Due) -> None:
    session, workspace, place = unit.session, due.plan.workspace_id, due.place
    planned = session.scalars(
        select(PlannedValueRow).where(
            PlannedValueRow.plan_id == due.plan.id,
            PlannedValueRow.location_id == place.location,
            PlannedValueRow.group_id == place.group,
        )
    ).all()
    items = find_many(session, ItemRow, workspace, [one.item_id for one in planned])
    places = [place.id] if place.location is None else places_of(session, [place.location])[place.location]
    local = LocalItems(session, places, list(items))
    for one in planned:
        item = items[one.item_id]
        row, _ = tried(local, item, place, places[1:], given_in(one), now=due.last)
        if place == EVERYWHERE:
            row.changed_at = item.changed_at = unit.now
            _store_everywhere(item, item_at(item, [row], now=unit.now))
            settle(session, workspace, item)
        else:
            keep(unit, workspace, row)
        session.delete(one)
    catalogue_changed(unit, workspace, list(items.values()), place)


def _store_everywhere(item: ItemRow, new: ItemRow) -> None:
    for name in ("price", "regular_price", "offer_starts_at", "offer_ends_at", "modifiers", *EIGHTY_SIX):
        setattr(item, name, getattr(new, name))
    set_variants(item, new.variants)
