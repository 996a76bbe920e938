"""`/v0`: gone. Every call is told so in the terms of the standards, and where its successor is."""

from datetime import UTC, datetime
from email.utils import format_datetime

from fastapi import APIRouter
from starlette.responses import Response

from service.api.problems import problem_response
from service.core.errors import ProblemError

DEPRECATED_AT = datetime(2024, 11, 1, tzinfo=UTC)
"""When v1 took over: twelve months of overlap before the end (specification, versioning)."""
SUNSET_AT = datetime(2025, 11, 1, tzinfo=UTC)

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
_HEADERS = {
    # RFC 9745 writes a date of a structured field, RFC 8594 one of HTTP.
    "Deprecation": f"@{int(DEPRECATED_AT.timestamp())}",
    "Sunset": format_datetime(SUNSET_AT, usegmt=True),
    "Link": '</v1>; rel="successor-version", </docs>; rel="deprecation", </docs>; rel="sunset"',
}


def legacy_routes() -> APIRouter:
    """Whatever v0 had."""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/v0", methods=_METHODS)
    @router.api_route("/v0/{path:path}", methods=_METHODS)
    async def gone() -> Response:
        """410, whoever asks for what."""
        return problem_response(
            ProblemError(
                410, "gone", "v0 is gone", "Call the same service under /v1; /docs describes it.", headers=_HEADERS
            )
        )

    return router
