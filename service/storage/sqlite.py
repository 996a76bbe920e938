"""SQLite: connection settings and the start of transactions."""

import sqlite3
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import ConnectionPoolEntry

from service.storage.transactions import WRITES

BUSY_TIMEOUT_MILLISECONDS = 5000
POOL_SIZE = 16
"""Connections that stay open."""
POOL_OVERFLOW = 48
"""More that may be opened: the event loop, which reads too, never waits for one of the 40 threads of the pool, nor for
those of exports and pictures."""


def open_sqlite(path: Path) -> Engine:
    """An engine for the database file, which is created on first use.

    Commits are durable (`synchronous=FULL`): a power cut must not undo a revision that a player has seen.
    """
    engine = create_engine(f"sqlite:///{path}", pool_size=POOL_SIZE, max_overflow=POOL_OVERFLOW, hide_parameters=True)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    # Disable the driver's own transaction control: `_begin` starts transactions.
    connection.isolation_level = None
    # SQLite's own knows the letters of ASCII only; a search has to find "Äpfel" by "äp", as on PostgreSQL.
    connection.create_function("lower", 1, _lower, deterministic=True)
    for pragma in (
        f"busy_timeout={BUSY_TIMEOUT_MILLISECONDS}",
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
