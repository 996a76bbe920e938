"""Transactions: reads in one snapshot, and units of work that commit as a whole and publish their changes."""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from sqlalchemy import Connection, Engine, Table, bindparam, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from service.core.changes import Change, ContentChanged
from service.core.clock import Clock
from service.core.errors import ProblemError
from service.storage.audit import nobody_acts, write_audit
from service.storage.engines import for_reading, for_writing, readers_of, write_lock_of
from service.storage.full_disk import is_full_disk
from service.storage.history import UnitSession
from service.storage.tables.workspaces import FactRow, WorkspaceRow

_TRIAL_NAME = "room on the disk"

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Unit:
    """A unit of work: one write transaction with its instant, and the changes to publish after the commit.

    Rows that must be saved together go into the same session.
    """

    session: Session
    now: datetime
    changes: list[Change] = field(default_factory=list)
    left: set[str] = field(default_factory=set)
    """Workspaces from whose manifests something left: what is left in them may be older than the last revision."""

    def announce(self, change: Change) -> None:
        """Publishes the change after the commit; a rollback drops it."""
        self.changes.append(change)


@dataclass(slots=True)
class _SharedUnit:
    """Unit that all units of work of an `as_one_unit` block share; the first one opens it."""

    stack: ExitStack
    unit: Unit | None = None
    failed: bool = False


_shared_unit: ContextVar[_SharedUnit | None] = ContextVar("shared unit", default=None)


class Database:
    """Opens transactions. Safe to use from any thread."""

    def __init__(
        self,
        *,
        engine: Engine,
        clock: Clock,
        publish: Callable[[tuple[Change, ...]], None],
        relay: Callable[[Session, tuple[Change, ...]], None] | None = None,
    ) -> None:
        self._reader = for_reading(engine)
        self._writer = for_writing(engine)
        self._worker = for_writing(engine, exclusive=False)
        self._write_lock = write_lock_of(engine)
        self.readers = readers_of(engine)
        """Threads that short reads are best done by."""
        self._clock = clock
        self._full = False
        self._publish = publish
        self._relay = relay

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Opens a session that sees the database as of its first statement, or the changes of a shared unit."""
        shared = _shared_unit.get()
        if shared is not None and shared.unit is not None:
            yield shared.unit.session
            return
        with Session(self._reader, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def read_plain(self) -> Iterator[Connection]:
        """Like `read`, for plain rows alone (`storage.plain_rows`): without a session, it takes half of the time."""
        shared = _shared_unit.get()
        if shared is not None and shared.unit is not None:
            yield shared.unit.session.connection()
            return
        with self._reader.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Unit]:
        """Opens a unit of work: committed at the end, rolled back by any exception. Changes are published once
        committed."""
        shared = _shared_unit.get()
        if shared is None:
            with self._unit(self._writer) as unit:
                yield unit
            return
        if shared.unit is None:
            shared.unit = shared.stack.enter_context(self._unit(self._writer))
        try:
            yield shared.unit
            shared.unit.session.flush()
        except BaseException:
            shared.failed = True
            raise

    @contextmanager
    def write_concurrently(self) -> Iterator[Unit]:
        """Opens a unit of work on claimed rows (`storage.claims`), concurrent with other writers where the engine
        allows."""
        with self._unit(self._worker) as unit:
            yield unit

    @contextmanager
    def as_one_unit(self) -> Iterator[None]:
        """Joins all units of work of this block in one, which commits at its end.

        A ProblemError between two of them keeps the effect of the first, as it would without the block. Any other
        exception, and a ProblemError inside of a unit, rolls everything back.
        """
        refusal: ProblemError | None = None
        with ExitStack() as stack:
            shared = _SharedUnit(stack)
            token = _shared_unit.set(shared)
            try:
                yield
            except ProblemError as problem:
                if shared.failed:
                    raise
                refusal = problem
            finally:
                # Before the commit: listeners open transactions of their own.
                _shared_unit.reset(token)
        if refusal is not None:
            raise refusal

    @contextmanager
    def _unit(self, engine: Engine) -> Iterator[Unit]:
        with (
            self._noticing_full_disk(),
            self._write_lock,
            UnitSession(engine, expire_on_commit=False) as session,
            session.begin(),
        ):
            # Take the write lock before reading the clock: the instant is that of the effect, not of the request.
            session.connection()
            unit = Unit(session=session, now=self._clock.now())
            session.info["now"] = unit.now
            yield unit
            session.flush()
            write_audit(session, unit.now)
            changes = tuple(dict.fromkeys(unit.changes))
            _number_content(unit, changes)
            if self._relay is not None and changes:
                self._relay(session, changes)
        with nobody_acts():
            self._publish(changes)

    @contextmanager
    def _noticing_full_disk(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as fault:
            if is_full_disk(fault) and not self._full:
                self._full = True
                _log.error("the disk of the database is full: nothing can be changed until there is room on it")
            raise

    def has_room(self) -> bool:
        """Returns whether the database can be written. Tests it while its disk was last known to be full."""
        if self._full:
            try:
                for size in (256 * 1024, 0):  # More than most changes need: what fits by chance is no room.
                    with self._unit(self._writer) as unit:
                        unit.session.merge(FactRow(name=_TRIAL_NAME, value="0" * size))
            except DBAPIError as fault:
                if is_full_disk(fault):
                    return False
                raise
            self._full = False
            _log.warning("there is room on the disk of the database again")
        return True

    def now(self) -> datetime:
        """Returns the current instant of the clock that units of work use."""
        return self._clock.now()

    def close(self) -> None:
        self._reader.dispose()


_workspaces = cast("Table", WorkspaceRow.__table__)
_numbered = (
    update(_workspaces)
    .where(_workspaces.c.id == bindparam("workspace"))
    .values(content_number=_workspaces.c.content_number + 1)
)
_left = _numbered.values(catalogue_changed_at=bindparam("now"))


def _number_content(unit: Unit, changes: tuple[Change, ...]) -> None:
    """Counts a change of the content of each workspace, in the transaction of the change, and records removals from its
    manifests."""
    changed = {change.workspace for change in changes if isinstance(change, ContentChanged)}
    for workspace in sorted(changed | unit.left):
        if workspace in unit.left:
            unit.session.connection().execute(_left, {"workspace": workspace, "now": unit.now})
        else:
            unit.session.connection().execute(_numbered, {"workspace": workspace})
