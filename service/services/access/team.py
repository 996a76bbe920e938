"""Manages the team of a workspace: invitations and members.

A member has a key of their own. Its role follows the member's, and it is removed with the member. Nobody can invite,
change or remove a member with a higher role.
"""

from datetime import timedelta
from enum import StrEnum

from sqlalchemy import ColumnElement, delete, exists, func, select
from sqlalchemy.orm import Session

from service.core.audit_acts import AuditAct
from service.core.changes import KeysChanged
from service.core.clock import instant_text
from service.core.errors import ProblemError, forbidden
from service.core.events import EventType
from service.core.ids import NewId, digest_of, new_secret
from service.core.permissions import Role, outranks
from service.schema.lists import Listing, whole
from service.schema.workspace.person import SessionView
from service.schema.workspace.team import (
    InviteAcceptance,
    InviteCreate,
    InviteLookup,
    InvitePreview,
    InviteResponse,
    MemberPatch,
    MemberResponse,
    NewInviteResponse,
    NewMemberResponse,
)
from service.services.access.access import Access, KeyAuthenticator
from service.services.access.sessions import lasts, session_view
from service.services.shared.attempt_limits import AttemptLimits, check_attempts
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import count, get, keep_newest, read_page
from service.services.webhooks.outbox import emit
from service.storage.audit import act_as, name_of, note
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.people import PersonRow, SecondFactorRow, SessionRow
from service.storage.tables.workspaces import EndedInviteRow, InviteRow, KeyRow, MemberRow, WorkspaceRow, WrongTokenRow

INVITE_LIFETIME = timedelta(days=7)
MAX_TEAM = 500
"""Members and open invitations of a workspace."""
MAX_ENDED_INVITES = 1000
"""Ended invitations of a workspace that are stored to say why they ended; older ones are deleted."""
DESK_JOIN = "/desk/join"
"""The page on which an invited person chooses a password for the desk."""
MAX_NAME = 200
"""Characters of a member's name."""
WRONG_TOKEN_LIMITS: AttemptLimits = ((10, timedelta(minutes=15)),)
"""Wrong tokens per address, and the period over which they are counted."""
TOKEN_PREFIX = "mi_"  # noqa: S105  (a prefix, not a secret)


class InviteEndReason(StrEnum):
    """Reason why an invitation cannot be accepted any more."""

    ACCEPTED = "accepted"
    EXPIRED = "expired"
    REPLACED = "replaced"
    WITHDRAWN = "withdrawn"


ACCEPTED_ALREADY = f"invite_{InviteEndReason.ACCEPTED}"
"""The code of the 410 problem."""

_END_DETAILS = {
    InviteEndReason.ACCEPTED: "It was accepted already. Each invitation lets one person in, once.",
    InviteEndReason.EXPIRED: f"It was good for {INVITE_LIFETIME.days} days. Ask to be invited again.",
    InviteEndReason.REPLACED: "A newer one was made for the same address. Use the newest.",
    InviteEndReason.WITHDRAWN: "Whoever manages the team took it back.",
}


