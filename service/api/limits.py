"""Rate limits on the wire: draft-ietf-httpapi-ratelimit-headers, whose fields are structured (RFC 9651)."""

from collections.abc import Callable, Mapping
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from service.api.guard import caller
from service.core.errors import too_many_requests
from service.services.access.rates import WINDOW, CallClass, QuotaState, Rates

POLICY_HEADER = "RateLimit-Policy"
STANDING_HEADER = "RateLimit"
RATE_HEADERS = (POLICY_HEADER, STANDING_HEADER)

_SPECIAL = {"/v1/content/items/bulk": CallClass.BULK, "/v1/screens/pair": CallClass.PAIRING}


class Limiter:
    """Counts the calls of each key, and tells it where it stands."""

    def __init__(self, *, rates: Rates, now: Callable[[], datetime]) -> None:
        self._rates = rates
        self._now = now

    def take(self, request: Request) -> None:
        """Count a call of an authenticated request, and keep what `tell` says. Raises the 429 problem."""
        kind = class_of(request.method, request.url.path)
        standing = self._rates.take(caller(request).key, kind, now=self._now())
        if standing is None:
            return
        request.state.standing = _headers(standing)
        if not standing.granted:
            raise too_many_requests(
                f"This key may make {standing.quota} calls of the kind {kind} in {_seconds()} seconds.",
                standing.seconds,
            )


def tell(request: Request, response: Response) -> Response:
    """The answer, which says where its key stands if the call was counted."""
    response.headers.update(getattr(request.state, "standing", {}))
    return response


def class_of(method: str, path: str) -> CallClass:
    """What kind of call it is."""
    if method in ("GET", "HEAD"):
        return CallClass.READS
    return _SPECIAL.get(path, CallClass.WRITES)


def _headers(standing: QuotaState) -> Mapping[str, str]:
    return {
        POLICY_HEADER: f'"{standing.kind}";q={standing.quota};w={_seconds()}',
        STANDING_HEADER: f'"{standing.kind}";r={standing.remaining};t={standing.seconds}',
    }


def _seconds() -> int:
    return int(WINDOW.total_seconds())
