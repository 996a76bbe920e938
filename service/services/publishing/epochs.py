"""Epoch of an installation: players assume that revisions never decrease within one (docs/adr/0089).

A random id, created with the database. It moves with a copy of the database that replaces it, and ends when an older
state of the database is restored: `menu-service restore` and `mark-restored` report that, and otherwise the first board
that holds something newer.
"""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec
from msgspec import Struct
from sqlalchemy import delete
from sqlalchemy.orm import Session

from service.core.changes import ChangesMissed
from service.core.clock import instant_text
from service.core.ids import NewId
from service.storage.database import Database, Unit
from service.storage.tables.people import PendingSignInRow, SessionRow, SignInLinkRow
from service.storage.tables.workspaces import CONTRADICTED_NAME, EPOCH_NAME, RESTORED_NAME, FactRow

BELIEVED_EVERY = timedelta(days=1)
"""Boards can begin one epoch in this time, so that no board has all others fetch their menus again and again. Where the
database is put back once more, what it knows of the last time is put back with it."""

SHOWN_FOR = timedelta(days=14)
"""The time for which people are told of a restore."""

_log = logging.getLogger(__name__)


class Restored(Struct, frozen=True, kw_only=True):
    at: datetime
    ids: tuple[str, ...] = ()
    """Keys and members that had ended or changed since the backup, as far as that is known."""


class Epochs:
    """Begins epochs. Safe to use from any thread and process."""

    def __init__(self, *, database: Database, new_id: NewId) -> None:
        self._database = database
        self._new_id = new_id

    def begin(self) -> None:
        """Creates the first epoch, unless there is one."""
        with self._database.write() as unit:
            if unit.session.get(FactRow, EPOCH_NAME) is None:
                self._begin(unit)

    def begin_anew(self) -> None:
        """Ends the epoch, because an operator reports that the database was restored."""
        with self._database.write() as unit:
            self._begin_restored(unit)
            contradicted = unit.session.get(FactRow, CONTRADICTED_NAME)
            if contradicted is not None:
                unit.session.delete(contradicted)

    def contradicted(self, epoch: str, *, screen: str) -> None:
        """Ends the epoch, because a board holds something newer: the database was restored without notice."""
        if self.contradicted_at() is not None:
            return
        with self._database.write() as unit:
            # Another board may have said so first.
            if epoch_of(unit.session) != epoch or _contradicted_at(unit.session, now=unit.now) is not None:
                return
            self._begin_restored(unit)
            unit.session.merge(FactRow(name=CONTRADICTED_NAME, value=instant_text(unit.now)))
            unit.announce(ChangesMissed())
        _log.error(
            "the database is older than what the screen %s has shown: it was put back without `menu-service restore` "
            "or `mark-restored`. Boards follow it from now on; what was changed after that state is lost",
            screen,
        )

    def contradicted_at(self) -> datetime | None:
        """Returns when a board last contradicted the database, within the last day."""
        with self._database.read() as session:
            return _contradicted_at(session, now=self._database.now())

    def restored(self) -> Restored | None:
        """Returns the last restore, if it is still to be shown to users."""
        with self._database.read() as session:
            row = session.get(FactRow, RESTORED_NAME)
            found = None if row is None else msgspec.json.decode(row.value, type=Restored)
            return found if found is not None and self._database.now() - found.at < SHOWN_FOR else None

    def _begin_restored(self, unit: Unit) -> None:
        self._begin(unit)
        unit.session.merge(FactRow(name=RESTORED_NAME, value=restored_fact(unit.now)))
        # A sign-in that had ended since that state must not go on.
        for table in (SessionRow, PendingSignInRow, SignInLinkRow):
            unit.session.execute(delete(table))

    def _begin(self, unit: Unit) -> None:
        unit.session.merge(FactRow(name=EPOCH_NAME, value=self._new_id("epoch")))


def restored_fact(at: datetime, ids: Iterable[str] = ()) -> str:
    """Encodes the fact that the database was restored."""
    return msgspec.json.encode(Restored(at=at, ids=tuple(ids))).decode()


def epoch_of(session: Session) -> str:
    return session.get_one(FactRow, EPOCH_NAME).value


def _contradicted_at(session: Session, *, now: datetime) -> datetime | None:
    row = session.get(FactRow, CONTRADICTED_NAME)
    at = None if row is None else datetime.fromisoformat(row.value)
    # One in the future was written by a clock that has been corrected since.
    return at if at is not None and timedelta() <= now - at < BELIEVED_EVERY else None
