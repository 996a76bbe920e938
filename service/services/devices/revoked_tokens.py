"""Stores the tokens that screens used and lost, so that a player can distinguish a revocation from any other refusal.

A token that is not stored was never issued by this database, as after a restore from an older backup: its player learns
that from the answer, and deletes nothing.
"""

from datetime import timedelta

from sqlalchemy import delete, select

from service.storage.database import Database, Unit
from service.storage.tables.screens import RevokedTokenRow, ScreenRow

RETENTION = timedelta(days=400)
"""Longer than a board lies in a drawer between two seasons. A player that comes later only asks to be paired."""


def revoke_token(unit: Unit, screen: ScreenRow) -> None:
    """Takes the screen's token, and stores it as revoked if a player has used it."""
    if screen.token_digest is not None and screen.token_used:
        unit.session.add(RevokedTokenRow(digest=screen.token_digest, revoked_at=unit.now))
    screen.token_digest = None
    screen.token_used = False


class RevokedTokens:
    """Looks revoked tokens up. Safe to use from any thread."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    def known(self, digest: str) -> bool:
        """True if the token with this digest was revoked."""
        with self._database.read() as session:
            found = session.scalar(select(RevokedTokenRow.number).where(RevokedTokenRow.digest == digest))
        return found is not None

    def prune(self) -> None:
        with self._database.write() as unit:
            unit.session.execute(delete(RevokedTokenRow).where(RevokedTokenRow.revoked_at <= unit.now - RETENTION))