class TeamService:
    def __init__(
        self, *, database: Database, keys: KeyAuthenticator, cursors: Cursors, new_id: NewId, public_url: str
    ) -> None:
        self._database = database
        self._keys = keys
        self._cursors = cursors
        self._new_id = new_id
        self._public_url = public_url

    def invite(self, access: Access, body: InviteCreate) -> NewInviteResponse:
        """Invites an address, replacing its earlier invitation. Raises 403, and 409 for members and a full team."""
        _check_rank(access, body.role)
        token = new_secret(TOKEN_PREFIX)
        link, desk_link = f"{self._public_url}/join#{token}", f"{self._public_url}{DESK_JOIN}?token={token}"
        with self._database.write() as unit:
            session, workspace = unit.session, access.workspace
            if session.scalar(select(exists().where(_is(MemberRow, workspace, body.email)))):
                raise ProblemError(409, "already_a_member", "They are a member already", f"{body.email} is a member.")
            for old in session.scalars(select(InviteRow).where(InviteRow.workspace_id == workspace)):
                if old.expires_at <= unit.now:
                    _end(session, old, InviteEndReason.EXPIRED)
                elif old.email == body.email:
                    _end(session, old, InviteEndReason.REPLACED)
            session.flush()
            if count(session, MemberRow, workspace) + count(session, InviteRow, workspace) >= MAX_TEAM:
                raise ProblemError(409, "team_full", "The team is full", f"A team has at most {MAX_TEAM} people.")
            row = InviteRow(
                id=self._new_id("inv"),
                workspace_id=workspace,
                email=body.email,
                role=body.role.value,
                digest=digest_of(token),
                invited_by=access.key,
                created_at=unit.now,
                expires_at=unit.now + INVITE_LIFETIME,
            )
            session.add(row)
            session.flush()
            return NewInviteResponse(**_invite_view(row).model_dump(), token=token, link=link, desk_link=desk_link)

    def invites(self, access: Access, request: PageRequest) -> Listing[InviteResponse]:
        waiting = InviteRow.expires_at > self._database.now()
        with self._database.read() as session:
            return listing(
                read_page(session, self._cursors, InviteRow, access.workspace, request, waiting), _invite_view
            )

    def withdraw(self, access: Access, invite: str, expected: Condition = ALWAYS) -> None:
        """Withdraws an invitation. Raises the 403, 404 and 412 problems."""
        with self._database.write() as unit:
            row = get(unit.session, InviteRow, access.workspace, invite, kind="invite")
            _check_rank(access, Role(row.role))
            expected.check(_invite_view(row))
            _end(unit.session, row, InviteEndReason.WITHDRAWN)

    def preview(self, body: InviteLookup, *, address: str) -> InvitePreview:
        """Returns the invitation with this token. Raises the same problems as `accept`."""
        with self._database.write() as unit:
            invite = _find(unit, body.token, address)
            if invite is not None:
                return _preview(unit.session, invite)
        raise _wrong_token()

    def accept(self, body: InviteAcceptance, *, address: str) -> NewMemberResponse:
        """Makes the holder of the token a member.

        Raises 404 for a wrong token, 429 after too many of those, and 410 for an invitation that has ended.
        """
        with self._database.write() as unit:
            invite = _find(unit, body.token, address)
            if invite is not None:
                return self._add_member(unit, invite, body.name)
        raise _wrong_token()

    def invited(self, token: str, *, address: str) -> str:
        """Returns the e-mail address that holds an invitation. Raises 404, 410 and 429."""
        return self.preview(InviteLookup(token=token), address=address).email

    def join(self, unit: Unit, token: str, name: str, *, address: str) -> MemberRow:
        """Makes the holder of the token a member without a key, in the caller's transaction. Raises 404, 410 and 429;
        the caller has looked the token up before, so that a wrong one is counted."""
        invite = _find(unit, token, address)
        if invite is None:
            raise _wrong_token()
        return self._add(unit, invite, name, key=None)

    def join_invited(self, unit: Unit, email: str, name: str) -> MemberRow | None:
        """Makes the person with this address a member by their oldest open invitation, if there is one, in the caller's
        transaction: the caller knows that the address is theirs."""
        open_ = func.lower(InviteRow.email) == email, InviteRow.expires_at > unit.now
        invite = unit.session.scalar(select(InviteRow).where(*open_).order_by(InviteRow.number).limit(1))
        return None if invite is None else self._add(unit, invite, name[:MAX_NAME], key=None)

    def sessions(self, access: Access, member: str) -> Listing[SessionView]:
        """Returns the sessions of a member at the desk, newest first. Raises the 403 and 404 problems."""
        with self._database.read() as session:
            row = get(session, MemberRow, access.workspace, member, kind="member")
            _check_rank(access, Role(row.role))
            found = select(SessionRow).where(SessionRow.member_id == row.id, *lasts(self._database.now()))
            rows = session.scalars(found.order_by(SessionRow.number.desc()))
            return whole([session_view(one, current=False) for one in rows])

    def end_sessions(self, access: Access, member: str) -> None:
        """Ends all sessions of a member at the desk. Raises the 403 and 404 problems."""
        with self._database.write() as unit:
            row = get(unit.session, MemberRow, access.workspace, member, kind="member")
            _check_rank(access, Role(row.role))
            unit.session.execute(delete(SessionRow).where(SessionRow.member_id == row.id))
            note(unit.session, AuditAct.SIGNED_OUT, "member", row.id, row.name)

    def key_of(self, member: str) -> str:
        with self._database.read() as session:
            mine = select(KeyRow.id).join(MemberRow, MemberRow.key_id == KeyRow.id).where(MemberRow.id == member)
            return session.scalars(mine).one()

    def members(self, access: Access, request: PageRequest) -> Listing[MemberResponse]:
        with self._database.read() as session:
            on = _with_factor(session, access.workspace)
            page = read_page(session, self._cursors, MemberRow, access.workspace, request)
            return listing(page, lambda row: _member_view(row, has_factor=row.email.lower() in on))

    def member(self, access: Access, member: str) -> MemberResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            return _shown(session, get(session, MemberRow, access.workspace, member, kind="member"))

    def change(self, access: Access, member: str, body: MemberPatch, expected: Condition = ALWAYS) -> MemberResponse:
        """Changes the role of a member and of the member's key. Raises the 403, 404 and 412 problems."""
        _check_rank(access, body.role)
        with self._database.write() as unit:
            row = get(unit.session, MemberRow, access.workspace, member, kind="member")
            _check_rank(access, Role(row.role))
            expected.check(_shown(unit.session, row))
            row.role = body.role.value
            key = unit.session.scalar(select(KeyRow).where(KeyRow.id == row.key_id))
            if key is not None:
                key.role = row.role
            unit.announce(KeysChanged(access.workspace))
            return _shown(unit.session, row)

    def remove(self, access: Access, member: str, expected: Condition = ALWAYS) -> None:
        """Removes a member and the member's key. Raises the 403, 404 and 412 problems."""
        with self._database.write() as unit:
            row = get(unit.session, MemberRow, access.workspace, member, kind="member")
            _check_rank(access, Role(row.role))
            expected.check(_shown(unit.session, row))
            unit.session.execute(delete(KeyRow).where(KeyRow.id == row.key_id))
            unit.session.delete(row)
            unit.announce(KeysChanged(access.workspace))

    def _add_member(self, unit: Unit, invite: InviteRow, name: str) -> NewMemberResponse:
        key, secret = self._keys.add(unit, invite.workspace_id, role=Role(invite.role), name=name, locations=None)
        row = self._add(unit, invite, name, key=key.id)
        return NewMemberResponse(**_shown(unit.session, row).model_dump(), key=secret)

    def _add(self, unit: Unit, invite: InviteRow, name: str, *, key: str | None) -> MemberRow:
        row = MemberRow(
            id=self._new_id("mem"),
            workspace_id=invite.workspace_id,
            email=invite.email,
            name=name,
            role=invite.role,
            key_id=key,
            created_at=unit.now,
        )
        act_as(unit.session, row.workspace_id, row.id)
        unit.session.add(row)
        _end(unit.session, invite, InviteEndReason.ACCEPTED)
        unit.session.flush()
        view = _shown(unit.session, row)
        data = {"member": view.id, "email": view.email, "name": view.name, "role": view.role.value}
        emit(unit, invite.workspace_id, EventType.TEAM_MEMBER_ADDED, data)
        return row


