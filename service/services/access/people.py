"""Manages people who use the desk: the first owner, signing in by password or by a link that works once."""

from datetime import timedelta
from enum import StrEnum

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session

from service.core.errors import Fault, ProblemError, invalid
from service.core.ids import NewId, digest_of, new_secret
from service.core.permissions import Role
from service.schema.workspace.person import (
    FirstOwner,
    Joining,
    LinkRequest,
    NewMember,
    NewPassword,
    PasswordChange,
    PersonPatch,
    SignIn,
)
from service.services.access.attempts import check_address, check_sign_ins, count_link, count_wrong
from service.services.access.entries import Entries, Entry
from service.services.access.identity import Identity
from service.services.access.passwords import hashed, is_password
from service.services.access.second_factors import remove_factor
from service.services.access.sessions import Caller, SignedIn
from service.services.access.team import TeamService
from service.services.access.workspaces import default_workspace
from service.storage.database import Database, Unit
from service.storage.tables.people import PendingSignInRow, PersonRow, SessionRow, SignInLinkRow, WrongSignInRow
from service.storage.tables.workspaces import MemberRow

SET_UP_LIFETIME = timedelta(days=1)
LINK_LIFETIME = timedelta(hours=1)
MAILED_LIFETIME = timedelta(minutes=15)
LINK_PREFIX = "ml_"

_NO_EMAIL = ""
"""A wrong link is counted under its network address alone."""


class LinkPurpose(StrEnum):
    SIGN_IN = "sign_in"
    """Set-up of the first owner, or signing in: made by the operator."""
    MAILED = "mailed"
    PASSWORD = "password"  # noqa: S105  (a name)


