"""Stores responses for a retry (draft-ietf-httpapi-idempotency-key-header), each with the effect that it reports.

A response may hold a secret that is shown once. It is encrypted under a key derived from the caller's API key, so the
database alone does not reveal it, and authenticated, so a row that was altered is not given out.
"""

import logging
import secrets
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError

from service.core.errors import ProblemError
from service.core.json_text import JsonTextError, read_json, write_json
from service.storage.database import Database
from service.storage.tables.workspaces import StoredResponseRow

RETENTION = timedelta(hours=24)
MAX_STORED_BYTES = 16 * 1024 * 1024
"""Size of one response, compressed."""
RETRY_SECONDS = 1
"""Retry-After while the first call is in flight."""

_KEY_PURPOSE = b"menu-service stored response"
_NONCE_BYTES = 12
_END_OF_HEADERS = b"\0"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IdempotentCall:
    key_id: str | None
    """The id of the API key; None for a call that makes one."""
    secret: str
    """The API key itself, or the token that stands for it, from which the encryption key is derived."""
    idempotency_key: str
    fingerprint: str
    """SHA-256 of the request, in hex."""


@dataclass(frozen=True, slots=True)
class StoredResponse:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class StoredResponses:
    """Stores responses for 24 hours. Safe to use from any thread."""

    def __init__(self, *, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._in_flight: set[tuple[str, str]] = set()

    @contextmanager
    def in_flight(self, call: IdempotentCall) -> Iterator[None]:
        """Marks the call as in flight. Raises the 409 problem if it already is."""
        mark = (call.key_id or "", call.idempotency_key)
        with self._lock:
            if mark in self._in_flight:
                raise _already_in_flight()
            self._in_flight.add(mark)
        try:
            yield
        finally:
            with self._lock:
                self._in_flight.discard(mark)

    def find(self, call: IdempotentCall) -> StoredResponse | None:
        """Returns the response to the first such call, if there is one.

        Raises the 422 problem when the Idempotency-Key belongs to another request, 500 when the row was altered, and
        503 when its format is unknown.
        """
        with self._database.read() as session:
            mine = select(StoredResponseRow).where(StoredResponseRow.name == call.idempotency_key)
            if call.key_id is not None:
                mine = mine.where(StoredResponseRow.key_id == call.key_id)
            row = session.scalar(mine)
        if row is None or row.kept_at <= self._database.now() - RETENTION:
            return None
        if row.fingerprint != call.fingerprint:
            raise ProblemError(
                422,
                "idempotency_key_reused",
                "This Idempotency-Key belongs to another request",
                "A request with this Idempotency-Key was answered, and it was not the same. Make up a new one.",
            )
        try:
            packed = zlib.decompress(_decrypt(row, call))
            headers, _, body = packed.partition(_END_OF_HEADERS)
            return StoredResponse(row.status, tuple((name, value) for name, value in read_json(headers)), body)
        except (InvalidTag, zlib.error, JsonTextError):
            _log.error("the response stored for a call of key %s was altered or damaged", row.key_id)
            raise _damaged() from None

    def store(self, call: IdempotentCall, response: StoredResponse, *, key_id: str) -> None:
        """Stores the response in the unit of work of the effect that it reports, for as long as the key exists.

        Raises the 413 problem for a response that is too large, and 409 when another process stored one first.
        """
        packed = zlib.compress(write_json(response.headers) + _END_OF_HEADERS + response.body)
        nonce = secrets.token_bytes(_NONCE_BYTES)
        with self._database.write() as unit:
            if len(packed) > MAX_STORED_BYTES:
                raise ProblemError(
                    413,
                    "answer_too_large",
                    "The answer is too large to be kept",
                    "Ask for less at once, or leave the Idempotency-Key out.",
                )
            unit.session.execute(
                delete(StoredResponseRow).where(
                    StoredResponseRow.key_id == key_id,
                    StoredResponseRow.name == call.idempotency_key,
                    StoredResponseRow.kept_at <= unit.now - RETENTION,
                )
            )
            # On its own, so that a conflict can only be about this row.
            unit.session.flush()
            unit.session.add(
                StoredResponseRow(
                    key_id=key_id,
                    name=call.idempotency_key,
                    fingerprint=call.fingerprint,
                    status=response.status,
                    nonce=nonce,
                    sealed=_cipher(call).encrypt(nonce, packed, _associated_data(call, response.status)),
                    kept_at=unit.now,
                )
            )
            try:
                unit.session.flush()
            except IntegrityError:
                raise _already_in_flight() from None

    def sweep(self) -> None:
        """Deletes the responses that are older than 24 hours."""
        with self._database.write() as unit:
            unit.session.execute(delete(StoredResponseRow).where(StoredResponseRow.kept_at <= unit.now - RETENTION))


def _cipher(call: IdempotentCall) -> AESGCM:
    key = HKDF(algorithm=SHA256(), length=32, salt=None, info=_KEY_PURPOSE).derive(_key_material(call))
    return AESGCM(key)


def _associated_data(call: IdempotentCall, status: int) -> bytes:
    """Returns the data to which the ciphertext is bound besides the API key: a row copied to another call does not
    open."""
    return write_json([call.key_id, call.idempotency_key, call.fingerprint, status])


def _decrypt(row: StoredResponseRow, call: IdempotentCall) -> bytes:
    """Raises InvalidTag for a row that was altered, and the 503 problem for one of an unknown format."""
    if len(row.nonce) != _NONCE_BYTES:
        raise _stored_by_newer()
    return _cipher(call).decrypt(row.nonce, row.sealed, _associated_data(call, row.status))


def _key_material(call: IdempotentCall) -> bytes:
    return call.secret.encode("utf-8", "surrogatepass")


def _already_in_flight() -> ProblemError:
    return ProblemError(
        409,
        "idempotency_in_flight",
        "The same call is being answered",
        "A request with this Idempotency-Key is under way. Its answer can be had in a moment.",
        headers={"Retry-After": str(RETRY_SECONDS)},
    )


def _stored_by_newer() -> ProblemError:
    """Returns the problem of a response that a newer process has stored: processes may be upgraded one by one."""
    return ProblemError(
        503,
        "stored_answer_newer",
        "Another version of the service has stored the answer",
        "The request was carried out, and nothing was done again. Repeat it: a process of that version can answer.",
        headers={"Retry-After": str(RETRY_SECONDS)},
    )


def _damaged() -> ProblemError:
    return ProblemError(
        500,
        "stored_answer_damaged",
        "The stored answer cannot be read",
        "The request was carried out, and nothing was done again. Read the resource to see its state.",
    )
