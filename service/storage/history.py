"""Stores the values of rows before they changed, and restores the catalogue as it was.

The session of each unit of work writes it, so no service has to: every row that the ORM changes, creates or deletes is
recorded in the transaction that does it. Code that writes many rows by statements records them with `entry_of`.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, cast

import msgspec
from sqlalchemy import ColumnElement, Table, create_engine, delete, event, func, insert, inspect, select
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.pool import StaticPool

from service.storage.tables.base import Base
from service.storage.tables.menus import ItemRow, LocalItemRow, PlaylistRow, PlaylistVersionRow, WordsRow
from service.storage.tables.overrides import OverrideRow
from service.storage.tables.planned import PlannedChangeRow, PlannedValueRow
from service.storage.tables.receipts import HistoryRow
from service.storage.tables.workspaces import GroupLocationRow, GroupRow, LocationRow

KEPT = timedelta(days=400)
"""Pictures of earlier times can be drawn for so long."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """Scope under which the changes of a table are found, and the name of a row in it."""

    scope: Callable[[Any], str]
    key: Callable[[Any], str]
    only_deleted: bool = False
    """Whether nothing but its deletion is noted: it does not change, or not in what showed."""


_KINDS: Mapping[type[Base], _Kind] = {
    ItemRow: _Kind(lambda row: row.workspace_id, lambda row: row.id),
    LocalItemRow: _Kind(lambda row: row.location_id or row.group_id, lambda row: row.item_id),
    LocationRow: _Kind(lambda row: row.id, lambda row: row.id),
    WordsRow: _Kind(lambda row: row.workspace_id, lambda row: row.workspace_id),
    GroupRow: _Kind(lambda row: row.workspace_id, lambda row: row.id),
    GroupLocationRow: _Kind(lambda row: row.location_id, lambda row: row.group_id),
    PlannedChangeRow: _Kind(lambda row: row.workspace_id, lambda row: row.id),
    PlannedValueRow: _Kind(
        lambda row: row.plan_id, lambda row: f"{row.location_id or row.group_id or ''}/{row.item_id}"
    ),
    PlaylistRow: _Kind(lambda row: row.id, lambda row: row.id, only_deleted=True),
    PlaylistVersionRow: _Kind(lambda row: row.playlist_id, lambda row: str(row.version), only_deleted=True),
    OverrideRow: _Kind(lambda row: row.id, lambda row: row.id, only_deleted=True),
}

_GO_WITH: Mapping[type[Base], tuple[InstrumentedAttribute[Any], ...]] = {
    ItemRow: (LocalItemRow.item_id, PlannedValueRow.item_id),
    LocationRow: (LocalItemRow.location_id, GroupLocationRow.location_id, PlannedValueRow.location_id),
    GroupRow: (LocalItemRow.group_id, GroupLocationRow.group_id, PlannedValueRow.group_id),
    PlannedChangeRow: (PlannedValueRow.plan_id,),
    PlaylistRow: (PlaylistVersionRow.playlist_id,),
}
"""The rows that the database deletes with one of these, by the column that names it."""

_ASKED_AT_ONCE = 500
"""Rows in one statement: engines bound the number of variables."""

_CATALOGUE: tuple[type[Base], ...] = (
    *(ItemRow, LocalItemRow, LocationRow, WordsRow, GroupRow, GroupLocationRow),
    *(PlannedChangeRow, PlannedValueRow),
)


class UnitSession(Session):
    """Session of a unit of work. `info["now"]` is its instant."""


@event.listens_for(UnitSession, "before_flush")
def _note(session: Session, _context: object, _rows: object) -> None:
    noted: list[tuple[Any, dict[str, Any] | None]] = [(row, _whole(row)) for row in _leaving(session)]
    noted += [(row, _changed(row)) for row in session.dirty if _is_followed(row)]
    noted += [(row, None) for row in session.new if _is_followed(row)]
    session.add_all(HistoryRow(**_entry(row, before), at=session.info["now"]) for row, before in noted if before != {})


def _entry(row: Any, before: dict[str, Any] | None) -> dict[str, Any]:
    kind = _KINDS[type(row)]
    content = None if before is None else zlib.compress(msgspec.json.encode(before))
    return {"scope": kind.scope(row), "kind": row.__tablename__, "key": kind.key(row), "before": content}


def entry_of(row: Any, *, gone: bool = False) -> dict[str, Any] | None:
    """Returns the entry for a row in no session, which statements will write in its current state, or delete; None
    without a change."""
    if not _is_followed(row):
        return None
    before = None if inspect(row).key is None else _whole(row) if gone else _changed(row)
    return None if before == {} else _entry(row, before)


def write_entries(session: Session, entries: Iterable[dict[str, Any]], *, at: datetime) -> None:
    """Stores entries of rows that statements have written."""
    if rows := [one | {"at": at} for one in entries]:
        session.execute(insert(_table(HistoryRow)), rows)


def _is_followed(row: Any) -> bool:
    kind = _KINDS.get(type(row))
    return kind is not None and not kind.only_deleted


def _leaving(session: Session) -> Iterable[Any]:
    """Returns the deleted rows, with those that are deleted by cascade."""
    leaving = {id(row): row for row in session.deleted if type(row) in _KINDS}
    with session.no_autoflush:
        for table, columns in _GO_WITH.items():
            rows: list[Any] = [row for row in session.deleted if type(row) is table]
            names = [row.id for row in rows]
            for start in range(0, len(names), _ASKED_AT_ONCE):
                some = names[start : start + _ASKED_AT_ONCE]
                for column in columns:
                    leaving |= {id(one): one for one in session.scalars(select(column.class_).where(column.in_(some)))}
    return leaving.values()


def _changed(row: Any) -> dict[str, Any]:
    """Returns the changed columns with their former values."""
    state = inspect(row)
    columns = ((column.key, state.attrs[column.key].history) for column in state.mapper.column_attrs)
    return {name: history.deleted[0] for name, history in columns if history.added and history.deleted}


def _whole(row: Any) -> dict[str, Any]:
    """Returns all columns as the database has them: a row may be changed and deleted at once."""
    return {column.key: getattr(row, column.key) for column in inspect(row).mapper.column_attrs} | _changed(row)


@dataclass(frozen=True, slots=True)
class Then:
    """A time: the content shown at `at` was based on the history up to `number`; None for all until then."""

    at: datetime
    number: int | None = None

    @property
    def later(self) -> ColumnElement[bool]:
        """Selects the changes since then."""
        return HistoryRow.at > self.at if self.number is None else HistoryRow.number > self.number


def newest_number(session: Session) -> int:
    return session.scalar(select(func.max(HistoryRow.number))) or 0


def changes_after(
    session: Session, table: type[Base], scope: str, *, after: int, until: int | None = None, keys: Sequence[str] = ()
) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Yields the changes of rows after a number and up to another, oldest first: the name of each row, and its former
    columns; None where there was no row. With `keys` only of these rows."""
    chosen = [HistoryRow.scope == scope, HistoryRow.kind == table.__tablename__, HistoryRow.number > after]
    if until is not None:
        chosen.append(HistoryRow.number <= until)
    if keys:
        chosen.append(HistoryRow.key.in_(keys))
    query = select(HistoryRow.key, HistoryRow.before).where(*chosen).order_by(HistoryRow.number)
    for key, before in session.execute(query):
        yield key, None if before is None else _read(_table(table), before)


