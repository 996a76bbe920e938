"""Change notices between several processes on one PostgreSQL database, by LISTEN and NOTIFY.

A notice is sent in the transaction of its effect: the server passes it on after the commit, and not at all without one.
A process hears its own commits at once (`Database`), and those of others here, in a thread. Nothing is queued for a
listener that is away: whoever has been away looks everything up again.
"""

import dataclasses
import json
import logging
import secrets
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from time import monotonic
from typing import Any, get_args

import psycopg
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.core.changes import Change, ChangesMissed
from service.storage.postgres import connect

CHANNEL = "menu_service"
STOP_SECONDS = 0.25
"""How soon the listener notices that it should stop."""
CHECK_SECONDS = 15.0
"""A connection on which nothing is heard is tried this often."""
RETRY_SECONDS = (0.5, 1.0, 2.0, 5.0)
"""Pauses before connecting again; the last one from then on."""

_KINDS: dict[str, type[Change]] = {kind.__name__: kind for kind in get_args(Change)}

_log = logging.getLogger(__name__)


class ChangeRelay:
    """Sends this process's notices to the others, and publishes what they send."""

    def __init__(self, *, engine: Engine, publish: Callable[[tuple[Change, ...]], None]) -> None:
        self._engine = engine
        self._publish = publish
        self._name = secrets.token_hex(8)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def send(self, session: Session, changes: tuple[Change, ...]) -> None:
        """Tell the other processes once the transaction of the session is committed."""
        for change in changes:
            payload = json.dumps([self._name, type(change).__name__, dataclasses.asdict(change)])
            session.execute(text("SELECT pg_notify(:channel, :payload)"), {"channel": CHANNEL, "payload": payload})

    def open(self) -> None:
        """Begin to listen: what is committed from now on is heard. Raises SQLAlchemyError."""
        connection = self._connect()
        self._thread = threading.Thread(target=self._run, args=(connection,), name="notices", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
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
                    self._hear(connection)
                except (psycopg.Error, SQLAlchemyError) as fault:
                    _log.warning("the database does not tell of changes any more: %s", type(fault).__name__)
                except Exception:
                    _log.exception("what another process changed was not taken in")
            while True:
                if self._stopping.wait(0 if self._stopping.is_set() else RETRY_SECONDS[attempt]):
                    return
                attempt = min(attempt + 1, len(RETRY_SECONDS) - 1)
                with suppress(psycopg.Error, SQLAlchemyError):
                    connection = self._connect()
                    _log.info("the database tells of changes again")
                    break

    def _hear(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        """Publish what is heard until told to stop. Raises psycopg.Error."""
        checked = monotonic()
        while not self._stopping.is_set():
            for heard in connection.notifies(timeout=STOP_SECONDS):
                self._take(heard.payload)
            if monotonic() - checked >= CHECK_SECONDS:
                connection.execute("SELECT 1")
                checked = monotonic()

    def _take(self, payload: str) -> None:
        try:
            sender, kind, fields = json.loads(payload)
            change = None if sender == self._name else _KINDS[kind](**fields)
        except (ValueError, KeyError, TypeError):
            # Of a later version, or of somebody else: whatever it was, something may have changed.
            change = ChangesMissed()
        if change is not None:
            self._publish((change,))
