"""Taking rows to work on, so that no two workers take the same; knows nothing of what the work is.

On PostgreSQL a worker locks what it takes and passes over what another has locked. On SQLite a writing transaction is
alone, so that nothing is ever locked by another.
"""

from collections.abc import Sequence
from typing import TypeVar

from sqlalchemy import Select
from sqlalchemy.orm import Session

Row = TypeVar("Row")


def claim(session: Session, rows: Select[tuple[Row]], *, limit: int) -> Sequence[Row]:
    """Up to `limit` of the rows that nobody else holds; they are held until the transaction ends.

    The session is one of `Database.work`. What takes longer than a transaction may, such as a call over
    the network, is claimed by writing into the row until when it is taken.
    """
    return session.scalars(rows.limit(limit).with_for_update(skip_locked=True)).all()
