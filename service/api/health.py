"""`/healthz`, `/readyz` and `/metrics`, for monitoring. None of them needs an API key."""

import hmac
import ipaddress
import logging
from collections.abc import Callable
from datetime import datetime
from enum import Enum

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from service.api.http.authentication import bearer
from service.api.http.problems import problem_response
from service.api.http.replies import JsonReply
from service.core.clock import instant_text
from service.core.errors import ProblemError, unauthenticated
from service.services.operations.metrics import Metrics

READY_RETRY_SECONDS = 5

_log = logging.getLogger(__name__)


class ReadinessProblem(Enum):
    """Reasons why the service is not ready: the code, title and detail of the problem. The detail says what to do."""

    STOPPING = "stopping", "The service is stopping", "It takes no more requests. Wait until it runs again."
    NO_DATABASE = (
        "database_unavailable",
        "The database does not answer",
        "See that it runs and can be reached, and that its disk is not full. The service comes back by itself.",
    )
    STORAGE_FULL = (
        "storage_full",
        "The disk of the database is full",
        "Nothing can be changed. Make room on it; boards go on with what they have. The service comes back by itself.",
    )
    UPKEEP_STALLED = (
        "upkeep_stalled",
        "The periodic jobs stand still",
        "Sold-out times, lost screens and deliveries are not kept up. Restart this process; its log says which.",
    )
    OTHER_TABLES = (
        "other_tables",
        "The database has the tables of another version",
        "Another version of the service has changed them. Run one version everywhere: start the newer one again.",
    )


def health_routes(
    *,
    readiness_problem: Callable[[], ReadinessProblem | None],
    contradicted_at: Callable[[], datetime | None],
    metrics: Metrics,
    metrics_token: str | None = None,
) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/healthz")
    async def health() -> Response:
        """Liveness: if it does not answer, restart the process."""
        return JsonReply({"status": "ok"})

    @router.get("/readyz")
    async def readiness() -> Response:
        """Readiness: 503 means send no requests."""
        try:
            problem = await run_in_threadpool(readiness_problem)
            contradicted = None if problem is not None else await run_in_threadpool(contradicted_at)
        except SQLAlchemyError as fault:
            _log.warning("the database does not answer: %s", type(fault).__name__)
            problem = ReadinessProblem.NO_DATABASE
        if problem is None:
            return JsonReply({"status": "ready"} | ({} if contradicted is None else _put_back(contradicted)))
        code, title, detail = problem.value
        retry = {"Retry-After": str(READY_RETRY_SECONDS)}
        return problem_response(ProblemError(503, code, title, detail, headers=retry))

    @router.get("/metrics")
    async def exposition(request: Request) -> Response:
        """The metrics, for Prometheus on the same machine. Other machines need the metrics token; without one, 404."""
        if not _is_local(request):
            _check_token(request, metrics_token)
        return Response(await run_in_threadpool(metrics.exposition), media_type=CONTENT_TYPE_LATEST)

    return router


def _put_back(at: datetime) -> dict[str, object]:
    detail = (
        "The database is older than what a board has shown: it was put back without `menu-service restore` or "
        "`mark-restored`. Boards follow it; what was changed after that state is lost. Compare it with your menus."
    )
    return {"putBack": {"noticedAt": instant_text(at), "detail": detail}}


def _check_token(request: Request, token: str | None) -> None:
    if token is None:
        raise HTTPException(404)
    if not hmac.compare_digest(bearer(request).encode(), token.encode()):
        raise unauthenticated("This is not the metrics token.")


def _is_local(request: Request) -> bool:
    # Behind a proxy the client is the one that X-Forwarded-For names: only direct calls are local.
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
