"""`Idempotency-Key`: a retry gets the answer of the first call.

Only answers of calls that had an effect are stored. A refused call changed nothing, so its retry runs again.
"""

import functools
import hashlib
import re
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.http.authentication import bearer, caller
from service.api.http.ignored import name_ignored_fields
from service.api.http.replies import no_content
from service.core.errors import ProblemError
from service.core.ids import digest_of
from service.services.access.team import ACCEPTED_ALREADY
from service.services.registry import Services
from service.services.shared.idempotency import IdempotentCall, StoredResponse

MAX_NAME_CHARACTERS = 255
IDEMPOTENCY_KEY = "Idempotency-Key"

_NAME = re.compile(rf"[!-~]{{1,{MAX_NAME_CHARACTERS}}}", re.ASCII)
_METHODS = ("POST", "PATCH")

_current: ContextVar[IdempotentCall | None] = ContextVar("call", default=None)


class Idempotency:
    """Answers repeated calls from the store, and stores the answers of calls that carry a key."""

    def __init__(self, services: Services) -> None:
        self._responses = services.stored_responses
        self._database = services.database

    def call_of(self, request: Request, content: bytes) -> IdempotentCall | None:
        """Returns the call, if it carries an Idempotency-Key. Raises the 400 problem for a malformed one."""
        name = _name_of(request)
        if name is None:
            return None
        return IdempotentCall(
            key_id=caller(request).key,
            secret=bearer(request),
            idempotency_key=name,
            fingerprint=_fingerprint(request, content),
        )

    async def answer_invited(
        self, request: Request, content: bytes, *, token: str, accept: Callable[[], tuple[Response, str]]
    ) -> Response:
        """Like `answer`, for a caller who has the token of an invitation, and no key before the call. `accept` returns
        the response and the id of the new key, with which the stored response is deleted."""
        name = _name_of(request)
        if name is None:
            return (await run_in_threadpool(accept))[0]
        call = IdempotentCall(
            key_id=None,
            secret=token,
            # No key of a caller looks like this: those have no blanks.
            idempotency_key=f"invitation {digest_of(f'{token} {name}')}",
            fingerprint=_fingerprint(request, content),
        )

        def answer() -> Response:
            try:
                with self._database.as_one_unit():
                    response, key = accept()
                    self._responses.store(call, _stored(response), key_id=key)
                    return response
            except ProblemError as problem:
                stored = self._responses.find(call) if problem.code == ACCEPTED_ALREADY else None
                if stored is None:
                    raise
                return _reply(stored)

        with self._responses.in_flight(call):
            return await run_in_threadpool(answer)

    async def answer(self, request: Request, content: bytes, handle: Callable[[], Awaitable[Response]]) -> Response:
        """Returns the stored response, or that of `handle`, whose handler has to be wrapped by `storing`."""
        call = self.call_of(request, content)
        if call is None:
            return await handle()
        with self._responses.in_flight(call):
            answer = await run_in_threadpool(self._responses.find, call)
            if answer is not None:
                return _reply(answer)
            token = _current.set(call)
            try:
                return await handle()
            finally:
                _current.reset(token)

    def storing(self, handler: Callable[..., Response | None]) -> Callable[..., Response]:
        """The handler, wrapped: its answer, 204 where it returns none, is stored in the transaction of its effect."""

        @functools.wraps(handler)
        def stored(*arguments: Any, **named: Any) -> Response:
            call = _current.get()
            if call is None or call.key_id is None:
                return handler(*arguments, **named) or no_content()
            try:
                with self._database.as_one_unit():
                    response = handler(*arguments, **named) or no_content()
                    # A retry is told of them as well, although nothing reads its body.
                    name_ignored_fields(response.headers)
                    self._responses.store(call, _stored(response), key_id=call.key_id)
                return response
            except ProblemError:
                # Refused, perhaps, for what the same call has done meanwhile at another process.
                stored = self._responses.find(call)
                if stored is None:
                    raise
                return _reply(stored)

        return stored


def _name_of(request: Request) -> str | None:
    names = request.headers.getlist(IDEMPOTENCY_KEY)
    if not names or request.method not in _METHODS:
        return None
    if len(names) > 1 or not _NAME.fullmatch(names[0]):
        raise ProblemError(
            400,
            "bad_idempotency_key",
            "The Idempotency-Key is not valid",
            f"Send one, of 1 to {MAX_NAME_CHARACTERS} visible ASCII characters.",
        )
    return names[0]


def _fingerprint(request: Request, content: bytes) -> str:
    identity = (request.method, request.url.path, request.url.query, ",".join(request.headers.getlist("prefer")))
    return hashlib.sha256("\n".join(identity).encode() + b"\n" + content).hexdigest()


def _stored(response: Response) -> StoredResponse:
    headers = tuple((name, value) for name, value in response.headers.items() if name != "content-length")
    return StoredResponse(status=response.status_code, headers=headers, body=bytes(response.body))


def _reply(answer: StoredResponse) -> Response:
    return Response(answer.body, status_code=answer.status, headers=dict(answer.headers))
