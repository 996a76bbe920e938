"""Reads a request to the desk before its handler runs: the session, then the form, then the permission.

A problem of a service becomes a page, or a sentence beside the part that htmx requested.
"""

import hmac
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.http.routes import Routes
from service.core.errors import ProblemError, invalid
from service.core.ids import unmasked
from service.desk.forms import read_form
from service.desk.problems import sentence_of
from service.desk.said import Said
from service.desk.visits import SIGN_IN, Cookies, Visit
from service.schema.faults import faults_of
from service.services.access.sessions import SessionService
from service.services.registry import Services
from service.storage.audit import acting_as

CSRF_HEADER, CSRF_FIELD = "x-csrf-token", "csrf"
_SAFE = ("GET", "HEAD")

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Part = TypeVar("Part")


def desk_route(
    sessions: SessionService, cookies: Cookies, *, mark: Callable[[], str] = str, signed_in: bool = True
) -> type[APIRoute]:
    """Returns a route class of the desk. Without a session it redirects to the sign-in, unless `signed_in` is false.
    `mark` is that of live pages."""

    class DeskRoute(APIRoute):
        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()

            async def visited(request: Request) -> Response:
                token = request.cookies.get(cookies.session, "")
                who = await run_in_threadpool(sessions.of, token) if token else None
                visit = Visit(request, cookies=cookies, who=who, live_mark=mark())
                request.state.visit = visit
                try:
                    if request.method not in _SAFE:
                        sent = await read_form(request, files=who is not None)
                        visit.form, visit.file, visit.file_name = sent.fields, sent.file, sent.file_name
                        _check_origin(request)
                        if who is not None and signed_in:
                            _check_token(visit, who.csrf)
                    if who is None:
                        return _to_sign_in(visit) if signed_in else await handle(request)
                    with acting_as(who.access.workspace, who.access.key):
                        return await handle(request)
                except ProblemError as problem:
                    return refused(visit, problem)
                except RequestValidationError as fault:
                    return refused(visit, invalid(faults_of(fault.errors(), fault.body)))

            return visited

    return DeskRoute


def desk_routes(of: Callable[[Services], Part], prefix: str = "") -> Routes[Part]:
    """Pages and acts below a path; `of` makes the first argument of their handlers."""
    return Routes(of, prefix=prefix, include_in_schema=False)


def refused(visit: Visit, problem: ProblemError) -> Response:
    """Returns the response to a refused request: a page, or for htmx the sentence alone."""
    said = Said(sentence_of(problem), kind="fault")
    if not visit.wants_part:
        return visit.page("problem", status=problem.status, problem=problem, sentence=said.sentence)
    return visit.refusal(said, status=problem.status)


def _to_sign_in(visit: Visit) -> Response:
    """Redirects to the sign-in, and back to this page after it; an act is not repeated."""
    back = visit.address if visit.request.method in _SAFE and not visit.wants_part else ""
    return visit.go(f"{SIGN_IN}?{urlencode({'next': back})}" if back else SIGN_IN)


def _check_origin(request: Request) -> None:
    """Raises the 403 problem for a form of another site. Every browser sends the origin of a POST."""
    origin, fetched = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    strange = origin is not None and urlsplit(origin).netloc != request.headers.get("host", "")
    if strange or fetched not in (None, "same-origin", "none"):
        raise ProblemError(403, "other_site", "The form came from another site", "Open the page again, and repeat it.")


def _check_token(visit: Visit, expected: str) -> None:
    """Raises the 403 problem for a form without the session's token."""
    given = visit.request.headers.get(CSRF_HEADER) or visit.form.get(CSRF_FIELD, "")
    if not hmac.compare_digest(unmasked(given).encode(), expected.encode()):
        raise ProblemError(403, "stale_page", "The page is of an earlier session", "Open it again, and repeat it.")
