"""Manages sessions of people at the desk.

The cookie has a token of 256 random bits; the database has its digest. A session ends 12 hours after its last use and
30 days after its beginning, when it is revoked, and with its member. The role is the member's, read with each request.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Row, delete, select, update
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import not_found
from service.core.ids import NewId, digest_of, new_secret, secret_from
from service.core.permissions import Role
from service.schema.workspace.person import SessionView
from service.services.access.access import Access
from service.services.shared.lookup import batches, keep_newest
from service.storage.audit import act_as
from service.storage.database import Database, Unit
from service.storage.tables.base import ADDRESS_LENGTH
from service.storage.tables.people import AGENT_LENGTH, PersonRow, SessionRow
from service.storage.tables.workspaces import MemberRow

IDLE = timedelta(hours=12)
LONGEST = timedelta(days=30)
TOUCHED_EVERY = timedelta(minutes=5)
"""A use is written at most so often: a page a second costs no write a second."""
MAX_SESSIONS = 50
"""Sessions of one person; the oldest ends when another begins."""

_CSRF = "csrf"


@dataclass(frozen=True, slots=True)
class Caller:
    """Address and browser of a person who signs in."""

    address: str
    agent: str


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A person at the desk. `access` acts for them in the services, under the member's id and role."""

    access: Access
    session: str
    person: str
    name: str
    email: str
    language: str | None
    has_password: bool
    csrf: str
    """The token that every change brings along: it is bound to the session."""


class SessionService:
    def __init__(self, *, database: Database, new_id: NewId) -> None:
        self._database = database
        self._new_id = new_id

    def begin(self, unit: Unit, person: PersonRow, member: MemberRow, caller: Caller) -> str:
        """Begins a session in the caller's transaction; returns the token for its cookie."""
        token = new_secret()
        act_as(unit.session, member.workspace_id, member.id)
        unit.session.add(
            SessionRow(
                id=self._new_id("ses"),
                digest=digest_of(token),
                person_id=person.id,
                member_id=member.id,
                address=caller.address[:ADDRESS_LENGTH],
                agent=caller.agent[:AGENT_LENGTH],
                created_at=unit.now,
                used_at=unit.now,
            )
        )
        unit.session.flush()
        keep_newest(unit.session, SessionRow, MAX_SESSIONS, SessionRow.person_id == person.id)
        return token

    def of(self, token: str) -> SignedIn | None:
        """Returns the person with this token in their cookie, and None if the session has ended."""
        now = self._database.now()
        with self._database.read() as session:
            found = _found(session, token, now)
        if found is None:
            return None
        row, person, member = found
        if row.used_at <= now - TOUCHED_EVERY:
            self._touch(row.id)
        return SignedIn(
            access=_access(member),
            session=row.id,
            person=person.id,
            name=member.name,
            email=member.email,
            language=person.language,
            has_password=person.password is not None,
            csrf=secret_from(token, purpose=_CSRF),
        )

    def now(self) -> datetime:
        """Returns the time by which sessions are shown."""
        return self._database.now()

    def accesses(self, sessions: Collection[str]) -> dict[str, Access]:
        """Returns the access of each of these sessions now, by its id; those that have ended are left out."""
        found: dict[str, Access] = {}
        with self._database.read() as session:
            for some in batches(sorted(sessions)):
                lasting = (
                    select(SessionRow.id, MemberRow)
                    .join(MemberRow, MemberRow.id == SessionRow.member_id)
                    .where(SessionRow.id.in_(some), *lasts(self._database.now()))
                )
                found.update((identifier, _access(member)) for identifier, member in session.execute(lasting))
        return found

    def list(self, who: SignedIn) -> list[SessionView]:
        """Returns the person's sessions, newest first."""
        now = self._database.now()
        mine = select(SessionRow).where(SessionRow.person_id == who.person, *lasts(now))
        with self._database.read() as session:
            return [
                session_view(row, current=row.id == who.session)
                for row in session.scalars(mine.order_by(SessionRow.number.desc()))
            ]

    def revoke(self, who: SignedIn, session: str) -> None:
        """Ends one of the person's sessions. Raises the 404 problem."""
        with self._database.write() as unit:
            row = unit.session.scalar(
                select(SessionRow).where(SessionRow.person_id == who.person, SessionRow.id == session)
            )
            if row is None:
                raise not_found("session", session)
            unit.session.delete(row)

    def end(self, token: str) -> None:
        """Ends the session with this token, if there is one."""
        with self._database.write() as unit:
            for row in unit.session.scalars(select(SessionRow).where(SessionRow.digest == digest_of(token))):
                unit.session.delete(row)

    def prune(self) -> None:
        """Deletes sessions that have ended by themselves."""
        with self._database.write() as unit:
            ended = (SessionRow.used_at <= unit.now - IDLE) | (SessionRow.created_at <= unit.now - LONGEST)
            unit.session.execute(delete(SessionRow).where(ended))

    def _touch(self, session: str) -> None:
        with self._database.write() as unit:
            used = update(SessionRow).where(SessionRow.id == session, SessionRow.used_at < unit.now)
            unit.session.execute(used.values(used_at=unit.now))


def _access(member: MemberRow) -> Access:
    return Access(workspace=member.workspace_id, role=Role(member.role), key=member.id)


def _found(session: Session, token: str, now: datetime) -> "Row[SessionRow, PersonRow, MemberRow] | None":
    # The type is a text: SQLAlchemy 2.0 would take one parameter.
    return session.execute(
        select(SessionRow, PersonRow, MemberRow)
        .join(PersonRow, PersonRow.id == SessionRow.person_id)
        .join(MemberRow, MemberRow.id == SessionRow.member_id)
        .where(SessionRow.digest == digest_of(token), *lasts(now))
    ).one_or_none()


def lasts(now: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Returns the conditions of a session that has not ended by itself."""
    return SessionRow.used_at > now - IDLE, SessionRow.created_at > now - LONGEST


def session_view(row: SessionRow, *, current: bool) -> SessionView:
    return SessionView(
        id=row.id,
        address=row.address,
        agent=row.agent,
        created_at=instant_text(row.created_at),
        used_at=instant_text(row.used_at),
        current=current,
    )
