"""The team of a workspace: inviting, accepting, and what members may do.

Whoever accepts is given a key of their own, with their role. It follows the role and goes with the member. Nobody
invites, changes or removes anyone above themselves.
"""

from datetime import timedelta

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from sqlalchemy import ColumnElement, delete, exists, select

from service.clock import instant_text
from service.errors import ProblemError, forbidden, narrowed, too_many_requests
from service.events import EventType
from service.identifiers import NewId, digest_of, new_secret
from service.notices import KeysChanged
from service.permissions import Permission, Role, outranks
from service.preconditions import ALWAYS, Condition
from service.schema.lists import Listing
from service.schema.team import (
    InviteAcceptance,
    InviteCreate,
    InviteView,
    MemberPatch,
    MemberView,
    NewInviteView,
    NewMemberView,
)
from service.services.access import Access, KeyService
from service.services.listing import listing
from service.services.lookup import count, get, read_page
from service.services.outbox import emit
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables import InviteRow, KeyRow, MemberRow

INVITE_LIFETIME = timedelta(days=7)
MAX_TEAM = 500
"""Members and open invitations of a workspace."""
WRONG_TOKENS = 10
WRONG_TOKEN_MINUTES = 15
"""So many wrong tokens are taken from an address in so long. Counted in this process."""
TOKEN_PREFIX = "mi_"  # noqa: S105  (a prefix, not a secret)


class TeamService:
    """Invites, takes in, lists, changes and removes members."""

    def __init__(self, *, database: Database, keys: KeyService, cursors: Cursors, new_id: NewId) -> None:
        self._database = database
        self._keys = keys
        self._cursors = cursors
        self._new_id = new_id
        self._wrong = MovingWindowRateLimiter(MemoryStorage())
        self._bound = RateLimitItemPerMinute(WRONG_TOKENS, WRONG_TOKEN_MINUTES)

    def invite(self, access: Access, body: InviteCreate) -> NewInviteView:
        """Invite somebody; an earlier invitation of theirs is void. Raises 403, and 409 for members and a full team."""
        _check_rank(access, body.role)
        token = new_secret(TOKEN_PREFIX)
        with self._database.write() as unit:
            session, workspace = unit.session, access.workspace
            if session.scalar(select(exists().where(_is(MemberRow, workspace, body.email)))):
                raise ProblemError(409, "already_a_member", "They are a member already", f"{body.email} is a member.")
            session.execute(delete(InviteRow).where(InviteRow.expires_at <= unit.now))
            session.execute(delete(InviteRow).where(_is(InviteRow, workspace, body.email)))
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
            return NewInviteView(**_invite_view(row).model_dump(), token=token)

    def invites(self, access: Access, request: PageRequest) -> Listing[InviteView]:
        """One page of the invitations that wait."""
        _check_whole(access)
        with self._database.read() as session:
            return listing(read_page(session, self._cursors, InviteRow, access.workspace, request), _invite_view)

    def withdraw(self, access: Access, invite: str, expected: Condition = ALWAYS) -> None:
        """Make an invitation void. Raises the 403, 404 and 412 problems."""
        with self._database.write() as unit:
            row = get(unit.session, InviteRow, access.workspace, invite, kind="invite")
            _check_rank(access, Role(row.role))
            expected.check(_invite_view(row))
            unit.session.delete(row)

    def accept(self, body: InviteAcceptance, *, address: str) -> NewMemberView:
        """Make whoever holds the token a member. Raises 404 for a wrong token, and 429 after too many of those."""
        if not self._wrong.test(self._bound, address):
            detail = "Too many wrong tokens came from this address."
            raise too_many_requests(detail, WRONG_TOKEN_MINUTES * 60)
        with self._database.write() as unit:
            invite = unit.session.scalar(
                select(InviteRow).where(InviteRow.digest == digest_of(body.token), InviteRow.expires_at > unit.now)
            )
            if invite is not None:
                return self._take_in(unit, invite, body.name)
        self._wrong.hit(self._bound, address)
        raise ProblemError(
            404, "not_found", "No such invite", "The invitation has expired, was accepted, or never was."
        )

    def members(self, access: Access, request: PageRequest) -> Listing[MemberView]:
        """One page of members."""
        _check_whole(access)
        with self._database.read() as session:
            return listing(read_page(session, self._cursors, MemberRow, access.workspace, request), _member_view)

    def change(self, access: Access, member: str, body: MemberPatch, expected: Condition = ALWAYS) -> MemberView:
        """Give a member another role; the member's key follows. Raises the 403, 404 and 412 problems."""
        _check_rank(access, body.role)
        with self._database.write() as unit:
            row = get(unit.session, MemberRow, access.workspace, member, kind="member")
            _check_rank(access, Role(row.role))
            expected.check(_member_view(row))
            row.role = body.role.value
            key = unit.session.scalar(select(KeyRow).where(KeyRow.id == row.key_id))
            if key is not None:
                key.role = row.role
            unit.announce(KeysChanged(access.workspace))
            return _member_view(row)

    def remove(self, access: Access, member: str, expected: Condition = ALWAYS) -> None:
        """Remove a member and the member's key. Raises the 403, 404 and 412 problems."""
        with self._database.write() as unit:
            row = get(unit.session, MemberRow, access.workspace, member, kind="member")
            _check_rank(access, Role(row.role))
            expected.check(_member_view(row))
            unit.session.execute(delete(KeyRow).where(KeyRow.id == row.key_id))
            unit.session.delete(row)
            unit.announce(KeysChanged(access.workspace))

    def _take_in(self, unit: Unit, invite: InviteRow, name: str) -> NewMemberView:
        key, secret = self._keys.add(unit, invite.workspace_id, role=Role(invite.role), name=name, locations=None)
        row = MemberRow(
            id=self._new_id("mem"),
            workspace_id=invite.workspace_id,
            email=invite.email,
            name=name,
            role=invite.role,
            key_id=key.id,
            created_at=unit.now,
        )
        unit.session.add(row)
        unit.session.delete(invite)
        unit.session.flush()
        view = _member_view(row)
        data = {"member": view.id, "email": view.email, "name": view.name, "role": view.role.value}
        emit(unit, invite.workspace_id, EventType.TEAM_MEMBER_ADDED, data)
        return NewMemberView(**view.model_dump(), key=secret)


def _is(table: type[InviteRow] | type[MemberRow], workspace: str, email: str) -> ColumnElement[bool]:
    return (table.workspace_id == workspace) & (table.email == email)


def _check_rank(access: Access, role: Role) -> None:
    """Raises the 403 problem for a role above the caller's."""
    _check_whole(access)
    if outranks(role, access.role):
        raise forbidden(access.role, f"decide about a member with the role {role}")


def _check_whole(access: Access) -> None:
    """Raises the 403 problem for a key that is narrowed to locations."""
    if access.locations is not None:
        raise narrowed(Permission.TEAM)


def _invite_view(row: InviteRow) -> InviteView:
    return InviteView(
        id=row.id,
        email=row.email,
        role=Role(row.role),
        created_at=instant_text(row.created_at),
        expires_at=instant_text(row.expires_at),
    )


def _member_view(row: MemberRow) -> MemberView:
    return MemberView(
        id=row.id, email=row.email, name=row.name, role=Role(row.role), created_at=instant_text(row.created_at)
    )
