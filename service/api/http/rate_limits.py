"""Rate limits per key, reported in the headers of draft-ietf-httpapi-ratelimit-headers (RFC 9651 fields)."""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from service.api.http.authentication import caller
from service.core.errors import too_many_requests
from service.services.access.rates import WINDOW, CallClass, QuotaState, Rates

RATE_POLICY_HEADER = "RateLimit-Policy"
RATE_LIMIT_HEADER = "RateLimit"
RATE_HEADERS = (RATE_POLICY_HEADER, RATE_LIMIT_HEADER)

_BULK = re.compile("/v1/(.+/items/bulk|screens)")
_PAIRING = re.compile("/v1/screens/(pair|[^/]+/replace)")


class RateLimiter:
    """Counts the calls of each key against its quotas."""

    def __init__(self, *, rates: Rates, monotonic: Callable[[], timedelta]) -> None:
        self._rates = rates
        self._monotonic = monotonic

    def count(self, request: Request) -> None:
        """Counts an authenticated call, and sets the headers for `add_rate_headers`. Raises the 429 problem."""
        kind = class_of(request.method, request.scope["path"])
        state = self._rates.take(caller(request).key, kind, now=self._monotonic())
        if state is None:
            return
        request.state.rate_headers = _headers(state)
        if not state.granted:
            raise too_many_requests(
                f"This key may make {state.quota} calls of the kind {kind} in {_seconds()} seconds.",
                state.seconds,
            )


def add_rate_headers(request: Request, response: Response) -> Response:
    """Adds the rate limit headers if the call was counted."""
    response.headers.update(getattr(request.state, "rate_headers", {}))
    return response


def class_of(method: str, path: str) -> CallClass:
    """Returns the quota that the call counts against."""
    if method in ("GET", "HEAD"):
        return CallClass.READS
    if _BULK.fullmatch(path):
        return CallClass.BULK
    return CallClass.PAIRING if _PAIRING.fullmatch(path) else CallClass.WRITES


def _headers(state: QuotaState) -> Mapping[str, str]:
    return {
        RATE_POLICY_HEADER: f'"{state.kind}";q={state.quota};w={_seconds()}',
        RATE_LIMIT_HEADER: f'"{state.kind}";r={state.remaining};t={state.seconds}',
    }


def _seconds() -> int:
    return int(WINDOW.total_seconds())
