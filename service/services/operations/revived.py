"""Finds credentials that a restored backup reactivates: keys, members, tokens and passwords that had ended since.

Both databases are read as files, by the columns that both have: they may be of different versions.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class _Kind:
    """Rows of a table that let somebody in. One that is missing in the former database, or has another `secret` there,
    had ended."""

    table: str
    label: str
    name: str
    secret: tuple[str, ...]
    end: str
    """The statement that ends one, by its id."""


_KINDS = (
    _Kind("keys", "the key", "name", ("role",), "DELETE FROM keys WHERE id = ?"),
    _Kind("members", "the member", "email", ("role",), "DELETE FROM members WHERE id = ?"),
    _Kind("people", "the password of", "email", ("password",), "UPDATE people SET password = NULL WHERE id = ?"),
    _Kind("invites", "the invitation of", "email", (), "DELETE FROM invites WHERE id = ?"),
    _Kind("enrolment_tokens", "the enrolment token", "name", (), "DELETE FROM enrolment_tokens WHERE id = ?"),
    _Kind(
        "screens",
        "the token of the screen",
        "name",
        ("token_digest",),
        "UPDATE screens SET token_digest = NULL WHERE id = ?",
    ),
)


@dataclass(frozen=True, slots=True)
class Revived:
    """A reactivated row."""

    kind: _Kind
    id: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind.label} {self.name} ({self.id})"


def end_sessions(database: sqlite3.Connection) -> None:
    """Ends every sign-in at the desk: one that had ended since the backup must not go on."""
    there = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in ("sessions", "pending_sign_ins", "sign_in_links"):  # Tables of sign-ins at the desk.
        if table in there:
            database.execute(f"DELETE FROM {table}")  # noqa: S608  (a name of the list above)


def revived(database: Path, former: Path) -> Sequence[Revived]:
    """Returns the rows that let somebody in by the restored database, and did not by the former one. Raises
    sqlite3.Error."""
    with closing(_reading(database)) as now, closing(_reading(former)) as before:
        return [found for kind in _KINDS for found in _revived(kind, now, before)]


def end_revived(database: Path, found: Sequence[Revived]) -> None:
    """Ends these rows. Raises sqlite3.Error."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA foreign_keys=ON")
        with connection:
            for one in found:
                connection.execute(one.kind.end, (one.id,))


def _revived(kind: _Kind, now: sqlite3.Connection, before: sqlite3.Connection) -> Sequence[Revived]:
    shared = _columns(now, kind.table) & _columns(before, kind.table)
    if not {"id", kind.name} <= shared:
        return []
    secret = [name for name in kind.secret if name in shared]
    rows = f"SELECT id, {kind.name}, {', '.join(secret) or '1'} FROM {kind.table} ORDER BY {kind.name}, id"  # noqa: S608
    had = {identifier: tuple(rest) for identifier, _, *rest in before.execute(rows)}
    return [
        Revived(kind, identifier, name)
        for identifier, name, *rest in now.execute(rows)
        if any(value is not None for value in rest) and had.get(identifier) != tuple(rest)
    ]


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}


def _reading(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{database}?mode=ro", uri=True)
