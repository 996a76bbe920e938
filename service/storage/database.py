"""Transactions: reads that see one moment, and units of work that commit whole and tell what changed."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from service.core.changes import Change
from service.core.clock import Clock
from service.core.errors import ProblemError
from service.storage.engines import for_reading, for_writing, turn_of


@dataclass(slots=True)
class Unit:
    """One effect on the database: everything a call changes, its instant, and the notices it will cause.

    What must be saved together with the effect is added to the same session.
    """

    session: Session
    now: datetime
    changes: list[Change] = field(default_factory=list)

    def announce(self, change: Change) -> None:
        """Tell the hub after the commit, and not at all if there is none."""
        self.changes.append(change)


@dataclass(slots=True)
class _Joint:
    """What several units of work of one call share; opened by the first that writes."""

    stack: ExitStack
    unit: Unit | None = None
    failed: bool = False


_joint: ContextVar[_Joint | None] = ContextVar("joint", default=None)


class Database:
    """Opens transactions; the only holder of the engine. Safe to use from any thread."""

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
        self._worker = for_writing(engine, alone=False)
        self._write_turn = turn_of(engine)
        self._clock = clock
        self._publish = publish
        self._relay = relay

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session that sees the database as it was at its first statement, or what a joint unit has made of it."""
        joint = _joint.get()
        if joint is not None and joint.unit is not None:
            yield joint.unit.session
            return
        with Session(self._reader, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def write(self) -> Iterator[Unit]:
        """A unit of work: committed at the end, rolled back by any exception, announced once committed."""
        joint = _joint.get()
        if joint is None:
            with self._unit(self._writer) as unit:
                yield unit
            return
        if joint.unit is None:
            joint.unit = joint.stack.enter_context(self._unit(self._writer))
        try:
            yield joint.unit
            joint.unit.session.flush()
        except BaseException:
            joint.failed = True
            raise

    @contextmanager
    def work(self) -> Iterator[Unit]:
        """A unit of work on rows that it claims (`storage.claims`): where the engine can, beside other writers."""
        with self._unit(self._worker) as unit:
            yield unit

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make all units of work of this block one, which commits at its end.

        A problem that is found between two of them keeps what the first has done, as it would without the block. Any
        other exception, and a problem inside of a unit, rolls all of it back.
        """
        refusal: ProblemError | None = None
        with ExitStack() as stack:
            joint = _Joint(stack)
            token = _joint.set(joint)
            try:
                yield
            except ProblemError as problem:
                if joint.failed:
                    raise
                refusal = problem
            finally:
                # Before the commit: who is told of it opens transactions of its own.
                _joint.reset(token)
        if refusal is not None:
            raise refusal

    @contextmanager
    def _unit(self, engine: Engine) -> Iterator[Unit]:
        with self._write_turn, Session(engine, expire_on_commit=False) as session, session.begin():
            # Takes the write lock before the clock is read: waiting for it is not part of the effect.
            session.connection()
            unit = Unit(session=session, now=self._clock.now())
            yield unit
            changes = tuple(dict.fromkeys(unit.changes))
            if self._relay is not None and changes:
                self._relay(session, changes)
        self._publish(changes)

    def now(self) -> datetime:
        """The instant by which units of work go."""
        return self._clock.now()

    def close(self) -> None:
        """Close the pooled connections."""
        self._reader.dispose()
