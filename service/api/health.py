"""`/healthz`, `/readyz` and `/metrics`: for whatever watches over the service. None of them asks for an API key."""

import hmac
import ipaddress
import logging
from collections.abc import Callable
from enum import Enum

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from service.api.guard import bearer
from service.api.problems import problem_response
from service.api.replies import JsonReply
from service.core.errors import ProblemError, unauthenticated
from service.services.operations.metrics import Metrics

READY_RETRY_SECONDS = 5

_log = logging.getLogger(__name__)


class ReadinessProblem(Enum):
    """Why the service cannot do its work: the code of the problem, its title, and what a person can do."""

    STOPPING = "stopping", "The service is stopping", "It takes no more work. Wait until it runs again."
    NO_DATABASE = (
        "database_unavailable",
        "The database does not answer",
        "See that it runs and can be reached, and that its disk is not full. The service comes back by itself.",
    )
    OTHER_TABLES = (
        "other_tables",
        "The database has the tables of another version",
        "Another version of the service has changed them. Run one version everywhere: start the newer one again.",
    )


def health_routes(
    *, hindrance: Callable[[], ReadinessProblem | None], metrics: Metrics, metrics_token: str | None = None
) -> APIRouter:
    """Whether the process answers, whether it can work, and what it counts."""
    router = APIRouter(include_in_schema=False)

    @router.get("/healthz")
    async def health() -> Response:
        """Whether the process answers: if not, restart it."""
        return JsonReply({"status": "ok"})

    @router.get("/readyz")
    async def readiness() -> Response:
        """Whether it can do its work: if not, send it no requests."""
        try:
            hinders = await run_in_threadpool(hindrance)
        except SQLAlchemyError as fault:
            _log.warning("the database does not answer: %s", type(fault).__name__)
            hinders = ReadinessProblem.NO_DATABASE
        if hinders is None:
            return JsonReply({"status": "ready"})
        code, title, detail = hinders.value
        retry = {"Retry-After": str(READY_RETRY_SECONDS)}
        return problem_response(ProblemError(503, code, title, detail, headers=retry))

    @router.get("/metrics")
    async def counts(request: Request) -> Response:
        """What is counted, for Prometheus on the same machine; on another it needs the token, if there is one."""
        if not _is_local(request):
            _check_token(request, metrics_token)
        return Response(await run_in_threadpool(metrics.exposition), media_type=CONTENT_TYPE_LATEST)

    return router


def _check_token(request: Request, token: str | None) -> None:
    if token is None:
        raise HTTPException(404)
    if not hmac.compare_digest(bearer(request).encode(), token.encode()):
        raise unauthenticated("This is not the token for the metrics.")


def _is_local(request: Request) -> bool:
    # Behind a proxy the caller is who it says called it (X-Forwarded-For), so that only direct calls are local.
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
