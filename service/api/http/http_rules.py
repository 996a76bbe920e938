"""Rules of HTTP that hold for every path: HEAD, separators in paths, one host, and bodies of ambiguous length."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.http.problems import no_such_path, problem_response
from service.core.errors import ProblemError


class HttpRules:
    """ASGI middleware: answers HEAD as GET without the body, and refuses requests that two programs could interpret
    differently."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request to the application, unless it breaks a rule."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_head = scope["method"] == "HEAD"
        if is_head:
            scope["method"], send = "GET", _without_body(send)
        try:
            problem = _problem(scope)
            await (self._app if problem is None else problem_response(problem))(scope, receive, send)
        finally:
            if is_head:
                scope["method"] = "HEAD"


def _problem(scope: Scope) -> ProblemError | None:
    # No identifier holds a slash, and a rule of a proxy for /v1/player has to hold for /v1%2fplayer as well.
    if b"%2f" in scope.get("raw_path", b"").lower():
        return no_such_path()
    hosts, lengths, codings = (
        [value for key, value in scope["headers"] if key == name]
        for name in (b"host", b"content-length", b"transfer-encoding")
    )
    # RFC 9112, sections 2.3, 3.2 and 6.1. What reads requests may be httptools, which is less strict than h11.
    if scope["http_version"] not in ("1.0", "1.1"):
        return _malformed("This version of HTTP is not spoken here")
    if len(hosts) > 1 or (not hosts and scope["http_version"] == "1.1"):
        return _malformed("A request has one Host header")
    if codings and lengths:
        # It may be an attempt to smuggle a request past a proxy.
        return _malformed("Send Content-Length or Transfer-Encoding, not both")
    if codings and [coding.strip().lower() for coding in codings] != [b"chunked"]:
        return _malformed("Only the transfer coding chunked is read here", status=501)
    return None


def _malformed(detail: str, *, status: int = 400) -> ProblemError:
    title = "This is no HTTP request that the service can read"
    return ProblemError(status, "malformed_request", title, f"{detail}.", headers={"Connection": "close"})


def _without_body(send: Send) -> Send:
    begun = False

    async def head_only(message: Message) -> None:
        nonlocal begun
        if message["type"] == "http.response.start":
            await send(message)
        elif not begun:
            begun = True
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return head_only
