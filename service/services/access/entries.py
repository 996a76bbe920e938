"""Lets people in after their first factor, such as a password: a session, or first the second factor.

Until the second factor is shown there is no session but a pending sign-in of ten minutes, in a cookie and a table of
its own.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import Row, delete, select
from sqlalchemy.orm import Session

from service.core.errors import ProblemError
from service.core.ids import digest_of, new_secret
from service.schema.workspace.person import FactorCode
from service.services.access.second_factors import SecondFactorService, has_factor, is_required, wrong_code
from service.services.access.sessions import Caller, SessionService
from service.services.shared.lookup import keep_newest
from service.storage.database import Database, Unit
from service.storage.tables.people import PendingSignInRow, PersonRow
from service.storage.tables.workspaces import MemberRow

PENDING_LIFETIME = timedelta(minutes=10)
MAX_PENDING = 5
"""Pending sign-ins of one person; the oldest ends when another begins."""


class Step(StrEnum):
    """Next step of signing in."""

    SIGNED_IN = "signed in"
    CODE = "code"
    SET_UP = "set up"
    """The workspace needs a second factor, and the person has none yet."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Token for a cookie: of a session, or of a pending sign-in."""

    token: str
    step: Step


@dataclass(frozen=True, slots=True)
class Pending:
    """A person who has shown one factor."""

    person: str
    email: str
    step: Step


@dataclass(frozen=True, slots=True)
class Finished:
    """Token of a session, and new recovery codes, which are shown once."""

    token: str
    recovery_codes: tuple[str, ...] = ()


class Entries:
    """Lets people in who have shown the required factors."""

    def __init__(self, *, database: Database, sessions: SessionService, factors: SecondFactorService) -> None:
        self._database = database
        self._sessions = sessions
        self._factors = factors

    def begin(
        self, unit: Unit, person: PersonRow, member: MemberRow, caller: Caller, *, both_shown: bool = False
    ) -> Entry:
        """Continues after the first factor, in the caller's transaction."""
        step = Step.SIGNED_IN if both_shown else _step(unit.session, person, member)
        if step is Step.SIGNED_IN:
            return Entry(self._sessions.begin(unit, person, member, caller), step)
        if step is Step.SET_UP:
            self._factors.begin_for(unit, person.id)
        unit.session.execute(delete(PendingSignInRow).where(PendingSignInRow.expires_at <= unit.now))
        token = new_secret()
        unit.session.add(
            PendingSignInRow(
                digest=digest_of(token),
                person_id=person.id,
                member_id=member.id,
                expires_at=unit.now + PENDING_LIFETIME,
            )
        )
        unit.session.flush()
        keep_newest(unit.session, PendingSignInRow, MAX_PENDING, PendingSignInRow.person_id == person.id)
        return Entry(token, step)

    def pending(self, token: str) -> Pending | None:
        """Returns the person with this token in their cookie, unless the sign-in has expired."""
        with self._database.read() as session:
            found = _found(session, token, self._database.now())
            if found is None:
                return None
            _, person, member = found
            step = _step(session, person, member)
        return None if step is Step.SIGNED_IN else Pending(person.id, person.email, step)

    def finish(self, token: str, body: FactorCode, caller: Caller) -> Finished:
        """Signs in by the second factor. Raises 403, and 429 after too many wrong codes."""
        with self._database.write() as unit:
            found = _found(unit.session, token, unit.now)
            if found is None:
                raise ProblemError(403, "sign_in_again", "This took too long", "Sign in again.")
            pending, person, member = found
            if _step(unit.session, person, member) is Step.SET_UP:
                codes = self._factors.confirm(unit, person.id, body.code, caller)
            else:
                codes = () if self._factors.accepts(unit, person.id, body.code, caller) else None
            if codes is not None:
                unit.session.delete(pending)
                return Finished(self._sessions.begin(unit, person, member, caller), codes)
        raise wrong_code()


def _step(session: Session, person: PersonRow, member: MemberRow) -> Step:
    if has_factor(session, person.id):
        return Step.CODE
    return Step.SET_UP if is_required(session, member.workspace_id) else Step.SIGNED_IN


def _found(session: Session, token: str, now: datetime) -> "Row[PendingSignInRow, PersonRow, MemberRow] | None":
    # The type is a text: SQLAlchemy 2.0 would take one parameter.
    return session.execute(
        select(PendingSignInRow, PersonRow, MemberRow)
        .join(PersonRow, PersonRow.id == PendingSignInRow.person_id)
        .join(MemberRow, MemberRow.id == PendingSignInRow.member_id)
        .where(PendingSignInRow.digest == digest_of(token), PendingSignInRow.expires_at > now)
    ).one_or_none()
