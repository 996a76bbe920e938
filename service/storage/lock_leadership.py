"""Elects one of several processes as leader: the one that holds a lock of PostgreSQL.

The lock belongs to a connection. When its process or the database dies, the lock is free. A process that hangs, or
whose machine vanished, keeps it for `LEASE_SECONDS`: then the server closes the idle connection.
"""

import logging
import threading
from contextlib import suppress
from typing import Any

import psycopg
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from service.storage.postgres import connect

LEADER_LOCK = 0x6D656E75_00000002
"""Beside `postgres.WRITE_LOCK`."""
LEASE_SECONDS = 30
"""Far longer than the pauses between the checks of a healthy process."""

_log = logging.getLogger(__name__)


class LockLeadership:
    """On PostgreSQL: leadership by an advisory lock. Safe to use from any thread."""

    def __init__(self, *, engine: Engine, lease_seconds: int = LEASE_SECONDS) -> None:
        self._engine = engine
        self._lease_seconds = lease_seconds
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._held = False
        self._closed = False

    def held(self) -> bool:
        """Returns whether this process leads; takes the lock if it is free. Costs one statement."""
        with self._lock:
            if self._closed:
                return False
            try:
                leads = self._acquire()
            except (psycopg.Error, SQLAlchemyError) as fault:
                # Once for each loss: this runs every second.
                if self._connection is not None:
                    _log.warning("leadership is unknown, the database does not answer: %s", type(fault).__name__)
                self._release()
                return False
            return leads

    def close(self) -> None:
        """Releases the lock for good: this process never leads again."""
        with self._lock:
            self._closed = True
            if self._connection is not None:
                # The server would notice the closed connection a little later.
                with suppress(psycopg.Error):
                    self._connection.execute("SELECT pg_advisory_unlock_all()")
            self._release()

    def _acquire(self) -> bool:
        if self._connection is None:
            self._connection = connect(self._engine)
            self._connection.execute(f"SET idle_session_timeout = '{self._lease_seconds}s'")
        if self._held:
            # The lock lasts exactly as long as the connection.
            self._connection.execute("SELECT 1")
        else:
            answer = self._connection.execute(f"SELECT pg_try_advisory_lock({LEADER_LOCK})").fetchone()
            self._held = answer == (True,)
            if self._held:
                _log.info("this process leads")
        return self._held

    def _release(self) -> None:
        connection, self._connection, self._held = self._connection, None, False
        if connection is not None:
            connection.close()