def deleted_row(session: Session, table: type[Base], scope: str, key: str) -> dict[str, Any] | None:
    """Returns a deleted row; None if it is no longer known."""
    query = select(HistoryRow.before).where(
        HistoryRow.scope == scope, HistoryRow.kind == table.__tablename__, HistoryRow.key == key
    )
    content = session.scalar(query.order_by(HistoryRow.number.desc()).limit(1))
    return None if content is None else _read(_table(table), content)


def prune(session: Session, *, now: datetime) -> None:
    """Deletes entries that are too old."""
    session.execute(delete(HistoryRow).where(HistoryRow.at <= now - KEPT))


@contextmanager
def catalogue_then(session: Session, workspace: str, location: str | None, then: Then | None) -> Iterator[Session]:
    """Opens a session on the items, words, groups and local values of the workspace as they were at the location: a
    copy in memory. Without `then` the session itself."""
    if then is None:
        yield session
        return
    engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    try:
        Base.metadata.create_all(engine, tables=[_table(table) for table in _CATALOGUE])
        with engine.begin() as memory:
            for table, rows in _rows_then(session, workspace, location, then):
                if rows:
                    memory.execute(table.insert(), rows)
        with Session(engine) as past:
            yield past
    finally:
        engine.dispose()


def _rows_then(
    session: Session, workspace: str, location: str | None, then: Then
) -> Iterator[tuple[Table, list[dict[str, Any]]]]:
    for table in (ItemRow, WordsRow, GroupRow):
        yield _rows(session, table, workspace, table.workspace_id == workspace, then)
    if location is None:
        return
    plans = _rows(session, PlannedChangeRow, workspace, PlannedChangeRow.workspace_id == workspace, then)
    yield plans
    for plan in [row["id"] for row in plans[1] if row["done_at"] is None]:
        yield _rows(session, PlannedValueRow, plan, PlannedValueRow.plan_id == plan, then)
    yield _rows(session, LocationRow, location, LocationRow.id == location, then)
    members, joined = _rows(session, GroupLocationRow, location, GroupLocationRow.location_id == location, then)
    yield members, joined
    yield _rows(session, LocalItemRow, location, LocalItemRow.location_id == location, then)
    for group in [row["group_id"] for row in joined]:
        yield _rows(session, LocalItemRow, group, LocalItemRow.group_id == group, then)


def _rows(
    session: Session, table: type[Base], scope: str, of_scope: ColumnElement[bool], then: Then
) -> tuple[Table, list[dict[str, Any]]]:
    """Returns the former rows of a scope: the current ones, with each change since undone, the newest first."""
    kind, columns = _KINDS[table], _table(table)
    found = session.execute(select(columns).where(of_scope)).mappings()
    rows = {kind.key(row): dict(row) for row in found}
    later = select(HistoryRow.key, HistoryRow.before).where(
        HistoryRow.scope == scope, HistoryRow.kind == columns.name, then.later
    )
    for key, before in session.execute(later.order_by(HistoryRow.number.desc())):
        if before is None:
            rows.pop(key, None)
        else:
            rows[key] = rows.get(key, {}) | _read(columns, before)
    return columns, list(rows.values())


def _table(table: type[Base]) -> Table:
    return cast(Table, table.__table__)


def _read(table: Table, content: bytes) -> dict[str, Any]:
    values = msgspec.json.decode(zlib.decompress(content))
    return {name: _typed(table.columns[name].type.python_type, value) for name, value in values.items()}


def _typed(kind: type, value: Any) -> Any:
    if isinstance(value, str) and kind is Decimal:
        return Decimal(value)
    return datetime.fromisoformat(value) if isinstance(value, str) and kind is datetime else value
