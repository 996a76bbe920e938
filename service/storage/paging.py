"""Reads a table page by page; a cursor is the position after a row, and can be made only by this installation."""

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_KEY_PURPOSE = b"menu-service cursor"
SCANNED_ROWS = 500
"""Rows read at a time where the database cannot filter them."""

Row = TypeVar("Row")
Reader = Callable[[int, int], Sequence[Row]]
"""Reads the rows beyond a number, in order, and so many at most; 0 is before all."""


class BadCursorError(Exception):
    """Raised if the cursor was not made by this installation for this list and workspace."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """At most `limit` rows, after the cursor; oldest first, unless `newest_first`."""

    limit: int
    cursor: str | None = None
    newest_first: bool = False


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
        # AES-256-SIV takes two keys of 256 bits.
        self._cipher = AESSIV(HKDF(algorithm=SHA256(), length=64, salt=None, info=_KEY_PURPOSE).derive(secret))

    def make(self, scope: str, number: int) -> str:
        """Makes the cursor for continuing after the row with this number."""
        sealed = self._cipher.encrypt(number.to_bytes(8, "big"), [scope.encode()])
        return base64.urlsafe_b64encode(sealed).decode("ascii")

    def read(self, scope: str, cursor: str) -> int:
        """Parses the row number. Raises BadCursorError."""
        try:
            sealed = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True)
            return int.from_bytes(self._cipher.decrypt(sealed, [scope.encode()]), "big")
        except (UnicodeEncodeError, binascii.Error, InvalidTag) as fault:
            raise BadCursorError from fault

    def page(
        self,
        read: Reader[Row],
        *,
        number: str,
        scope: str,
        request: PageRequest,
        keep: Callable[[Row], bool] | None = None,
    ) -> Page[Row]:
        """Returns the rows after the cursor, in the order of the request, by `number`, a field. Raises BadCursorError.

        Rows that are added or removed between two pages neither repeat nor hide others. `keep` filters by what the
        database does not know.
        """
        after = 0 if request.cursor is None else self.read(scope, request.cursor)
        wanted = request.limit + 1
        portion = wanted if keep is None else max(wanted, SCANNED_ROWS)
        found: list[Row] = []
        while True:
            rows = read(after, portion)
            found.extend(row for row in rows if keep is None or keep(row))
            if len(found) >= wanted or len(rows) < portion:
                break
            after = getattr(rows[-1], number)
        shown = found[: request.limit]
        if len(found) <= request.limit:
            return Page(rows=shown, cursor=None)
        return Page(rows=shown, cursor=self.make(scope, getattr(shown[-1], number)))
