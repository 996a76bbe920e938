"""Chooses the database engine and everything that depends on it: transactions, relay, leadership.

The details of the engines are in `sqlite` and `postgres`.
"""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from sqlalchemy import Engine

from service.core.changes import Change
from service.storage.leadership import AlwaysLeader, Leadership, LockLeadership
from service.storage.postgres import open_postgres, reading
from service.storage.relay import ChangeRelay
from service.storage.sqlite import open_sqlite
from service.storage.transactions import CONCURRENT, WRITES

POSTGRES_READERS = 4


def open_engine(url: str | None, *, file: Path) -> Engine:
    """The engine for a PostgreSQL URL, or without one for a SQLite file. Connects on first use."""
    return open_sqlite(file) if url is None else open_postgres(url)


def for_reading(engine: Engine) -> Engine:
    """The engine for read-only transactions in one snapshot."""
    return engine if engine.dialect.name == "sqlite" else reading(engine)


def for_writing(engine: Engine, *, exclusive: bool = True) -> Engine:
    """The engine for writing transactions: one at a time, or concurrent ones that lock their rows."""
    return engine.execution_options(**{WRITES: True, CONCURRENT: not exclusive})


def write_lock_of(engine: Engine) -> AbstractContextManager[object]:
    """The lock that the writers of one process queue for.

    SQLite has one writer at a time, and retries a busy lock without any order: some writers would wait for seconds.
    """
    return threading.Lock() if engine.dialect.name == "sqlite" else nullcontext()


def readers_of(engine: Engine) -> int:
    """Threads that short reads are best done by. None with SQLite, where they would only contend for the interpreter:
    handing over takes as long as reading a row. Those of PostgreSQL wait for the network."""
    return 0 if engine.dialect.name == "sqlite" else POSTGRES_READERS


def relay_of(engine: Engine, *, publish: Callable[[tuple[Change, ...]], None]) -> ChangeRelay | None:
    """The relay of changes between processes; None where there is only one process."""
    return None if engine.dialect.name == "sqlite" else ChangeRelay(engine=engine, publish=publish)


def leadership_of(engine: Engine) -> Leadership:
    """The leader election between the processes."""
    return AlwaysLeader() if engine.dialect.name == "sqlite" else LockLeadership(engine=engine)
