"""SQLite: connection settings, the start of transactions, and migrations in which tables are rebuilt."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.pool import ConnectionPoolEntry

from service.storage.transactions import WRITES


def open_sqlite(path: Path) -> Engine:
    """Opens an engine for the database file, which is created on first use.

    Commits are durable (`synchronous=FULL`): a power cut must not undo a revision that a player has seen.
    """
    # 16 connections stay open. Of 48 more the event loop, which reads too, always gets one, beside the 40 threads of
    # the pool and those of exports and pictures.
    engine = create_engine(f"sqlite:///{path}", pool_size=16, max_overflow=48, hide_parameters=True)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    # Disable the driver's own transaction control: `_begin` starts transactions.
    connection.isolation_level = None
    # SQLite's own knows the letters of ASCII only; a search has to find "Äpfel" by "äp", as on PostgreSQL.
    connection.create_function("lower", 1, _lower, deterministic=True)
    for pragma in (
        "busy_timeout=5000",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        # What is replaced is overwritten, such as a secret by the sealed one.
        "secure_delete=FAST",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


def _begin(connection: Connection) -> None:
    # A deferred transaction that reads and then writes fails if another one wrote in between.
    if connection.get_execution_options().get(WRITES, False):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        # By the driver, in half of the time: this one touches no file, so nothing can fail.
        connection.connection.cursor().execute("BEGIN")


@contextmanager
def without_references(engine: Engine) -> Iterator[Connection]:
    """Opens a connection on which a table can be dropped without the rows that refer to it, as rebuilding one does.

    The setting does nothing inside of a transaction, so the caller begins one on the connection.
    """
    with engine.connect() as connection:
        driver = connection.connection.cursor()
        driver.execute("PRAGMA foreign_keys=OFF")
        try:
            yield connection
        finally:
            driver.execute("PRAGMA foreign_keys=ON")


@contextmanager
def rebuilding(connection: Connection) -> Iterator[None]:
    """Keeps the last row number of each table that is rebuilt inside, and checks that every reference finds its row.

    Raises LostRowsError.
    """
    lacking, numbers = _lacking(connection), _last_numbers(connection)
    yield
    for table, number in numbers.items():
        for statement in _KEEP_NUMBER:
            connection.execute(statement, {"table": table, "number": number})
    for (table, parent), count in (_lacking(connection) - lacking).items():
        raise LostRowsError(
            f"the database was not brought to this version, and is as it was: {count} rows of {table} would lose the "
            f"rows of {parent} that they belong to. Go on with the version before, and report this"
        )


_KEEP_NUMBER = (
    text("UPDATE sqlite_sequence SET seq = max(seq, :number) WHERE name = :table"),
    # A table without rows has no entry after it was rebuilt.
    text(
        "INSERT INTO sqlite_sequence (name, seq) SELECT name, :number FROM sqlite_master WHERE name = :table "
        "AND sql LIKE '%AUTOINCREMENT%' AND name NOT IN (SELECT name FROM sqlite_sequence)"
    ),
)


class LostRowsError(Exception):
    """Raised if a migration would lose rows; the message is for the operator."""


def _lacking(connection: Connection) -> Counter[tuple[str, str]]:
    """Counts dangling references, by their table and the one referred to."""
    found = connection.exec_driver_sql("PRAGMA foreign_key_check")
    return Counter((table, parent) for table, _, parent, _ in found)


def _last_numbers(connection: Connection) -> dict[str, int]:
    """Returns the last row number of each numbered table. There is no such list before the first of them is created."""
    if not connection.scalar(text("SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_sequence'")):
        return {}
    return {row.name: row.seq for row in connection.execute(text("SELECT name, seq FROM sqlite_sequence"))}