def _is(table: type[InviteRow] | type[MemberRow], workspace: str, email: str) -> ColumnElement[bool]:
    return (table.workspace_id == workspace) & (table.email == email)


def _check_rank(access: Access, role: Role) -> None:
    """Raises the 403 problem for a role above the caller's."""
    if outranks(role, access.role):
        raise forbidden(access.role, f"decide about a member with the role {role}")


def _find(unit: Unit, token: str, address: str) -> InviteRow | None:
    """Returns the invitation with this token; a wrong token is counted. Raises the 410 problem, and 429 for wrong
    tokens only: a right one is accepted whatever others guess from the same address."""
    digest = digest_of(token)
    invite = unit.session.scalar(select(InviteRow).where(InviteRow.digest == digest))
    if invite is not None and invite.expires_at > unit.now:
        return invite
    ended = unit.session.scalar(select(EndedInviteRow.ending).where(EndedInviteRow.digest == digest))
    if invite is not None or ended is not None:
        raise _gone(InviteEndReason.EXPIRED if ended is None else InviteEndReason(ended))
    check_attempts(
        unit,
        WrongTokenRow,
        WrongTokenRow.address == address,
        WRONG_TOKEN_LIMITS,
        "Too many wrong tokens came from this address.",
    )
    # Committed although the look-up fails: attempts have to be counted.
    unit.session.add(WrongTokenRow(address=address, tried_at=unit.now))
    return None


def _end(session: Session, invite: InviteRow, reason: InviteEndReason) -> None:
    session.add(EndedInviteRow(workspace_id=invite.workspace_id, digest=invite.digest, ending=reason.value))
    session.delete(invite)
    session.flush()
    keep_newest(session, EndedInviteRow, MAX_ENDED_INVITES, EndedInviteRow.workspace_id == invite.workspace_id)


def _gone(reason: InviteEndReason) -> ProblemError:
    return ProblemError(410, f"invite_{reason}", "The invitation cannot be accepted any more", _END_DETAILS[reason])


def _wrong_token() -> ProblemError:
    return ProblemError(404, "not_found", "No such invite", "There is no invitation with this token.")


def _preview(session: Session, invite: InviteRow) -> InvitePreview:
    workspace = session.scalars(select(WorkspaceRow.name).where(WorkspaceRow.id == invite.workspace_id)).one()
    return InvitePreview(
        workspace=workspace,
        email=invite.email,
        role=Role(invite.role),
        invited_by=name_of(session, invite.invited_by),
        expires_at=instant_text(invite.expires_at),
    )


def _invite_view(row: InviteRow) -> InviteResponse:
    return InviteResponse(
        id=row.id,
        email=row.email,
        role=Role(row.role),
        created_at=instant_text(row.created_at),
        expires_at=instant_text(row.expires_at),
    )


def _shown(session: Session, row: MemberRow) -> MemberResponse:
    return _member_view(row, has_factor=row.email.lower() in _with_factor(session, row.workspace_id, row.id))


def _member_view(row: MemberRow, *, has_factor: bool) -> MemberResponse:
    return MemberResponse(
        id=row.id,
        email=row.email,
        name=row.name,
        role=Role(row.role),
        created_at=instant_text(row.created_at),
        second_factor=has_factor,
    )


def _with_factor(session: Session, workspace: str, member: str | None = None) -> frozenset[str]:
    """Returns the e-mail addresses of the members who have a second factor."""
    same = PersonRow.email == func.lower(MemberRow.email)
    found = select(PersonRow.email).join(SecondFactorRow).join(MemberRow, same)
    found = found.where(MemberRow.workspace_id == workspace, SecondFactorRow.confirmed_at.is_not(None))
    return frozenset(session.scalars(found if member is None else found.where(MemberRow.id == member)))
