"""Claims rows for a worker, so that no two workers get the same row.

On PostgreSQL a worker locks its rows and skips locked ones. On SQLite there is one writing transaction at a time, so
no row is ever locked by another.
"""

from collections.abc import Sequence
from typing import TypeVar

from sqlalchemy import Select
from sqlalchemy.orm import Session

Row = TypeVar("Row")


def claim(session: Session, rows: Select[Row], *, limit: int) -> Sequence[Row]:
    """Claims up to `limit` rows that no other worker holds, until the transaction ends.

    The session is one of `Database.write_concurrently`. Work that takes longer than a transaction may, such as a
    network call, is claimed by writing an expiry time into the row instead.
    """
    return session.scalars(rows.limit(limit).with_for_update(skip_locked=True)).all()
