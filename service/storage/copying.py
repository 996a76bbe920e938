"""Moving an installation from SQLite to PostgreSQL: every row of every table, in one transaction, or nothing."""

from collections.abc import Mapping
from types import MappingProxyType

from sqlalchemy import Connection, Engine, Table, func, inspect, select, text

from service.storage.engines import for_reading, for_writing
from service.storage.migrate import migrate
from service.storage.tables import Base

ROWS_AT_A_TIME = 1000


class TargetNotEmptyError(Exception):
    """The target holds data already, which is not to be mixed with other data."""


class CopyError(Exception):
    """The target does not hold what was copied into it; it was left as it was."""


def copy_database(source: Engine, target: Engine) -> Mapping[str, int]:
    """Copy everything, and return the number of rows by table. Identifiers, numbers and instants stay as they are.

    The source is read as of one moment: what is written to it meanwhile is not copied, so its service should be
    stopped. Raises TargetNotEmptyError, CopyError and NewerDatabaseError.
    """
    _ensure_empty(target)
    migrate(source)
    migrate(target)
    with for_reading(source).begin() as reader, for_writing(target).begin() as writer:
        # Once more, now that nobody else can write.
        _ensure_no_rows(writer)
        copied = {table.name: _copy(table, reader, writer) for table in Base.metadata.sorted_tables}
        for table in Base.metadata.sorted_tables:
            _go_on_counting(table, reader, writer)
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
            raise TargetNotEmptyError(f"somebody has begun to use the database: it has rows in {table.name}")


def _copy(table: Table, reader: Connection, writer: Connection) -> int:
    count = 0
    rows = reader.execution_options(yield_per=ROWS_AT_A_TIME).execute(select(table).order_by(*table.primary_key))
    for some in rows.mappings().partitions():
        writer.execute(table.insert(), [dict(row) for row in some])
        count += len(some)
    return count


def _go_on_counting(table: Table, reader: Connection, writer: Connection) -> None:
    """Number new rows after all that there ever were: a cursor may point behind one that is gone."""
    column = table.autoincrement_column
    if column is None:
        return
    last = reader.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = :table"), {"table": table.name})
    if last:
        writer.execute(
            text("SELECT setval(pg_get_serial_sequence(:table, :column), :last)"),
            {"table": table.name, "column": column.name, "last": last},
        )
