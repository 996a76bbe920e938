"""Which engine keeps the data, and what that means for transactions and for several processes.

All else that is particular to an engine is in `sqlite` and `postgres`.
"""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from sqlalchemy import Engine

from service.core.changes import Change
from service.storage.leadership import Leadership, OnlyProcess, SharedLeadership
from service.storage.postgres import open_postgres, reading
from service.storage.relay import ChangeRelay
from service.storage.sqlite import open_sqlite
from service.storage.transactions import BESIDE_OTHERS, WRITES


def open_engine(url: str | None, *, file: Path) -> Engine:
    """The engine at a URL of PostgreSQL, or without one, SQLite in a file. Connects when it is first used."""
    return open_sqlite(file) if url is None else open_postgres(url)


def for_reading(engine: Engine) -> Engine:
    """The engine for transactions that only read, and see one moment."""
    return engine if engine.dialect.name == "sqlite" else reading(engine)


def for_writing(engine: Engine, *, alone: bool = True) -> Engine:
    """The engine for transactions that write: one at a time, or beside others where the caller locks the rows."""
    return engine.execution_options(**{WRITES: True, BESIDE_OTHERS: not alone})


def turn_of(engine: Engine) -> AbstractContextManager[object]:
    """What the writers of one process queue for. SQLite lets one write at a time, and whoever finds it taken tries
    again after a while, which is nobody's turn in particular: some would wait for seconds."""
    return threading.Lock() if engine.dialect.name == "sqlite" else nullcontext()


def relay_of(engine: Engine, *, publish: Callable[[tuple[Change, ...]], None]) -> ChangeRelay | None:
    """What carries notices between processes; None where there is only one."""
    return None if engine.dialect.name == "sqlite" else ChangeRelay(engine=engine, publish=publish)


def leadership_of(engine: Engine) -> Leadership:
    """Which of the processes sweeps."""
    return OnlyProcess() if engine.dialect.name == "sqlite" else SharedLeadership(engine=engine)
