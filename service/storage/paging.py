"""Reads a table page by page; a cursor is the position after a row, and only this installation can make one."""

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy import Select
from sqlalchemy.orm import InstrumentedAttribute, Session

_KEY_PURPOSE = b"menu-service cursor"
_KEY_BYTES = 64
"""AES-256-SIV takes two keys of 256 bits."""
_NUMBER_BYTES = 8
SCANNED_ROWS = 500
"""Rows read at a time where the database cannot filter them."""

Row = TypeVar("Row")


class BadCursorError(Exception):
    """The cursor was not made by this installation for this list and workspace."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """At most `limit` rows, after the cursor."""

    limit: int
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows, and the cursor after the last one if there are more."""

    rows: Sequence[Row]
    cursor: str | None


class Cursors:
    """Makes and reads cursors: row numbers under AES-SIV (RFC 5297), with the list and workspace as associated data.

    The number is encrypted because it counts the rows of all workspaces. SIV needs no nonce, which keeps a cursor at
    32 characters, and the same position has the same cursor.
    """

    def __init__(self, *, secret: bytes) -> None:
        self._cipher = AESSIV(HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=None, info=_KEY_PURPOSE).derive(secret))

    def make(self, scope: str, number: int) -> str:
        """The cursor for continuing after the row with this number."""
        sealed = self._cipher.encrypt(number.to_bytes(_NUMBER_BYTES, "big"), [scope.encode()])
        return base64.urlsafe_b64encode(sealed).decode("ascii")

    def read(self, scope: str, cursor: str) -> int:
        """The row number. Raises BadCursorError."""
        try:
            sealed = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True)
            return int.from_bytes(self._cipher.decrypt(sealed, [scope.encode()]), "big")
        except (UnicodeEncodeError, binascii.Error, InvalidTag) as fault:
            raise BadCursorError from fault

    def page(
        self,
        session: Session,
        *,
        rows: Select[tuple[Row]],
        number: InstrumentedAttribute[int],
        scope: str,
        request: PageRequest,
        keep: Callable[[Row], bool] | None = None,
    ) -> Page[Row]:
        """The rows after the cursor, oldest first. Raises BadCursorError.

        Rows that are added or removed between two pages neither repeat nor hide others. `keep` filters by what the
        database does not know.
        """
        after = None if request.cursor is None else self.read(scope, request.cursor)
        wanted = request.limit + 1
        portion = wanted if keep is None else max(wanted, SCANNED_ROWS)
        found: list[Row] = []
        while True:
            query = rows.order_by(number).limit(portion)
            read = session.scalars(query if after is None else query.where(number > after)).all()
            found.extend(row for row in read if keep is None or keep(row))
            if len(found) >= wanted or len(read) < portion:
                break
            farthest: Any = read[-1]
            after = getattr(farthest, number.key)
        shown = found[: request.limit]
        if len(found) <= request.limit:
            return Page(rows=shown, cursor=None)
        last: Any = shown[-1]
        return Page(rows=shown, cursor=self.make(scope, getattr(last, number.key)))
