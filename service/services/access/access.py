"""Who is calling: the keys of workspaces, and what each may do."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import bindparam, select, update

from service.core.changes import Change, ChangesMissed, KeysChanged
from service.core.errors import forbidden, narrowed, not_found, unauthenticated
from service.core.ids import NewId, digest_of, new_secret
from service.core.permissions import NARROWABLE, PERMISSIONS, Permission, Role
from service.services.access.workspaces import default_workspace
from service.storage.database import Database, Unit
from service.storage.tables import KeyRow

KEY_PREFIX = "mk_"
KNOWN_FOR = timedelta(seconds=5)
"""How long a key is known without being read again: so late may a process learn what another did, at worst."""


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
        """Raises the 403 problem unless the role has the permission, and the key is as wide as it needs."""
        if not self.may(permission):
            raise forbidden(self.role, permission)
        if self.locations is not None and permission not in NARROWABLE:
            raise narrowed(permission)


@dataclass(frozen=True, slots=True)
class _Known:
    access: Access
    read_at: datetime


class KeyService:
    """Makes keys and recognises them; only their digests are stored. Safe to use from any thread."""

    def __init__(self, *, database: Database, new_id: NewId) -> None:
        self._database = database
        self._new_id = new_id
        self._lock = threading.Lock()
        self._known: dict[str, _Known] = {}
        self._generation = 0
        self._used: dict[str, datetime] = {}

    def create(self, *, role: Role, name: str) -> str:
        """A new key of the default workspace. It is returned once and cannot be read again."""
        with self._database.write() as unit:
            _, secret = self.add(unit, self.workspace(unit), role=role, name=name)
        return secret

    def add(
        self, unit: Unit, workspace: str, *, role: Role, name: str, locations: Sequence[str] | None = None
    ) -> tuple[KeyRow, str]:
        """A new key and its secret, as part of a larger effect."""
        secret = new_secret(KEY_PREFIX)
        row = KeyRow(
            id=self._new_id("key"),
            workspace_id=workspace,
            name=name,
            role=role.value,
            digest=digest_of(secret),
            created_at=unit.now,
            locations=None if locations is None else list(dict.fromkeys(locations)),
            last_used_at=None,
        )
        unit.session.add(row)
        unit.session.flush()
        return row, secret

    def recall(self, secret: str) -> Access | None:
        """The caller behind a key that was read a moment ago; costs no SQL."""
        now = self._database.now()
        with self._lock:
            known = self._known.get(digest_of(secret))
            if known is None or not known.read_at <= now < known.read_at + KNOWN_FOR:
                return None
            self._used[known.access.key] = now
            return known.access

    def authenticate(self, secret: str) -> Access:
        """The caller behind a key. Raises the 401 problem."""
        digest = digest_of(secret)
        with self._lock:
            generation = self._generation
        now = self._database.now()
        with self._database.read() as session:
            row = session.scalar(select(KeyRow).where(KeyRow.digest == digest))
        if row is None:
            with self._lock:
                self._known.pop(digest, None)
            raise unauthenticated("This key is not known here.")
        locations = None if row.locations is None else frozenset(row.locations)
        access = Access(workspace=row.workspace_id, role=Role(row.role), key=row.id, locations=locations)
        with self._lock:
            self._used[row.id] = now
            # Not what was read before a key changed: it would live on.
            if generation == self._generation:
                self._known[digest] = _Known(access, read_at=now)
        return access

    def heed(self, notice: Change) -> None:
        """Keys have changed: each is read again."""
        if isinstance(notice, KeysChanged | ChangesMissed):
            with self._lock:
                self._generation += 1
                self._known.clear()

    def last_use(self, row: KeyRow) -> datetime | None:
        """When the key was used last, as far as this process knows."""
        with self._lock:
            used = self._used.get(row.id)
        return max((at for at in (used, row.last_used_at) if at is not None), default=None)

    def flush(self) -> None:
        """Write when keys were used. What could not be written is tried again."""
        with self._lock:
            batch = list(self._used.items())
        if not batch:
            return
        older = KeyRow.last_used_at.is_(None) | (KeyRow.last_used_at < bindparam("at"))
        used = update(KeyRow).where(KeyRow.id == bindparam("key"), older).values(last_used_at=bindparam("at"))
        with self._database.write() as unit:
            unit.session.connection().execute(used, [{"key": key, "at": at} for key, at in batch])
        with self._lock:
            for key, at in batch:
                if self._used.get(key) == at:
                    del self._used[key]

    def workspace(self, unit: Unit) -> str:
        """The id of the default workspace, made on first use."""
        return default_workspace(unit, self._new_id)
