"""Which screens are there: contacts and reports are kept in memory and written in batches.

A crash loses the contacts since the last batch; the next contact makes up for them.
"""

import threading
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, update

from service.schema.device import Heartbeat
from service.storage.database import Database
from service.storage.tables import ScreenRow

OFFLINE_AFTER = timedelta(seconds=120)


@dataclass(frozen=True, slots=True)
class Contact:
    """When a screen last called, and what it last said about itself."""

    last_seen: datetime
    report: dict[str, Any] | None = None


class Presence:
    """Remembers contacts. Safe to use from any thread."""

    def __init__(self, *, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._contacts: dict[str, Contact] = {}
        self._unwritten: set[str] = set()

    def touch(self, screen: str, *, at: datetime) -> None:
        """The screen has called."""
        with self._lock:
            known = self._contacts.get(screen)
            self._contacts[screen] = Contact(last_seen=at) if known is None else replace(known, last_seen=at)
            self._unwritten.add(screen)

    def report(self, screen: str, heartbeat: Heartbeat, *, at: datetime) -> None:
        """The screen has said how it is. A report that another has overtaken counts as a contact only."""
        said = heartbeat.report()
        with self._lock:
            known = self._contacts.get(screen)
            if known is not None and _overtaken(said, known.report):
                said = known.report or said
            self._contacts[screen] = Contact(last_seen=at, report=said)
            self._unwritten.add(screen)

    def of(self, row: ScreenRow) -> Contact | None:
        """What is known of a screen: from memory, and from the database what memory does not have. None is never."""
        with self._lock:
            contact = self._contacts.get(row.id)
        if contact is None:
            return None if row.last_seen is None else Contact(last_seen=row.last_seen, report=row.report)
        return contact if contact.report is not None else replace(contact, report=row.report)

    def forget(self, screen: str) -> None:
        """The screen is gone, or a different device now."""
        with self._lock:
            self._contacts.pop(screen, None)
            self._unwritten.discard(screen)

    def flush(self) -> None:
        """Write the contacts that are new since the last time. What could not be written is tried again."""
        with self._lock:
            batch = [(screen, self._contacts[screen]) for screen in self._unwritten]
            self._unwritten.clear()
        if not batch:
            return
        try:
            self._write(batch)
        except BaseException:
            with self._lock:
                self._unwritten.update(screen for screen, _ in batch if screen in self._contacts)
            raise

    def _write(self, batch: list[tuple[str, Contact]]) -> None:
        seen = update(ScreenRow).where(ScreenRow.id == bindparam("screen")).values(last_seen=bindparam("at"))
        said = seen.values(report=bindparam("said"))
        with self._database.write() as unit:
            connection = unit.session.connection()
            silent = [{"screen": screen, "at": one.last_seen} for screen, one in batch if one.report is None]
            spoken = [
                {"screen": screen, "at": one.last_seen, "said": one.report}
                for screen, one in batch
                if one.report is not None
            ]
            if silent:
                connection.execute(seen, silent)
            if spoken:
                connection.execute(said, spoken)


def is_online(contact: Contact | None, *, now: datetime) -> bool:
    """Whether the last contact is less than two minutes ago (specification, states)."""
    return contact is not None and now - contact.last_seen < OFFLINE_AFTER


def _overtaken(said: dict[str, Any], known: dict[str, Any] | None) -> bool:
    return known is not None and said["bootId"] == known["bootId"] and said["sequence"] < known["sequence"]
