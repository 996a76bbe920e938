"""Which engine keeps the data, and which kind of transaction each use of it takes. Only these modules know the engines:
`sqlite` and `postgres`.
"""

from pathlib import Path

from sqlalchemy import Engine

from service.storage.postgres import open_postgres, reading
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
