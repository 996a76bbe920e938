"""Which of several processes does what only one should do, such as sweeping: the one that holds a lock of the database.

The lock belongs to a connection. When its process dies, or the database does, it is free for another.
"""

import logging
import threading
from typing import Any, Protocol

import psycopg
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from service.storage.postgres import connect

LEADER_LOCK = 0x6D656E75_00000002
"""Beside `postgres.WRITE_LOCK`."""

_log = logging.getLogger(__name__)


class Leadership(Protocol):
    """Says whether this process is the one."""

    def held(self) -> bool: ...

    def close(self) -> None: ...


class OnlyProcess:
    """On SQLite: there is no other."""

    def held(self) -> bool:
        """Always."""
        return True

    def close(self) -> None:
        """Nothing was held."""


class SharedLeadership:
    """On PostgreSQL. Safe to use from any thread."""

    def __init__(self, *, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._held = False

    def held(self) -> bool:
        """Whether this process leads; if nobody does, it does from now on. Costs one statement."""
        with self._lock:
            try:
                return self._ask()
            except (psycopg.Error, SQLAlchemyError) as fault:
                _log.warning("whether this process leads cannot be told: %s", type(fault).__name__)
                self._let_go()
                return False

    def close(self) -> None:
        """Let another lead."""
        with self._lock:
            self._let_go()

    def _ask(self) -> bool:
        if self._connection is None:
            self._connection = connect(self._engine)
        if self._held:
            # The lock lasts exactly as long as the connection.
            self._connection.execute("SELECT 1")
        else:
            asked = self._connection.execute(f"SELECT pg_try_advisory_lock({LEADER_LOCK})").fetchone()
            self._held = asked == (True,)
        return self._held

    def _let_go(self) -> None:
        connection, self._connection, self._held = self._connection, None, False
        if connection is not None:
            connection.close()
