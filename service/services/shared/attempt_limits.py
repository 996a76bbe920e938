"""Limits failed attempts, such as wrong codes, per address or workspace.

Counted in the database, so the limits hold across restarts and are the same for all processes.
"""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import ColumnElement, delete, select

from service.core.errors import too_many_requests
from service.storage.database import Unit
from service.storage.tables.people import WrongSignInRow
from service.storage.tables.screens import WrongCodeRow
from service.storage.tables.workspaces import WrongTokenRow

AttemptLimits = Sequence[tuple[int, timedelta]]
"""Failed attempts, and the period over which they are counted."""
FORGOTTEN_AFTER = timedelta(days=1)
"""The longest period of any limit: attempts of one kind have limits of several lengths, by whose they are."""


def check_attempts(
    unit: Unit,
    table: type[WrongCodeRow] | type[WrongTokenRow] | type[WrongSignInRow],
    whose: ColumnElement[bool],
    limits: AttemptLimits,
    detail: str,
) -> None:
    """Raises the 429 problem while the rows of `whose` exceed a limit. Deletes rows that no limit counts."""
    unit.session.execute(delete(table).where(table.tried_at <= unit.now - FORGOTTEN_AFTER))
    tried = unit.session.scalars(select(table.tried_at).where(whose).order_by(table.tried_at.desc())).all()
    for limit, window in limits:
        if len(tried) >= limit and tried[limit - 1] > unit.now - window:
            wait = tried[limit - 1] + window - unit.now
            raise too_many_requests(detail, max(1, -(-wait // timedelta(seconds=1))))
