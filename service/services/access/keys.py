"""Manages keys: a key can create, see and revoke only keys that may do no more than it."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from service.core.changes import KeysChanged
from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid, narrowed, not_found
from service.core.permissions import Role, outranks
from service.schema.fields import instant_or_none
from service.schema.lists import Listing
from service.schema.workspace.key import KeyCreate, KeyResponse, NewKeyResponse
from service.services.access.access import Access, KeyAuthenticator
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import find_many, read_page, unknown
from service.storage.database import Database
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.workspaces import KeyRow, LocationRow

MAX_KEYS = 1000
"""Keys of a workspace."""


class KeyManager:
    def __init__(self, *, database: Database, cursors: Cursors, authenticator: KeyAuthenticator) -> None:
        self._database = database
        self._cursors = cursors
        self._authenticator = authenticator

    def list(self, access: Access, request: PageRequest) -> Listing[KeyResponse]:
        """Returns one page of the keys that are as narrow as the caller's."""
        with self._database.read() as session:
            page = read_page(
                session,
                self._cursors,
                KeyRow,
                access.workspace,
                request,
                keep=None if access.locations is None else lambda row: _within(access, row.locations),
            )
            return listing(page, self._view)

    def get(self, access: Access, key: str) -> KeyResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            return self._view(_get(session, access, key))

    def create(self, access: Access, body: KeyCreate) -> NewKeyResponse:
        """Returns a new key. Raises 403 for a higher role, 404 for locations out of reach, 422, and 409 when there are
        many."""
        _check_rank(access, body.role, "make")
        if body.locations is None and access.locations is not None:
            raise narrowed("make keys for the whole workspace")
        for location in body.locations or ():
            access.reach(location)
        with self._database.write() as unit:
            _check_locations(unit.session, access.workspace, body.locations or ())
            held = select(func.count()).select_from(KeyRow).where(KeyRow.workspace_id == access.workspace)
            if (unit.session.scalar(held) or 0) >= MAX_KEYS:
                raise ProblemError(
                    409, "too_many_keys", "The workspace has too many keys", f"A workspace has at most {MAX_KEYS} keys."
                )
            row, secret = self._authenticator.add(
                unit, access.workspace, role=body.role, name=body.name, locations=body.locations
            )
            return NewKeyResponse(**self._view(row).model_dump(), key=secret)

    def revoke(self, access: Access, key: str, expected: Condition = ALWAYS) -> None:
        """Revokes a key at once. Raises the 403, 404 and 412 problems."""
        with self._database.write() as unit:
            row = _get(unit.session, access, key)
            _check_rank(access, Role(row.role), "revoke")
            expected.check(self._view(row))
            unit.session.delete(row)
            unit.announce(KeysChanged(access.workspace))

    def all(self, workspace: str) -> Sequence[KeyResponse]:
        """Returns every key of a workspace, for the installation's operator."""
        rows = select(KeyRow).where(KeyRow.workspace_id == workspace).order_by(KeyRow.number)
        with self._database.read() as session:
            return [self._view(row) for row in session.scalars(rows)]

    def issue(self, workspace: str, body: KeyCreate) -> NewKeyResponse:
        """Returns a new key, for the installation's operator. Raises 422, and 409 when there are many."""
        return self.create(Access(workspace=workspace, role=Role.OWNER, key=""), body)

    def revoke_any(self, key: str) -> None:
        """Revokes any key, as the installation's operator. Raises the 404 problem."""
        with self._database.write() as unit:
            row = _find(unit.session, KeyRow.id == key)
            if row is None:
                raise ProblemError(404, "not_found", "No such key", f"There is no key with the id {key!r}.")
            unit.session.delete(row)
            unit.announce(KeysChanged(row.workspace_id))

    def _view(self, row: KeyRow) -> KeyResponse:
        return KeyResponse(
            id=row.id,
            name=row.name,
            role=Role(row.role),
            locations=row.locations,
            created_at=instant_text(row.created_at),
            last_used_at=instant_or_none(self._authenticator.last_use(row)),
        )


def _find(session: Session, *conditions: ColumnElement[bool]) -> KeyRow | None:
    return session.scalar(select(KeyRow).where(*conditions))


def _get(session: Session, access: Access, key: str) -> KeyRow:
    row = _find(session, KeyRow.workspace_id == access.workspace, KeyRow.id == key)
    if row is None or not _within(access, row.locations):
        raise not_found("key", key)
    return row


def _within(access: Access, locations: Sequence[str] | None) -> bool:
    if access.locations is None:
        return True
    return locations is not None and all(map(access.sees, locations))


def _check_rank(access: Access, role: Role, what: str) -> None:
    if outranks(role, access.role):
        detail = f"A key with the role {access.role} may not {what} one with the role {role}."
        raise ProblemError(403, "forbidden", "The role of this key may not do this", detail)


def _check_locations(session: Session, workspace: str, locations: Sequence[str]) -> None:
    found = find_many(session, LocationRow, workspace, locations)
    faults: list[Fault] = [
        unknown("location", location, f"/locations/{index}")
        for index, location in enumerate(locations)
        if location not in found
    ]
    if faults:
        raise invalid(faults)
