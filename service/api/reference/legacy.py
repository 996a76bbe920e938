"""`/v0`: removed. Every call answers 410 with the standard headers that point to the successor."""

from datetime import UTC, datetime
from email.utils import format_datetime

from fastapi import APIRouter
from starlette.responses import Response

from service.api.http.problems import problem_response
from service.core.errors import ProblemError

DEPRECATED_AT = datetime(2024, 11, 1, tzinfo=UTC)
"""When v1 replaced v0: twelve months of overlap before the sunset (specification, versioning)."""
SUNSET_AT = datetime(2025, 11, 1, tzinfo=UTC)

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
_HEADERS = {
    # RFC 9745 takes a structured-field date, RFC 8594 an HTTP date.
    "Deprecation": f"@{int(DEPRECATED_AT.timestamp())}",
    "Sunset": format_datetime(SUNSET_AT, usegmt=True),
    "Link": '</v1>; rel="successor-version", </docs>; rel="deprecation", </docs>; rel="sunset"',
}


def legacy_routes() -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.api_route("/v0", methods=_METHODS)
    @router.api_route("/v0/{path:path}", methods=_METHODS)
    async def gone() -> Response:
        """410 for every method and path."""
        return problem_response(
            ProblemError(
                410, "gone", "v0 is gone", "Call the same service under /v1; /docs describes it.", headers=_HEADERS
            )
        )

    return router
