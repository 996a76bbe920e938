"""Recognises a full disk in the errors of the database drivers."""

import sqlite3

from sqlalchemy.exc import DBAPIError

# SQLite makes room for its shared memory before it reads or writes: that file has an error of its own.
_SQLITE_CODES = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
_POSTGRES_STATE = "53100"
"""disk_full, of PostgreSQL's error codes."""


def is_full_disk(fault: BaseException) -> bool:
    """Returns whether a statement or a commit failed because the disk of the database is full."""
    if not isinstance(fault, DBAPIError):
        return False
    return (
        getattr(fault.orig, "sqlstate", None) == _POSTGRES_STATE
        or getattr(fault.orig, "sqlite_errorcode", None) in _SQLITE_CODES
    )
