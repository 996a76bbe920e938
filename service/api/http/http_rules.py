"""Rules of HTTP that hold for every path: HEAD, separators in paths, and bodies of ambiguous length."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.http.problems import no_such_path, problem_response
from service.core.errors import ProblemError


class HttpRules:
    """ASGI middleware: answers HEAD as GET without the body, and refuses requests that two programs could read
    differently."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request to the application, unless it breaks a rule."""
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
    headers = Headers(scope=scope)
    if "content-length" in headers and "transfer-encoding" in headers:
        # RFC 9112, section 6.1: it may be an attempt to smuggle a request past a proxy.
        return ProblemError(
            400,
            "malformed_request",
            "The length of the body is ambiguous",
            "Send Content-Length or Transfer-Encoding, not both.",
            headers={"Connection": "close"},
        )
    return None


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
