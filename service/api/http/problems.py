"""Writes every failure as application/problem+json (RFC 9457), without stack traces."""

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from service.api.http.rate_limits import add_rate_headers
from service.api.http.replies import JsonReply
from service.core.errors import TYPE_PREFIX, Fault, ProblemError, invalid, storage_full
from service.core.logs import loggable_path
from service.schema.faults import faults_of
from service.schema.problem import Problem, ProblemFault
from service.storage.full_disk import is_full_disk

PROBLEM_MEDIA_TYPE = "application/problem+json"

DATABASE_RETRY_SECONDS = 5

_log = logging.getLogger(__name__)


def install_problem_handlers(app: FastAPI) -> None:
    """Makes the application answer every kind of failure with a problem."""
    for kind, handler in HANDLERS.items():
        app.add_exception_handler(kind, handler)


def problem_response(problem: ProblemError) -> Response:
    document = Problem(
        type=TYPE_PREFIX + problem.code,
        title=problem.title,
        status=problem.status,
        detail=problem.detail,
        code=problem.code,
        token_digest=problem.token_digest,
        errors=[_fault(fault) for fault in problem.faults],
    ).model_dump(by_alias=True, exclude_none=True)
    if not problem.faults:
        del document["errors"]
    return JsonReply(document, status_code=problem.status, headers=dict(problem.headers), media_type=PROBLEM_MEDIA_TYPE)


def no_such_path() -> ProblemError:
    """Returns the 404 problem: the API has no such path."""
    return ProblemError(404, "no_such_path", "There is nothing at this path", "See /docs for what there is.")


def _fault(fault: Fault) -> ProblemFault:
    return ProblemFault(pointer=fault.pointer, parameter=fault.parameter, code=fault.code, detail=fault.detail)


def _on_problem(request: Request, fault: Exception) -> Response:
    if not isinstance(fault, ProblemError):
        raise fault
    return add_rate_headers(request, problem_response(fault))


def _on_validation(request: Request, fault: Exception) -> Response:
    if not isinstance(fault, RequestValidationError):
        raise fault
    return add_rate_headers(request, problem_response(invalid(faults_of(fault.errors(), fault.body))))


def _on_http(request: Request, fault: Exception) -> Response:
    if not isinstance(fault, HTTPException):
        raise fault
    match fault.status_code:
        case 404:
            problem = no_such_path()
        case 405:
            allowed = _methods_at(request)
            problem = ProblemError(
                405,
                "method_not_allowed",
                "This path does not answer to this method",
                f"It answers to {allowed}.",
                headers={"Allow": allowed},
            )
        case status:
            phrase = HTTPStatus(status).phrase
            problem = ProblemError(
                status, phrase.lower().replace(" ", "_"), phrase, str(fault.detail), headers=fault.headers or {}
            )
    return problem_response(problem)


def _methods_at(request: Request) -> str:
    """Returns the methods of the path; Starlette's error names those of its first route. A literal path takes
    precedence over one with a parameter."""
    asked = request.url.path.split("/")
    here = [route for route in request.app.routes if isinstance(route, Route) and _fits(route.path.split("/"), asked)]
    path = min((route.path for route in here), key=lambda path: path.count("{"), default=None)
    methods = {method for route in here if route.path == path for method in route.methods or ()}
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))


def _fits(path: list[str], asked: list[str]) -> bool:
    return len(path) == len(asked) and all(
        here == there or here.startswith("{") for here, there in zip(path, asked, strict=True)
    )


def _on_disconnect(_request: Request, _fault: Exception) -> Response:
    # Nobody reads this; without it the log would blame the service for a caller that hung up.
    return Response(status_code=400)


def _on_unavailable(request: Request, fault: Exception) -> Response:
    if is_full_disk(fault):
        # The log says so once (`storage.database`).
        return add_rate_headers(request, problem_response(storage_full()))
    # Without the exception's message: it may hold the data that was being written.
    _log.error(
        "%s %s: the database is unavailable: %s", request.method, loggable_path(request.url.path), type(fault).__name__
    )
    return problem_response(
        ProblemError(
            503,
            "database_unavailable",
            "The database cannot be used at the moment",
            "Try again, with the same Idempotency-Key if it must not happen twice.",
            headers={"Retry-After": str(DATABASE_RETRY_SECONDS)},
        )
    )


def _on_fault(request: Request, fault: Exception) -> Response:
    # The server that runs the application gets the exception as well, and logs its traceback.
    _log.error("%s %s failed: %s", request.method, loggable_path(request.url.path), type(fault).__name__)
    return problem_response(
        ProblemError(500, "internal_error", "The service failed", "The fault is logged. It is safe to try again.")
    )


HANDLERS: Mapping[type[Exception], Callable[[Request, Exception], Response]] = {
    ProblemError: _on_problem,
    RequestValidationError: _on_validation,
    HTTPException: _on_http,
    ClientDisconnect: _on_disconnect,
    OperationalError: _on_unavailable,
    InterfaceError: _on_unavailable,
    PoolTimeoutError: _on_unavailable,
    Exception: _on_fault,
}
"""Answers to failures by their kind."""
