"""Relays changes between several processes on one PostgreSQL database, by LISTEN and NOTIFY.

A change is sent in the transaction of its effect: the server delivers it after the commit, and drops it on a rollback.
`Database` publishes the changes of this process at once; those of others arrive here, in a thread. The server queues
nothing for a disconnected listener, so after a reconnect everything is reloaded.
"""

import json
import logging
import secrets
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from time import monotonic
from typing import Any

import msgspec
import psycopg
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.core.changes import Change, ChangesMissed, read_change
from service.storage.postgres import connect

CHANNEL = "menu_service"
RETRY_SECONDS = (0.5, 1.0, 2.0, 5.0)
"""Pauses before reconnecting; the last one repeats."""

# One statement for all: thousands of screens may come online at a time.
_SEND = text("SELECT pg_notify(:channel, payload) FROM json_array_elements_text(CAST(:payloads AS json)) AS payload")

_log = logging.getLogger(__name__)


class ChangeRelay:
    """Sends the changes of this process to the others, and publishes theirs."""

    def __init__(self, *, engine: Engine, publish: Callable[[tuple[Change, ...]], None]) -> None:
        self._engine = engine
        self._publish = publish
        self._name = secrets.token_hex(8)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def send(self, session: Session, changes: tuple[Change, ...]) -> None:
        """Sends the changes to the other processes when the session's transaction commits."""
        payloads = [msgspec.json.encode((self._name, type(change).__name__, change)).decode() for change in changes]
        session.execute(_SEND, {"channel": CHANNEL, "payloads": json.dumps(payloads, ensure_ascii=False)})

    def open(self) -> None:
        """Starts listening: later commits are received. Raises SQLAlchemyError."""
        connection = self._connect()
        self._thread = threading.Thread(target=self._run, args=(connection,), name="changes", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        connection = connect(self._engine)
        try:
            connection.execute(f"LISTEN {CHANNEL}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _run(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        attempt = 0
        first = True
        while True:
            with closing(connection):
                try:
                    if not first:
                        self._publish((ChangesMissed(),))
                    first = False
                    attempt = 0
                    self._listen(connection)
                except (psycopg.Error, SQLAlchemyError) as fault:
                    _log.warning("no longer receiving changes from the database: %s", type(fault).__name__)
                except Exception:
                    _log.exception("a change of another process could not be handled")
            while True:
                if self._stopping.wait(0 if self._stopping.is_set() else RETRY_SECONDS[attempt]):
                    return
                attempt = min(attempt + 1, len(RETRY_SECONDS) - 1)
                with suppress(psycopg.Error, SQLAlchemyError):
                    connection = self._connect()
                    _log.info("receiving changes from the database again")
                    break

    def _listen(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        """Publishes received changes until `close`. Raises psycopg.Error."""
        checked = monotonic()
        while not self._stopping.is_set():
            for notification in connection.notifies(timeout=0.25):  # A stop is noticed within it.
                self._receive(notification.payload)
            if monotonic() - checked >= 15.0:
                connection.execute("SELECT 1")
                checked = monotonic()

    def _receive(self, payload: str) -> None:
        try:
            sender, kind, fields = json.loads(payload)
            change = None if sender == self._name else read_change(kind, fields)
        except (ValueError, KeyError, TypeError):
            # From a later version or another program: something may have changed.
            change = ChangesMissed()
        if change is not None:
            self._publish((change,))
