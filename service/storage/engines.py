"""Chooses the database engine and everything that depends on it: transactions, relay, leadership.

The details of the engines are in `sqlite` and `postgres`. What needs psycopg is loaded for PostgreSQL alone.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine

from service.core.changes import Change
from service.core.missing import MissingLibraryError
from service.storage.leadership import AlwaysLeader, Leadership
from service.storage.sqlite import open_sqlite, rebuilding, without_references
from service.storage.transactions import CONCURRENT, WRITES

if TYPE_CHECKING:
    from service.storage.relay import ChangeRelay


def open_engine(url: str | None, *, file: Path) -> Engine:
    """Opens the engine for a PostgreSQL URL, or without one for a SQLite file. Connects on first use.

    Raises MissingLibraryError.
    """
    if url is None:
        return open_sqlite(file)
    try:
        # Not found, or without the library of PostgreSQL that it calls.
        import psycopg  # noqa: F401
    except ImportError:
        raise MissingLibraryError(
            "a database of PostgreSQL", "psycopg", debian="python3-psycopg", pip="psycopg[binary]"
        ) from None
    from service.storage.postgres import open_postgres

    return open_postgres(url)


def for_reading(engine: Engine) -> Engine:
    """Returns the engine for read-only transactions in one snapshot."""
    if engine.dialect.name == "sqlite":
        return engine
    from service.storage.postgres import reading

    return reading(engine)


def for_writing(engine: Engine, *, exclusive: bool = True) -> Engine:
    """Returns the engine for writing transactions: one at a time, or concurrent ones that lock their rows."""
    return engine.execution_options(**{WRITES: True, CONCURRENT: not exclusive})


@contextmanager
def for_migrating(engine: Engine) -> Iterator[Connection]:
    """Opens a writing transaction, alone in the database, in which tables may be rebuilt (`rebuilding_in`)."""
    writer = for_writing(engine)
    opened = without_references(writer) if engine.dialect.name == "sqlite" else writer.connect()
    with opened as connection, connection.begin():
        yield connection


def rebuilding_in(connection: Connection) -> AbstractContextManager[None]:
    """Checks that no rows are lost while tables are changed. Raises LostRowsError."""
    return rebuilding(connection) if connection.dialect.name == "sqlite" else nullcontext()


def write_lock_of(engine: Engine) -> AbstractContextManager[object]:
    """Returns the lock that the writers of one process queue for.

    SQLite has one writer at a time, and retries a busy lock without any order: some writers would wait for seconds.
    """
    return threading.Lock() if engine.dialect.name == "sqlite" else nullcontext()


def readers_of(engine: Engine) -> int:
    """Returns the number of threads for short reads. 0 with SQLite, where they would only contend for the interpreter:
    handing over takes as long as reading a row. Those of PostgreSQL wait for the network."""
    return 0 if engine.dialect.name == "sqlite" else 4


def relay_of(engine: Engine, *, publish: Callable[[tuple[Change, ...]], None]) -> "ChangeRelay | None":
    """Returns the relay of changes between processes; None if there is only one process."""
    if engine.dialect.name == "sqlite":
        return None
    from service.storage.relay import ChangeRelay

    return ChangeRelay(engine=engine, publish=publish)


def leadership_of(engine: Engine) -> Leadership:
    """Returns the leader election between the processes."""
    if engine.dialect.name == "sqlite":
        return AlwaysLeader()
    from service.storage.lock_leadership import LockLeadership

    return LockLeadership(engine=engine)
