"""Which of several processes does what only one should do, such as sweeping: the one that holds a lock of the database.

The lock belongs to a connection. When its process dies, or the database does, it is free for another. A process that
hangs, or whose machine is gone without a word, keeps it for `LEASE_SECONDS`: the server ends a connection on which
nothing is asked for so long. Whoever leads may learn a moment late that it does no more, so what a leader does has to
do no harm when two do it.
"""

import logging
import threading
from contextlib import suppress
from typing import Any, Protocol

import psycopg
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from service.storage.postgres import connect

LEADER_LOCK = 0x6D656E75_00000002
"""Beside `postgres.WRITE_LOCK`."""
LEASE_SECONDS = 30
"""Far more than the pauses in which a process that is well asks whether it leads."""

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
        self._closed = False

    def held(self) -> bool:
        """Whether this process leads; if nobody does, it does from now on. Costs one statement."""
        with self._lock:
            if self._closed:
                return False
            try:
                leads = self._ask()
            except (psycopg.Error, SQLAlchemyError) as fault:
                # Once for each loss: it is asked every second.
                if self._connection is not None:
                    _log.warning("whether this process leads cannot be told: %s", type(fault).__name__)
                self._let_go()
                return False
            return leads

    def close(self) -> None:
        """Let another lead: this process never does again, even if it is just asking."""
        with self._lock:
            self._closed = True
            if self._connection is not None:
                # The server notices a little later that a connection was closed.
                with suppress(psycopg.Error):
                    self._connection.execute("SELECT pg_advisory_unlock_all()")
            self._let_go()

    def _ask(self) -> bool:
        if self._connection is None:
            self._connection = connect(self._engine)
            self._connection.execute(f"SET idle_session_timeout = '{LEASE_SECONDS}s'")
        if self._held:
            # The lock lasts exactly as long as the connection.
            self._connection.execute("SELECT 1")
        else:
            asked = self._connection.execute(f"SELECT pg_try_advisory_lock({LEADER_LOCK})").fetchone()
            self._held = asked == (True,)
            if self._held:
                _log.info("this process leads")
        return self._held

    def _let_go(self) -> None:
        connection, self._connection, self._held = self._connection, None, False
        if connection is not None:
            connection.close()
