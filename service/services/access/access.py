"""Authenticates callers by their API key, and checks their permissions."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import bindparam, select, update

from service.core.changes import Change, ChangesMissed, KeysChanged
from service.core.errors import forbidden, narrowed, not_found, reaches_elsewhere, unauthenticated
from service.core.ids import NewId, digest_of, new_secret
from service.core.permissions import NARROWABLE, PERMISSIONS, Permission, Role
from service.services.access.workspaces import default_workspace
from service.storage.database import Database, Unit
from service.storage.tables.workspaces import KeyRow

KEY_PREFIX = "mk_"
CACHED_FOR = timedelta(seconds=5)
"""A key is used for so long without being read again: the longest that a process may miss a change by another."""


@dataclass(frozen=True, slots=True)
class Access:
    """An authenticated caller. It acts for the workspace, within its role."""

    workspace: str
    role: Role
    key: str
    """The id of the key, or of the member who is signed in at the desk: recorded with what the caller does."""
    locations: frozenset[str] | None = None
    """The locations that the key is narrowed to; None is the whole workspace."""

    def sees(self, location: str) -> bool:
        """True if the key may use the location."""
        return self.locations is None or location in self.locations

    def reach(self, location: str) -> None:
        """Raises the 404 problem for a location that the key does not see, whether or not it exists."""
        if not self.sees(location):
            raise not_found("location", location)

    def reach_all(self) -> None:
        """Raises the 403 problem for a key that is narrowed to locations, where the call changes the menus of all."""
        if self.locations is not None:
            raise reaches_elsewhere()

    def may(self, permission: Permission) -> bool:
        return permission in PERMISSIONS[self.role]

    def require(self, permission: Permission) -> None:
        """Raises the 403 problem unless the role has the permission, and a narrowed key may use it."""
        if not self.may(permission):
            raise forbidden(self.role, permission)
        if self.locations is not None and permission not in NARROWABLE:
            raise narrowed(permission)


@dataclass(frozen=True, slots=True)
class _CachedAccess:
    access: Access
    read_at: datetime


class KeyAuthenticator:
    """Authenticates callers by key, and issues keys; only digests are stored. Safe to use from any thread."""

    def __init__(self, *, database: Database, new_id: NewId) -> None:
        self._database = database
        self._new_id = new_id
        self._lock = threading.Lock()
        self._cache: dict[str, _CachedAccess] = {}
        self._generation = 0
        self._used: dict[str, datetime] = {}

    def create(self, *, role: Role, name: str) -> str:
        """Creates a key of the default workspace; returns the secret, which cannot be read again."""
        with self._database.write() as unit:
            _, secret = self.add(unit, self.workspace(unit), role=role, name=name)
        return secret

    def add(
        self, unit: Unit, workspace: str, *, role: Role, name: str, locations: Sequence[str] | None = None
    ) -> tuple[KeyRow, str]:
        """Returns a new key and its secret, in the caller's transaction."""
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

    def cached(self, secret: str) -> Access | None:
        """Returns the caller, if the key was read within `CACHED_FOR`. Costs no SQL."""
        now = self._database.now()
        with self._lock:
            cached = self._cache.get(digest_of(secret))
            if cached is None or not cached.read_at <= now < cached.read_at + CACHED_FOR:
                return None
            self._used[cached.access.key] = now
            return cached.access

    def authenticate(self, secret: str) -> Access:
        """Returns the caller, read from the database. Raises the 401 problem."""
        digest = digest_of(secret)
        with self._lock:
            generation = self._generation
        now = self._database.now()
        with self._database.read() as session:
            row = session.scalar(select(KeyRow).where(KeyRow.digest == digest))
        if row is None:
            with self._lock:
                self._cache.pop(digest, None)
            raise unauthenticated("This key is not known here.")
        locations = None if row.locations is None else frozenset(row.locations)
        access = Access(workspace=row.workspace_id, role=Role(row.role), key=row.id, locations=locations)
        with self._lock:
            self._used[row.id] = now
            # Not if keys changed since the query: the outdated row would stay cached.
            if generation == self._generation:
                self._cache[digest] = _CachedAccess(access, read_at=now)
        return access

    def on_change(self, change: Change) -> None:
        """Empties the cache after keys have changed."""
        if isinstance(change, KeysChanged | ChangesMissed):
            with self._lock:
                self._generation += 1
                self._cache.clear()

    def last_use(self, row: KeyRow) -> datetime | None:
        """Returns when the key was last used, as far as this process knows."""
        with self._lock:
            used = self._used.get(row.id)
        return max((at for at in (used, row.last_used_at) if at is not None), default=None)

    def flush(self) -> None:
        """Writes when keys were last used. What cannot be written is retried."""
        with self._lock:
            batch = list(self._used.items())
        if not batch:
            return
        older = KeyRow.last_used_at.is_(None) | (KeyRow.last_used_at < bindparam("at"))
        used = update(KeyRow).where(KeyRow.id == bindparam("key"), older).values(last_used_at=bindparam("at"))
        with self._database.write() as unit:
            unit.session.connection().execute(used, [{"key": key, "at": min(at, unit.now)} for key, at in batch])
        with self._lock:
            for key, at in batch:
                if self._used.get(key) == at:
                    del self._used[key]

    def workspace(self, unit: Unit) -> str:
        """Returns the id of the default workspace, made on first use."""
        return default_workspace(unit, self._new_id)
