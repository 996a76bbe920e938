"""Which screens are there: contacts and reports are kept in memory and written in batches.

A crash loses the contacts since the last batch; the next contact makes up for them. That a screen came or went is told
once, whichever process notices: what was told last stands in the screen's row and changes together with the event.
"""

import threading
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update

from service.events import EventType
from service.schema.device import Heartbeat
from service.schema.fields import instant_or_none
from service.services.lookup import batches
from service.services.outbox import emit_all
from service.storage.database import Database, Unit
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
        self._since = database.now()

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
        # What is written is newer where the screen calls another process by now.
        if row.last_seen is not None and (contact is None or contact.last_seen < row.last_seen):
            return Contact(last_seen=row.last_seen, report=row.report)
        return contact if contact is None or contact.report is not None else replace(contact, report=row.report)

    def online(self, row: ScreenRow, *, now: datetime) -> bool:
        """Whether the screen is there. After a start, who was there gets the time to call again."""
        return is_online(self.of(row), now=now) or (row.online and self._settling(now))

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

    def sweep(self) -> None:
        """Tell of the screens that have gone. `flush` goes before, or those who just called are asked for as well."""
        now = self._database.now()
        if self._settling(now):
            return
        with self._database.read() as session:
            silent = session.scalars(select(ScreenRow).where(ScreenRow.online, _silent_at(now))).all()
        gone = [row.id for row in silent if not self.online(row, now=now)]
        for some in batches(gone):
            with self._database.write() as unit:
                chosen = select(ScreenRow).where(ScreenRow.id.in_(some), ScreenRow.online, _silent_at(unit.now))
                _tell(unit, unit.session.scalars(chosen).all(), online=False)

    def _settling(self, now: datetime) -> bool:
        return now - self._since < OFFLINE_AFTER

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
            for some in batches([screen for screen, one in batch if is_online(one, now=unit.now)]):
                chosen = select(ScreenRow).where(ScreenRow.id.in_(some), ScreenRow.online.is_(False))
                _tell(unit, unit.session.scalars(chosen).all(), online=True)


def is_online(contact: Contact | None, *, now: datetime) -> bool:
    """Whether the last contact is less than two minutes ago (specification, states)."""
    return contact is not None and now - contact.last_seen < OFFLINE_AFTER


def _silent_at(now: datetime) -> ColumnElement[bool]:
    # A screen that was paired anew and has not called since was last heard of then.
    return func.coalesce(ScreenRow.last_seen, ScreenRow.changed_at) <= now - OFFLINE_AFTER


def _tell(unit: Unit, rows: Sequence[ScreenRow], *, online: bool) -> None:
    kind = EventType.SCREEN_ONLINE if online else EventType.SCREEN_OFFLINE
    by_workspace: dict[str, list[ScreenRow]] = defaultdict(list)
    for row in rows:
        row.online = online
        by_workspace[row.workspace_id].append(row)
    for workspace, some in by_workspace.items():
        emit_all(unit, workspace, kind, [_told(row) for row in some])


def _told(row: ScreenRow) -> dict[str, object]:
    return {
        "screen": row.id,
        "name": row.name,
        "location": row.location_id,
        "playlist": row.playlist_id,
        "lastSeen": instant_or_none(row.last_seen),
    }


def _overtaken(said: dict[str, Any], known: dict[str, Any] | None) -> bool:
    return known is not None and said["bootId"] == known["bootId"] and said["sequence"] < known["sequence"]
