"""The diagnostics server on loopback: the page, the snapshot as JSON, and a screenshot; uses starlette and uvicorn."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import Awaitable, Callable
from importlib import resources

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from player.diagnostics.connections import Listeners
from player.diagnostics.document import state_document
from player.diagnostics.live import Live
from player.diagnostics.page.facts import Facts
from player.diagnostics.page.render import page, parts
from player.domain.state import PlayerState

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
GRAB_TIMEOUT_SECONDS = 10.0
SHUTDOWN_SECONDS = 1
"""How long open connections may delay a stop."""

STATIC = {"page.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}
"""The files beside the page, and their types."""

STREAMS = frozenset({"/events"})
"""Paths whose answers have no end."""

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def create_app(
    *,
    snapshot: Callable[[], PlayerState],
    monotonic: Callable[[], float],
    grab: Callable[[], Awaitable[bytes]],
    look: Callable[[], Facts] | None = None,
) -> Starlette:
    """The application. `snapshot` gives the PlayerState as of now, `grab` a PNG of what is on the glass, `look` the
    facts of the page.

    Host names other than this machine's are refused: a web page cannot read it by DNS rebinding.
    """
    grabbing = asyncio.Lock()
    files = {name: resources.files("player.diagnostics").joinpath("static", name).read_bytes() for name in STATIC}

    def facts() -> Facts:
        return look() if look else Facts(state=snapshot(), monotonic=monotonic())

    async def index(_: Request) -> Response:
        return HTMLResponse(page(facts()), headers=HEADERS)

    async def static(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in files:
            return PlainTextResponse("There is no such file.\n", status_code=404, headers=HEADERS)
        return Response(files[name], media_type=STATIC[name], headers=HEADERS)

    async def state(_: Request) -> Response:
        body = json.dumps(state_document(snapshot(), monotonic=monotonic()), ensure_ascii=False)
        return Response(body, media_type="application/json", headers=HEADERS)

    async def glass(_: Request) -> Response:
        try:
            async with asyncio.timeout(GRAB_TIMEOUT_SECONDS), grabbing:
                view = await grab()
        except TimeoutError:
            return PlainTextResponse(
                f"The display gave no image within {GRAB_TIMEOUT_SECONDS:g} s.\n", status_code=503, headers=HEADERS
            )
        return Response(view, media_type="image/png", headers=HEADERS)

    return Starlette(
        routes=[
            Route("/", index),
            Route("/state.json", state),
            Route("/glass.png", glass),
            Route("/events", Live(lambda: parts(facts()), monotonic=monotonic)),
            Route("/static/{name}", static),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=["localhost", "127.0.0.1"])],
    )


class DiagnosticsServer:
    """Serves the page until it is stopped. If its port is taken there is no page; the board runs all the same."""

    def __init__(self, *, app: Starlette, port: int) -> None:
        self._port = port
        self._listeners = Listeners(app, streams=STREAMS)
        self._serves = False

    async def start(self) -> str | None:
        """Start; returns the page's address, or None if the port is not available (the log says why)."""
        # asyncio switches Nagle's algorithm off only for sockets that say TCP.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, self._port))
        except OSError as error:
            listener.close()
            log.error(
                "no diagnostics page: port %d is not available (%s); choose another with --diagnostics-port",
                self._port,
                error.strerror,
            )
            return None
        self._listeners.serve([listener])
        self._serves = True
        return f"http://{HOST}:{listener.getsockname()[1]}/"

    def addresses(self, own: tuple[str, ...]) -> tuple[str, ...]:
        """Where phones find the page, from the device's own addresses; none while it listens on loopback only."""
        del own
        return ()

    async def stop(self) -> None:
        """Stop, within SHUTDOWN_SECONDS."""
        if self._serves:
            self._serves = False
            await self._listeners.stop(within=SHUTDOWN_SECONDS)
