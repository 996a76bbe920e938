"""Copies a database from SQLite to PostgreSQL: every row of every table, in one transaction."""

from collections.abc import Mapping
from types import MappingProxyType

from sqlalchemy import Connection, Engine, Table, func, inspect, select, text

from service.storage.engines import for_reading, for_writing
from service.storage.migrate import migrate
from service.storage.tables.base import Base


class TargetNotEmptyError(Exception): ...


class CopyError(Exception):
    """Raised if the target does not hold the copied rows. It was left unchanged."""


def copy_database(source: Engine, target: Engine) -> Mapping[str, int]:
    """Copies everything, and returns the number of rows by table. Identifiers, row numbers and instants do not change.

    The source is read in one snapshot: later writes are not copied, so stop its service first. Raises
    TargetNotEmptyError, CopyError and UnknownDatabaseError.
    """
    _ensure_empty(target)
    migrate(source)
    migrate(target)
    with for_reading(source).begin() as reader, for_writing(target).begin() as writer:
        # Again, now that nobody else can write.
        _ensure_no_rows(writer)
        copied = {table.name: _copy(table, reader, writer) for table in Base.metadata.sorted_tables}
        for table in Base.metadata.sorted_tables:
            _continue_numbering(table, reader, writer)
        for table in Base.metadata.sorted_tables:
            arrived = writer.scalar(select(func.count()).select_from(table))
            if arrived != copied[table.name]:
                raise CopyError(f"{copied[table.name]} rows of {table.name} were copied, and {arrived} are there")
    return MappingProxyType(copied)


def _ensure_empty(target: Engine) -> None:
    with for_reading(target).begin() as connection:
        present = set(inspect(connection).get_table_names())
        for table in Base.metadata.sorted_tables:
            if table.name in present and connection.scalar(select(func.count()).select_from(table)):
                raise TargetNotEmptyError(f"the database has rows in its table {table.name}; name an empty one")


def _ensure_no_rows(connection: Connection) -> None:
    for table in Base.metadata.sorted_tables:
        if connection.scalar(select(func.count()).select_from(table)):
            raise TargetNotEmptyError(f"the database is in use by now: it has rows in {table.name}")


def _copy(table: Table, reader: Connection, writer: Connection) -> int:
    count = 0
    rows = reader.execution_options(yield_per=1000).execute(select(table).order_by(*table.primary_key))
    for batch in rows.mappings().partitions():
        writer.execute(table.insert(), [dict(row) for row in batch])
        count += len(batch)
    return count


def _continue_numbering(table: Table, reader: Connection, writer: Connection) -> None:
    """Numbers new rows after all earlier ones, deleted ones included: a cursor may point behind a deleted row."""
    column = table.autoincrement_column
    if column is None:
        return
    last = reader.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = :table"), {"table": table.name})
    if last:
        writer.execute(
            text("SELECT setval(pg_get_serial_sequence(:table, :column), :last)"),
            {"table": table.name, "column": column.name, "last": last},
        )
