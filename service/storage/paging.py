"""Reading a table page by page: a position after a row, in a cursor that only this installation can make."""

import base64
import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import Select
from sqlalchemy.orm import InstrumentedAttribute, Session

_NUMBER_BYTES = 8
_SEAL_BYTES = 16
SCANNED_ROWS = 500
"""Rows read at a time where the database cannot choose among them."""

Row = TypeVar("Row")


class BadCursorError(Exception):
    """The cursor was not made by this installation for this list and workspace."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """How many rows, and after which cursor."""

    limit: int
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows, and the cursor after the last one if there are more."""

    rows: Sequence[Row]
    cursor: str | None


class Cursors:
    """Makes and reads cursors. One is a row number under a keyed seal that names its list and workspace.

    The number is masked: it counts the rows of all workspaces, which is nobody's business.
    """

    def __init__(self, *, secret: bytes) -> None:
        self._secret = secret

    def make(self, scope: str, number: int) -> str:
        """The cursor for going on after the row with this number."""
        seal = self._seal(scope, number)
        return base64.urlsafe_b64encode(self._masked(number, seal) + seal).decode("ascii")

    def read(self, scope: str, cursor: str) -> int:
        """The row number. Raises BadCursorError."""
        try:
            raw = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True)
        except ValueError as fault:
            raise BadCursorError from fault
        masked, seal = raw[:_NUMBER_BYTES], raw[_NUMBER_BYTES:]
        number = int.from_bytes(self._masked(int.from_bytes(masked, "big"), seal), "big")
        if not hmac.compare_digest(seal, self._seal(scope, number)):
            raise BadCursorError
        return number

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
        """The rows after the cursor, oldest first. A page stays right while rows come and go. Raises BadCursorError.

        `keep` chooses among them by what the database does not know.
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

    def _seal(self, scope: str, number: int) -> bytes:
        return self._digest(scope.encode() + b"\0" + number.to_bytes(_NUMBER_BYTES, "big"))[:_SEAL_BYTES]

    def _masked(self, number: int, seal: bytes) -> bytes:
        """The number under a key stream of its own; the same again uncovers it."""
        mask = int.from_bytes(self._digest(b"mask\0" + seal)[:_NUMBER_BYTES], "big")
        return (number ^ mask).to_bytes(_NUMBER_BYTES, "big")

    def _digest(self, text: bytes) -> bytes:
        return hmac.digest(self._secret, text, hashlib.sha256)
