"""Answers kept for a retry (draft-ietf-httpapi-idempotency-key-header): saved with the effect that they tell of.

An answer may hold a secret that is shown once, so it is stored sealed with the secret of the key that called: the
database alone opens none.
"""

import hashlib
import secrets
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError

from service.core.errors import ProblemError
from service.core.json_text import read_json, write_json
from service.storage.database import Database
from service.storage.tables import AnswerRow

RETENTION = timedelta(hours=24)
MAX_KEPT_BYTES = 16 * 1024 * 1024
"""Of one answer, compressed."""
RETRY_SECONDS = 1
"""When it is worth asking again for the answer of a call that is under way."""

_NONCE_BYTES = 32
_END_OF_HEADERS = b"\0"


@dataclass(frozen=True, slots=True)
class Call:
    """A call that its caller may repeat, as it names it."""

    key: str
    """The id of the API key."""
    secret: str
    """The API key itself: what the answer is sealed with."""
    name: str
    """The Idempotency-Key."""
    fingerprint: str
    """A SHA-256 of what was asked for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call was answered."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Answers:
    """Keeps answers for a day. Safe to use from any thread."""

    def __init__(self, *, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._under_way: set[tuple[str, str]] = set()

    @contextmanager
    def under_way(self, call: Call) -> Iterator[None]:
        """While the call is being answered. Raises the 409 problem when it is already."""
        mark = (call.key, call.name)
        with self._lock:
            if mark in self._under_way:
                raise _in_flight()
            self._under_way.add(mark)
        try:
            yield
        finally:
            with self._lock:
                self._under_way.discard(mark)

    def find(self, call: Call) -> Answer | None:
        """What the call was answered before. Raises the 422 problem when something else was asked for."""
        with self._database.read() as session:
            row = session.get(AnswerRow, (call.key, call.name))
        if row is None or row.kept_at <= self._database.now() - RETENTION:
            return None
        if row.fingerprint != call.fingerprint:
            raise ProblemError(
                422,
                "idempotency_key_reused",
                "This Idempotency-Key belongs to another request",
                "A request with this Idempotency-Key was answered, and it was not the same. Make up a new one.",
            )
        packed = zlib.decompress(_seal(row.sealed, call, row.nonce))
        headers, _, body = packed.partition(_END_OF_HEADERS)
        return Answer(row.status, tuple((name, value) for name, value in read_json(headers)), body)

    def keep(self, call: Call, answer: Answer) -> None:
        """Save the answer, as part of the unit of work whose effect it tells of.

        Raises the 413 problem for an answer beyond all bounds, and 409 when another process was faster.
        """
        packed = zlib.compress(write_json(answer.headers) + _END_OF_HEADERS + answer.body)
        nonce = secrets.token_bytes(_NONCE_BYTES)
        with self._database.write() as unit:
            if len(packed) > MAX_KEPT_BYTES:
                raise ProblemError(
                    413,
                    "answer_too_large",
                    "The answer is too large to be kept",
                    "Ask for less at once, or leave the Idempotency-Key out.",
                )
            unit.session.execute(
                delete(AnswerRow).where(
                    AnswerRow.key_id == call.key,
                    AnswerRow.name == call.name,
                    AnswerRow.kept_at <= unit.now - RETENTION,
                )
            )
            # On its own, so that a conflict can only be about this row.
            unit.session.flush()
            unit.session.add(
                AnswerRow(
                    key_id=call.key,
                    name=call.name,
                    fingerprint=call.fingerprint,
                    status=answer.status,
                    nonce=nonce,
                    sealed=_seal(packed, call, nonce),
                    kept_at=unit.now,
                )
            )
            try:
                unit.session.flush()
            except IntegrityError:
                raise _in_flight() from None

    def sweep(self) -> None:
        """Drop the answers that are older than a day."""
        with self._database.write() as unit:
            unit.session.execute(delete(AnswerRow).where(AnswerRow.kept_at <= unit.now - RETENTION))


def _seal(data: bytes, call: Call, nonce: bytes) -> bytes:
    """The data under a key stream that is used once; the same again opens it."""
    stream = hashlib.shake_256(b"answer\0" + nonce + call.secret.encode("utf-8", "surrogatepass")).digest(len(data))
    return (int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(data), "big")


def _in_flight() -> ProblemError:
    return ProblemError(
        409,
        "idempotency_in_flight",
        "The same call is being answered",
        "A request with this Idempotency-Key is under way. Its answer can be had in a moment.",
        headers={"Retry-After": str(RETRY_SECONDS)},
    )
