"""Stores what planned changes have changed: the values of a place once the time has come at each of its locations.

Boards have these values before (`content.planned_values`), and switch by their own clocks. Values are stored and their
planned ones deleted in one transaction, so nothing is done by half, and nothing twice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.changes import ContentChanged
from service.core.local_time import instant_at
from service.services.content.catalogue import catalogue_changed
from service.services.content.groups import groups_of
from service.services.content.local_expiry import keep
from service.services.content.planned_places import span, zones_at
from service.services.content.restock import settle
from service.services.content.variants import set_variants
from service.services.places.local_changes import apply
from service.services.places.local_items import EIGHTY_SIX, LocalItems, blank, item_at
from service.services.places.planned_values import given_in, planned_span
from service.services.publishing.live_overrides import MOST_LOCATIONS_ANNOUNCED
from service.services.shared.lookup import find_many
from service.storage.database import Database, Unit
from service.storage.tables.menus import ItemRow
from service.storage.tables.planned import PlannedChangeRow, PlannedValueRow


@dataclass(frozen=True, slots=True)
class _Due:
    """The values of a planned change at one place, and when each of its locations is reached."""

    plan: PlannedChangeRow
    location: str | None
    group: str | None
    last: datetime
    """When all locations are reached."""
    instants: tuple[tuple[datetime, str], ...]


class PlannedEffects:
    """Stores the values of planned changes that are due."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    def next_expiry(self) -> datetime | None:
        """When something is to be done next; in the past if it is late."""
        with self._database.read() as session:
            waiting = list(_waiting(session))
            instants = [one.last for one in waiting]
            instants += [at for one in waiting for at, _ in one.instants if at > one.plan.passed_at]
            unstored = {one.plan.id for one in waiting}
            instants += [_ends_at(session, plan) for plan in _open_plans(session) if plan.id not in unstored]
        return min(instants, default=None)

    def end_due(self) -> None:
        """Stores the values that are due; boards where others take effect are told."""
        with self._database.write() as unit:
            waiting = list(_waiting(unit.session))
            for one in sorted(waiting, key=lambda one: (one.last, one.plan.number)):
                if one.last <= unit.now:
                    _store(unit, one)
                else:
                    _tell(unit, one)
            unit.session.flush()
            left = {one.plan.id for one in waiting if one.last > unit.now}
            for plan in _open_plans(unit.session):
                plan.passed_at = unit.now
                if plan.id not in left and _ends_at(unit.session, plan) <= unit.now:
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
        for (location, group), zones in zones_at(session, plan.workspace_id, places.all()).items():
            instants = tuple((instant_at(plan.at, zone), one) for one, zone in zones.items())
            yield _Due(plan, location, group, span(plan.at, [zones])[1], instants)


def _ends_at(session: Session, plan: PlannedChangeRow) -> datetime:
    return planned_span(session, plan)[1]


def _store(unit: Unit, due: _Due) -> None:
    session, workspace = unit.session, due.plan.workspace_id
    planned = session.scalars(
        select(PlannedValueRow).where(
            PlannedValueRow.plan_id == due.plan.id,
            PlannedValueRow.location_id == due.location,
            PlannedValueRow.group_id == due.group,
        )
    ).all()
    items = find_many(session, ItemRow, workspace, [one.item_id for one in planned])
    here = [] if due.location is None else [due.location]
    groups = groups_of(session, here)[due.location] if due.location is not None else [due.group] if due.group else []
    local = LocalItems(session, here, groups, list(items))
    for one in planned:
        item = items[one.item_id]
        if due.location is None and due.group is None:
            values = blank(item.id)
            list(apply(values, item, (), given_in(one), now=due.last, pointer=""))
            values.changed_at = unit.now
            _store_everywhere(item, item_at(item, [values], now=unit.now))
            item.changed_at = unit.now
            settle(session, workspace, item)
        else:
            own, wider = due.location or due.group or "", groups if here else []
            row = next(iter(local.of(item.id, [own])), None) or blank(item.id, location=due.location, group=due.group)
            # What has become impossible meanwhile, such as the price of a variant that is gone, does nothing.
            list(apply(row, item, local.of(item.id, wider), given_in(one), now=due.last, pointer=""))
            row.changed_at = unit.now
            settle(session, workspace, row)
            keep(unit, row)
        session.delete(one)
    catalogue_changed(unit, workspace, list(items.values()), location=due.location, group=due.group)


def _store_everywhere(item: ItemRow, new: ItemRow) -> None:
    for name in ("price", "regular_price", "offer_starts_at", "offer_ends_at", "modifiers"):
        setattr(item, name, getattr(new, name))
    for name in EIGHTY_SIX:
        setattr(item, name, getattr(new, name))
    set_variants(item, new.variants)


def _tell(unit: Unit, due: _Due) -> None:
    """Has the manifests of the locations that have just been reached composed again, for players that do not know
    planned changes."""
    reached = [location for at, location in due.instants if due.plan.passed_at < at <= unit.now]
    if len(reached) > MOST_LOCATIONS_ANNOUNCED:
        unit.announce(ContentChanged(due.plan.workspace_id))
        return
    for location in reached:
        unit.announce(ContentChanged(due.plan.workspace_id, location=location))
