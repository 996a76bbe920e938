"""Who is calling: the keys of workspaces, and what each may do."""

from dataclasses import dataclass

from sqlalchemy import select

from service.errors import forbidden, not_found, unauthenticated
from service.identifiers import NewId, digest_of, new_secret
from service.permissions import PERMISSIONS, Permission, Role
from service.storage.database import Database, Unit
from service.storage.tables import KeyRow, WorkspaceRow

KEY_PREFIX = "mk_"
DEFAULT_WORKSPACE = "default"


@dataclass(frozen=True, slots=True)
class Access:
    """A caller whose key is known. It acts as the workspace, within its role."""

    workspace: str
    role: Role
    key: str
    """The id of the key: who did it, where that is asked."""
    locations: frozenset[str] | None = None
    """What the key is narrowed to; None is the whole workspace."""

    def sees(self, location: str) -> bool:
        """Whether a location is within what the key is narrowed to."""
        return self.locations is None or location in self.locations

    def reach(self, location: str) -> None:
        """Raises the 404 problem for a location that the key does not see, be there such a one or not."""
        if not self.sees(location):
            raise not_found("location", location)

    def may(self, permission: Permission) -> bool:
        """Whether the role has the permission."""
        return permission in PERMISSIONS[self.role]

    def require(self, permission: Permission) -> None:
        """Raises the 403 problem unless the role has the permission."""
        if not self.may(permission):
            raise forbidden(self.role, permission)


class KeyService:
    """Makes keys and recognises them; only their digests are stored."""

    def __init__(self, *, database: Database, new_id: NewId) -> None:
        self._database = database
        self._new_id = new_id

    def create(self, *, role: Role, name: str) -> str:
        """A new key of the default workspace. It is returned once and cannot be read again."""
        secret = new_secret(KEY_PREFIX)
        with self._database.write() as unit:
            unit.session.add(
                KeyRow(
                    id=self._new_id("key"),
                    workspace_id=self.workspace(unit),
                    name=name,
                    role=role.value,
                    digest=digest_of(secret),
                    created_at=unit.now,
                )
            )
        return secret

    def authenticate(self, secret: str) -> Access:
        """The caller behind a key. Raises the 401 problem."""
        with self._database.read() as session:
            row = session.scalar(select(KeyRow).where(KeyRow.digest == digest_of(secret)))
        if row is None:
            raise unauthenticated("This key is not known here.")
        return Access(workspace=row.workspace_id, role=Role(row.role), key=row.id)

    def workspace(self, unit: Unit) -> str:
        """The id of the default workspace, made on first use."""
        row = unit.session.scalar(select(WorkspaceRow).where(WorkspaceRow.name == DEFAULT_WORKSPACE))
        if row is None:
            row = WorkspaceRow(
                id=self._new_id("ws"), name=DEFAULT_WORKSPACE, created_at=unit.now, catalogue_changed_at=unit.now
            )
            unit.session.add(row)
            unit.session.flush()
        return row.id