class PeopleService:
    def __init__(self, *, database: Database, entries: Entries, team: TeamService, new_id: NewId) -> None:
        self._database = database
        self._team = team
        self._entries = entries
        self._new_id = new_id

    def set_up_token(self) -> str | None:
        """Returns the token of a new set-up link; None once the default workspace has an owner who can sign in."""
        with self._database.write() as unit:
            workspace = default_workspace(unit, self._new_id)
            return None if _has_owner(unit.session, workspace) else self._add_link(unit, workspace, None)

    def sign_in_token(self, workspace: str, body: NewMember, *, without_second_factor: bool = False) -> str:
        """Returns the token of a link that signs a person in, for the installation's operator; makes the member if
        needed, and turns their second factor off if that is lost."""
        with self._database.write() as unit:
            member = _member(unit.session, body.email, workspace) or self._add_member(unit, workspace, body)
            person = _person(unit.session, body.email.lower())
            if without_second_factor and person is not None:
                remove_factor(unit, person.id)
            return self._add_link(unit, workspace, member.id)

    def awaits_owner(self, token: str) -> bool:
        """True if the token is that of a set-up link."""
        with self._database.read() as session:
            row = session.scalar(select(SignInLinkRow).where(SignInLinkRow.digest == digest_of(token)))
            return row is not None and row.member_id is None and row.expires_at > self._database.now()

    def set_up(self, body: FirstOwner, caller: Caller) -> Entry:
        """Makes the first owner and lets them in. Raises 403, and 429 after wrong tokens."""
        password = hashed(body.password)
        with self._database.write() as unit:
            link = self._link(unit, body.token, caller)
            if link is not None and link.member_id is None and not _has_owner(unit.session, link.workspace_id):
                new = NewMember(name=body.name, email=body.email, role=Role.OWNER)
                member = _member(unit.session, body.email, link.workspace_id)
                member = member or self._add_member(unit, link.workspace_id, new)
                member.role = Role.OWNER.value
                person = self._person(unit, member.email)
                person.password = password
                waiting = SignInLinkRow.workspace_id == link.workspace_id, SignInLinkRow.member_id.is_(None)
                unit.session.execute(delete(SignInLinkRow).where(*waiting))
                return self._entries.begin(unit, person, member, caller)
        raise _link_used()

    def follow(self, token: str, caller: Caller, purpose: LinkPurpose = LinkPurpose.SIGN_IN) -> Entry:
        """Signs in by a link, which is used up. Raises 403, and 429 after wrong tokens."""
        with self._database.write() as unit:
            link = self._link(unit, token, caller, purpose)
            if link is not None and link.member_id is not None:
                member = unit.session.scalars(select(MemberRow).where(MemberRow.id == link.member_id)).one()
                unit.session.delete(link)
                return self._entries.begin(unit, self._person(unit, member.email), member, caller)
        raise _link_used()

    def ask_for_link(self, body: LinkRequest, caller: Caller) -> None:
        """Counts a requested link. Raises 429 after too many, whoever has the address."""
        with self._database.write() as unit:
            count_link(unit, body.email.strip().lower(), caller)

    def mailed_token(self, body: LinkRequest, purpose: LinkPurpose) -> str | None:
        """Returns the token of a link to mail to the member with this address, in place of an earlier one; None if
        nobody has it."""
        email = body.email.strip().lower()
        with self._database.write() as unit:
            member = _member(unit.session, email)
            if member is None:
                return None
            earlier = SignInLinkRow.member_id == member.id, SignInLinkRow.purpose == purpose.value
            unit.session.execute(delete(SignInLinkRow).where(*earlier))
            return self._add_link(unit, member.workspace_id, member.id, purpose, MAILED_LIFETIME)

    def choose_password(self, body: NewPassword, caller: Caller) -> Entry:
        """Changes the password by a mailed link, which is used up, and ends the person's sessions and pending sign-ins.
        Raises 403, and 429 after wrong tokens."""
        with self._database.write() as unit:
            link = self._link(unit, body.token, caller, LinkPurpose.PASSWORD)
        password = None if link is None else hashed(body.password)
        with self._database.write() as unit:
            link = None if password is None else self._link(unit, body.token, caller, LinkPurpose.PASSWORD)
            if link is not None and link.member_id is not None:
                member = unit.session.scalars(select(MemberRow).where(MemberRow.id == link.member_id)).one()
                person = self._person(unit, member.email)
                person.password = password
                unit.session.delete(link)
                for table in (SessionRow, PendingSignInRow):
                    unit.session.execute(delete(table).where(table.person_id == person.id))
                return self._entries.begin(unit, person, member, caller)
        raise _link_used()

    def vouched(self, who: Identity, caller: Caller) -> Entry:
        """Lets in a person whom the identity provider confirms: a member, or an invited person, who joins by it. Raises
        the 403 problem."""
        email = who.email.strip().lower()
        with self._database.write() as unit:
            member = _member(unit.session, email) or self._team.join_invited(unit, email, who.name)
            if member is not None:
                person = self._person(unit, member.email)
                return self._entries.begin(unit, person, member, caller, both_shown=who.both_shown)
        raise ProblemError(
            403, "not_a_member", "They are no member", "Nobody has invited the e-mail address that the provider gives."
        )

    def check_address(self, caller: Caller) -> None:
        """Raises the 429 problem after too many wrong attempts of the address."""
        with self._database.write() as unit:
            check_address(unit, caller, "Too many attempts to sign in failed. Wait a while.")

    def count_wrong(self, caller: Caller) -> None:
        """Counts a wrong attempt of the address alone."""
        with self._database.write() as unit:
            count_wrong(unit, _NO_EMAIL, caller)

    def join(self, body: Joining, caller: Caller) -> Entry:
        """Makes an invited person a member and lets them in.

        A person with a password enters that one. A member of another workspace must have one: the person who made the
        invitation has the link as well, and must not choose a password that opens another workspace. Raises 403, 404,
        409, 410, 429.
        """
        email = self._team.invited(body.token, address=caller.address).lower()
        with self._database.read() as session:
            known = _person(session, email)
            stored = None if known is None else known.password
            elsewhere = _member(session, email) is not None
        if stored is not None:
            return self._join(body, caller, email, stored, password=self._checked(email, body.password, stored, caller))
        if elsewhere:
            raise ProblemError(
                409,
                "password_needed",
                "They have no password yet",
                "Whoever is a member of another workspace signs in there first, and chooses a password.",
            )
        return self._join(body, caller, email, None, password=hashed(body.password))

    def _join(self, body: Joining, caller: Caller, email: str, stored: str | None, *, password: str) -> Entry:
        with self._database.write() as unit:
            person = self._person(unit, email)
            if person.password != stored or (stored is None and _member(unit.session, email) is not None):
                raise _link_used()
            person.password = password
            member = self._team.join(unit, body.token, body.name, address=caller.address)
            return self._entries.begin(unit, person, member, caller)

    def _checked(self, email: str, password: str, stored: str, caller: Caller) -> str:
        """Returns the stored password, if this is it. Raises 403, and 429 after too many wrong ones."""
        with self._database.write() as unit:
            check_sign_ins(unit, email, caller)
            number = count_wrong(unit, email, caller)
        if not is_password(stored, password):
            raise _wrong_password()
        with self._database.write() as unit:
            unit.session.execute(delete(WrongSignInRow).where(WrongSignInRow.number == number))
        return stored

    def sign_in(self, body: SignIn, caller: Caller) -> Entry:
        """Signs in by password. Raises 403, and 429 after too many wrong ones."""
        email = body.email.strip().lower()
        with self._database.write() as unit:
            check_sign_ins(unit, email, caller)
            # Counted before it is checked: attempts at the same moment cannot pass the limit together.
            number = count_wrong(unit, email, caller)
            person = _person(unit.session, email)
        stored = None if person is None else person.password
        if is_password(stored, body.password):
            with self._database.write() as unit:
                person = _person(unit.session, email)
                member = _member(unit.session, email)
                # The same password as was checked, outside of the transaction.
                if person is not None and member is not None and person.password == stored:
                    unit.session.execute(delete(WrongSignInRow).where(WrongSignInRow.number == number))
                    return self._entries.begin(unit, person, member, caller)
        raise _wrong_password()

    def change_password(self, who: SignedIn, body: PasswordChange) -> None:
        """Changes the person's password, and ends their other sessions. Raises the 422 problem."""
        with self._database.read() as session:
            stored = session.scalars(select(PersonRow.password).where(PersonRow.id == who.person)).one()
        if stored is not None and not is_password(stored, body.current):
            raise invalid([Fault("wrong_password", "This is not the password until now.", "/current")])
        password = hashed(body.password)
        with self._database.write() as unit:
            person = unit.session.scalars(select(PersonRow).where(PersonRow.id == who.person)).one()
            # The same password as was checked, outside of the transaction.
            if person.password != stored:
                raise invalid([Fault("wrong_password", "This is not the password until now.", "/current")])
            person.password = password
            others = SessionRow.person_id == who.person, SessionRow.id != who.session
            unit.session.execute(delete(SessionRow).where(*others))

    def change(self, who: SignedIn, body: PersonPatch) -> None:
        """Changes the person's own settings."""
        with self._database.write() as unit:
            person = unit.session.scalars(select(PersonRow).where(PersonRow.id == who.person)).one()
            person.language = body.given().get("language", person.language)

    def _link(
        self, unit: Unit, token: str, caller: Caller, purpose: LinkPurpose = LinkPurpose.SIGN_IN
    ) -> SignInLinkRow | None:
        """Returns the link with this token; a wrong token is counted. Raises 429 for wrong tokens only."""
        this = SignInLinkRow.digest == digest_of(token), SignInLinkRow.purpose == purpose.value
        link = unit.session.scalar(select(SignInLinkRow).where(*this))
        if link is not None and link.expires_at > unit.now:
            return link
        check_address(unit, caller, "Too many wrong links came from this address.")
        count_wrong(unit, _NO_EMAIL, caller)
        return None

    def _add_link(
        self,
        unit: Unit,
        workspace: str,
        member: str | None,
        purpose: LinkPurpose = LinkPurpose.SIGN_IN,
        lifetime: timedelta = LINK_LIFETIME,
    ) -> str:
        unit.session.execute(delete(SignInLinkRow).where(SignInLinkRow.expires_at <= unit.now))
        token = new_secret(LINK_PREFIX)
        unit.session.add(
            SignInLinkRow(
                digest=digest_of(token),
                workspace_id=workspace,
                member_id=member,
                purpose=purpose.value,
                expires_at=unit.now + (SET_UP_LIFETIME if member is None else lifetime),
            )
        )
        unit.session.flush()
        return token

    def _add_member(self, unit: Unit, workspace: str, body: NewMember) -> MemberRow:
        row = MemberRow(
            id=self._new_id("mem"),
            workspace_id=workspace,
            email=body.email,
            name=body.name,
            role=body.role.value,
            key_id=None,
            created_at=unit.now,
        )
        unit.session.add(row)
        unit.session.flush()
        return row

    def _person(self, unit: Unit, email: str) -> PersonRow:
        row = _person(unit.session, email.lower())
        if row is None:
            row = PersonRow(id=self._new_id("per"), email=email.lower(), password=None, created_at=unit.now)
            unit.session.add(row)
            unit.session.flush()
        return row


def _person(session: Session, email: str) -> PersonRow | None:
    return session.scalar(select(PersonRow).where(PersonRow.email == email))


def _member(session: Session, email: str, workspace: str | None = None) -> MemberRow | None:
    """Returns the member with this address: of a workspace, or of the oldest that has one."""
    found = select(MemberRow).where(func.lower(MemberRow.email) == email.lower())
    if workspace is not None:
        found = found.where(MemberRow.workspace_id == workspace)
    return session.scalar(found.order_by(MemberRow.number).limit(1))


def _has_owner(session: Session, workspace: str) -> bool:
    owner = select(MemberRow.id).join(PersonRow, PersonRow.email == func.lower(MemberRow.email))
    owner = owner.where(MemberRow.workspace_id == workspace, MemberRow.role == Role.OWNER.value)
    return session.scalar(select(exists(owner))) or False


def _wrong_password() -> ProblemError:
    return ProblemError(403, "wrong_password", "This did not match", "The e-mail address or the password is not right.")


def _link_used() -> ProblemError:
    return ProblemError(
        403, "link_used", "This link does not work any more", "It works once, for a limited time. Ask for a new one."
    )
