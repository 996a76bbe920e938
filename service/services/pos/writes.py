"""Carries a planned import out by few statements, unless the state it was planned on has changed.

Planning thousands of rows takes seconds, which would block all other writes: so it is done on a snapshot, outside of
the write lock. Under the lock it is checked that none of its items, nor their values at the location, has changed
since.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Table, bindparam, delete, insert, inspect, or_, select, tuple_, update
from sqlalchemy.orm import Session

from menu.documents.manifest_reader import MAX_ITEMS
from service.core.clock import instant_text
from service.services.content.catalogue import catalogue_changed
from service.services.content.place import Place, places_of
from service.services.places.local_items import says_nothing
from service.services.pos.plans import ImportPlan, keep_link
from service.services.pos.row_changes import apply_changes
from service.storage.audit import note_written
from service.storage.database import Unit
from service.storage.history import entry_of, write_entries
from service.storage.tables.base import Base, Json
from service.storage.tables.menus import ItemRow, LocalItemRow, PosConnectionRow, PosLinkRow

_SETTINGS = ("workspace_id", "feed", "format", "encoding", "columns", "owns", "location_id", "enabled", "last_sync")
"""Fields of the connection that a plan depends on; `last_sync` stands for its links."""


@dataclass(frozen=True, slots=True)
class Footing:
    """State that a plan was made on: when each item, and each value at the location, had last changed."""

    at: datetime
    """Before anything was read."""
    connection: tuple[Any, ...]
    places: Sequence[str]
    items: dict[str, datetime]
    local: dict[int, datetime]

    def holds(self, session: Session, row: PosConnectionRow, plan: ImportPlan) -> bool:
        """Returns whether nothing that the plan depends on has changed."""
        now = footing_of(session, row, at=self.at)
        synced = None if row.last_sync is None else str(row.last_sync["at"])
        if self.connection != now.connection or (synced is not None and synced >= instant_text(self.at)):
            return False
        if self.places != now.places or self.local != now.local or any(at >= self.at for at in now.local.values()):
            return False
        # A new item may have a SKU or name of the feed; one that was not there before is not in the plan.
        skus = {one.entry.sku for one in plan.items} - {None}
        added = now.items.keys() - self.items.keys()
        if ((skus or row.links_lost) and added) or len(now.items) + plan.counts.created > MAX_ITEMS:
            return False
        planned = [*(one.item.id for one in plan.items), *(item.id for item in plan.missing)]
        # An instant is told in milliseconds: what changed in that of the plan may have changed after it.
        return all(
            self.items.get(item) == (changed := now.items.get(item)) and (changed is None or changed < self.at)
            for item in planned
        )


def footing_of(session: Session, row: PosConnectionRow, *, at: datetime) -> Footing:
    """Returns the current state that plans for the connection depend on."""
    places = [] if row.location_id is None else places_of(session, [row.location_id])[row.location_id]
    there = or_(LocalItemRow.location_id == row.location_id, LocalItemRow.group_id.in_(places))
    local = select(LocalItemRow.number, LocalItemRow.changed_at).where(there)
    items = select(ItemRow.id, ItemRow.changed_at).where(ItemRow.workspace_id == row.workspace_id)
    return Footing(
        at=at,
        connection=tuple(getattr(row, name) for name in _SETTINGS),
        places=places,
        items=dict(session.execute(items).all()),
        local={} if row.location_id is None else dict(session.execute(local).all()),
    )


@dataclass(slots=True)
class _Rows:
    """Rows of one table to write, by their columns."""

    new: list[Json] = field(default_factory=list)
    changed: dict[tuple[str, ...], list[Json]] = field(default_factory=dict)
    """By the columns that change."""
    gone: list[tuple[Any, ...]] = field(default_factory=list)
    """Primary keys."""
    history: list[Json] = field(default_factory=list)
    """The entries of the history for all of these."""

    def add(self, row: Base) -> None:
        """Adds a row: all of a new one, or the changed columns."""
        state = inspect(row)
        self.note(row)
        if state.key is None:
            self.new.append({name: getattr(row, name) for name in _columns(row) if getattr(row, name) is not None})
        elif names := tuple(sorted(state.committed_state)):
            told = {name: getattr(row, name) for name in names}
            self.changed.setdefault(names, []).append(told | dict(zip(_keys(row), state.identity or (), strict=True)))

    def note(self, row: Base, *, gone: bool = False) -> None:
        if (entry := entry_of(row, gone=gone)) is not None:
            self.history.append(entry)


@dataclass(frozen=True, slots=True)
class Writes:
    plan: ImportPlan
    tables: dict[type[Base], _Rows]
    changed: Sequence[ItemRow]

    def carry_out(self, unit: Unit, row: PosConnectionRow) -> None:
        """Writes the rows, with the current time as that of the change."""
        dated: tuple[type[Base], ...] = (ItemRow, LocalItemRow)
        for table in dated:
            rows = self.tables[table]
            for one in (*rows.new, *(one for some in rows.changed.values() for one in some)):
                one["changed_at"] = unit.now
                if "created_at" in one:
                    one["created_at"] = unit.now
        for table, rows in self.tables.items():
            _write(unit.session, table, rows)
            write_entries(unit.session, rows.history, at=unit.now)
            fields = {name for names in rows.changed for name in names}
            for entry in rows.history:
                note_written(unit.session, table, entry["key"], fields, new=entry["before"] is None)
        if self.changed:
            catalogue_changed(unit, row.workspace_id, self.changed, Place(row.location_id))


def writes_of(row: PosConnectionRow, plan: ImportPlan, *, now: datetime) -> Writes:
    """Applies the plan to its rows, which no longer belong to a session."""
    items, local, links = _Rows(), _Rows(), _Rows()
    changed = [one for one in plan.items if one.is_new or one.changes]
    for one in changed:
        if one.local:
            own = one.local[0]
            for name, value in one.changes.items():
                setattr(own, name, value)
            own.changed_at = now
            if not says_nothing(own):
                local.add(own)
            elif (key := inspect(own).identity) is not None:
                local.gone.append(tuple(key))
                local.note(own, gone=True)
        else:
            apply_changes(one.item, one.changes, now=now)
            items.add(one.item)
    for one in plan.items:
        links.add(keep_link(row, one))
    links.gone.extend(tuple(inspect(link).identity or ()) for link in plan.outdated)
    return Writes(plan, {ItemRow: items, LocalItemRow: local, PosLinkRow: links}, [one.item for one in changed])


def _write(session: Session, mapped: type[Base], rows: _Rows) -> None:
    table = cast("Table", mapped.__table__)
    keys = [column.name for column in table.primary_key]
    if rows.gone:
        session.execute(delete(table).where(tuple_(*table.primary_key).in_(rows.gone)))
    for names, some in rows.changed.items():
        statement = update(table).where(*(table.c[key] == bindparam(f"_{key}") for key in keys))
        values = [{f"_{name}" if name in keys else name: value for name, value in one.items()} for one in some]
        session.execute(statement.values({name: bindparam(name) for name in names}), values)
    by_columns: dict[tuple[str, ...], list[Json]] = {}
    for one in rows.new:
        by_columns.setdefault(tuple(one), []).append(one)
    for some in by_columns.values():
        session.execute(insert(table), some)


def _columns(row: Base) -> list[str]:
    return list(type(row).__table__.columns.keys())


def _keys(row: Base) -> list[str]:
    return [column.name for column in type(row).__table__.primary_key]
