"""Seals secrets that are needed in plain text, as those of webhooks, under a key that the database does not hold."""

import base64
import logging

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from sqlalchemy import or_, select

from service.storage.database import Database
from service.storage.tables.webhooks import EndpointRow

_SEALED = "sealed:"

_log = logging.getLogger(__name__)


class SealedSecrets:
    """Seals and opens secrets (AES-SIV, RFC 5297), each bound to the webhook or user that has it."""

    def __init__(self, *, key: bytes) -> None:
        self._cipher = AESSIV(key)

    def seal(self, owner: str, secret: str) -> str:
        """Encrypts the secret for storage."""
        sealed = self._cipher.encrypt(secret.encode(), [owner.encode()])
        return _SEALED + base64.urlsafe_b64encode(sealed).decode("ascii").rstrip("=")

    def open(self, owner: str, stored: str) -> str | None:
        """Decrypts the secret; None if it was sealed with another key, or is damaged."""
        if not stored.startswith(_SEALED):
            # Of an earlier version: sealed at the next start.
            return stored
        text = stored.removeprefix(_SEALED)
        try:
            sealed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            return self._cipher.decrypt(sealed, [owner.encode()]).decode()
        except (ValueError, InvalidTag):
            return None

    def seal_stored(self, database: Database) -> None:
        """Seals secrets that earlier versions have stored in plain text, and logs those that cannot be opened."""
        plain = or_(~EndpointRow.secret.startswith(_SEALED), ~EndpointRow.old_secret.startswith(_SEALED))
        with database.read() as session:
            rows = session.execute(select(EndpointRow.id, EndpointRow.secret)).all()
            unsealed = session.scalar(select(EndpointRow.id).where(plain).limit(1)) is not None
        lost = [webhook for webhook, stored in rows if self.open(webhook, stored) is None]
        if lost:
            _log.error(
                "the secrets of %d webhooks (%s, ...) are under another key: put back secrets.key of the data folder, "
                "or rotate them; until then nothing is delivered to them",
                len(lost),
                lost[0],
            )
        if unsealed:
            with database.write() as unit:
                for row in unit.session.scalars(select(EndpointRow).where(plain)):
                    row.secret = self._sealed(row.id, row.secret)
                    row.old_secret = None if row.old_secret is None else self._sealed(row.id, row.old_secret)

    def _sealed(self, webhook: str, stored: str) -> str:
        return stored if stored.startswith(_SEALED) else self.seal(webhook, stored)
