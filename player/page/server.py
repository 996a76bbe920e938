"""The server of the page: its routes, the snapshot as JSON, a screenshot, and actions; uses starlette."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import socket
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from importlib import resources
from pathlib import Path

from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from player.domain.findings.finding import counted_seconds
from player.domain.state import PlayerState
from player.domain.words.phrase import chosen_language, phrase
from player.domain.words.short_id import short_id
from player.domain.words.wording import FALLBACK_LOCALE
from player.page.access import Gatekeeper
from player.page.bundle_route import bundle_route
from player.page.connections import Listeners, StartTask, start_task
from player.page.document import state_document
from player.page.guard import Guard, Visit
from player.page.live import Live
from player.page.look import ChangingParts, WrittenPages
from player.page.picture import PAGE_PIXELS, Grab, SharedPicture
from player.page.refusal import HEADERS, refused
from player.page.sections.actions import BY_NAME, RESTART
from player.page.sections.facts import Facts
from player.page.sections.render import page, restarting
from player.page.sign_in import ON_SCREEN, PinPlace, sign_in_routes

log = logging.getLogger(__name__)

STREAMS = frozenset({"/events"})
"""Answers that go on for as long as the caller likes."""

STATIC = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
NO_ACTIONS: Mapping[str, Callable[[], Awaitable[None]]] = {}

GRAB_TIMEOUT_SECONDS = 10.0
CODE_ON_SCREEN = phrase("There is a code on the screen. Look at the screen itself.")
RESTART_AFTER_SECONDS = 1.5
"""The browser still has to fetch the style and the script of the page that says so."""

LISTEN_TRIES, LISTEN_AGAIN_SECONDS = 11, 0.1
"""How often a port that is taken is asked for, and when again: the doctor's page gives it back when a player starts."""

SILENT_SECONDS = 10
"""How long the kernel keeps a connection that says nothing to itself, in steps of its own: 15 s, with many 31 s."""

SYN_COOKIES = Path("/proc/sys/net/ipv4/tcp_syncookies")
"""What lets callers in while the kernel keeps as many silent connections as it can; both IPv4's and IPv6's."""

SHUTDOWN_SECONDS = 1
"""How long open connections may delay a stop."""


def create_app(
    *,
    snapshot: Callable[[], PlayerState],
    monotonic: Callable[[], float],
    grab: Grab | None = None,
    look: Callable[[], Facts] | None = None,
    gatekeeper: Gatekeeper | None = None,
    pin_place: PinPlace = ON_SCREEN,
    bundle: Callable[[], Awaitable[tuple[str, bytes]]] | None = None,
    actions: Mapping[str, Callable[[], Awaitable[None]]] = NO_ACTIONS,
) -> Starlette:
    """The application. `snapshot` gives the PlayerState as of now, `grab` a picture of the glass, `look` the
    facts of the page, `bundle` the name and the content of a support bundle; `actions` are what can be asked for, by
    name. Without a `gatekeeper` nobody on another machine is let in; `pin_place` says where it shows its PIN.

    A Guard stands before every route: a new one is closed to whoever has not signed in, without more.
    """
    pictures = (
        {
            "image/png": SharedPicture(grab, monotonic=monotonic),
            "image/jpeg": SharedPicture(partial(grab, PAGE_PIXELS), monotonic=monotonic),
        }
        if grab is not None
        else {}
    )
    files = {
        file.name: (file.read_bytes(), STATIC[suffix])
        for file in resources.files("player.page").joinpath("static").iterdir()
        if (suffix := file.name.rpartition(".")[2]) in STATIC
    }

    def facts() -> Facts:
        found = look() if look else Facts(state=snapshot(), monotonic=monotonic())
        return replace(found, state=without_code(found.state))

    parts, pages = ChangingParts(facts), WrittenPages(monotonic=monotonic)

    async def index(request: Request) -> Response:
        visit: Visit = request.state.visit
        done, made = request.query_params.get("done", ""), parts()

        def write() -> str:
            seen = replace(
                facts(),
                csrf=visit.csrf,
                actions=frozenset(actions),
                has_bundle=bundle is not None,
                signed_in=visit.is_signed_in,
            )
            return page(seen, made, done=done, locale=visit.locale)

        key = (visit.csrf, visit.is_signed_in, visit.locale, done)
        return HTMLResponse(pages.page(key, made, write), headers=HEADERS)

    async def state(request: Request) -> Response:
        found = snapshot() if request.state.visit.is_local else without_code(snapshot())
        locale = chosen_language(request.query_params.get("language", "")) or FALLBACK_LOCALE
        body = json.dumps(state_document(found, monotonic=monotonic(), locale=locale), ensure_ascii=False)
        return Response(body, media_type="application/json", headers=HEADERS)

    async def glass(request: Request) -> Response:
        kind = "image/png" if request.url.path.endswith(".png") else "image/jpeg"
        has_code = snapshot().pairing.code is not None or (gatekeeper is not None and gatekeeper.shown() is not None)
        visit: Visit = request.state.visit
        accept = request.headers.get("accept", "")
        if has_code and not visit.is_local:
            return refused(403, CODE_ON_SCREEN, visit.locale, accept=accept)
        try:
            async with asyncio.timeout(GRAB_TIMEOUT_SECONDS):
                picture = await pictures[kind].take(at_once=visit.is_local)
        except TimeoutError:
            late = phrase(
                "The screen gave no picture within {span}.", span=counted_seconds(round(GRAB_TIMEOUT_SECONDS))
            )
            return refused(503, late, visit.locale, accept=accept)
        if picture.secret and not visit.is_local:
            # It has come onto the screen meanwhile.
            return refused(403, CODE_ON_SCREEN, visit.locale, accept=accept)
        return Response(picture.content, media_type=kind, headers=HEADERS)

    async def do(request: Request) -> Response:
        name = request.path_params["name"]
        action = actions.get(name)
        if action is None:
            return refused(404, "There is no such action.")
        is_browser = "text/html" in request.headers.get("accept", "")
        if is_browser and name == RESTART.name:
            return HTMLResponse(
                restarting(request.state.visit.locale), headers=HEADERS, background=BackgroundTask(later, action)
            )
        await action()
        if is_browser:
            where = BY_NAME[name].where if name in BY_NAME else "actions"
            return RedirectResponse(f"/?done={name}#{where}", status_code=303, headers=HEADERS)
        return Response(status_code=204, headers=HEADERS)

    async def later(action: Callable[[], Awaitable[None]]) -> None:
        await asyncio.sleep(RESTART_AFTER_SECONDS)
        await action()

    async def visit(request: Request) -> Response:
        known: Visit = request.state.visit
        body = {"csrf": known.csrf, "signedIn": known.is_signed_in}
        return Response(json.dumps(body), media_type="application/json", headers=HEADERS)

    async def static(request: Request) -> Response:
        found = files.get(request.path_params["name"])
        if found is None:
            return refused(404, "There is no such file.")
        content, kind = found
        return Response(content, media_type=kind, headers=HEADERS)

    packed = Middleware(GZipMiddleware, compresslevel=5)
    return Starlette(
        routes=[
            *(sign_in_routes(gatekeeper, pin_place) if gatekeeper is not None else ()),
            Route("/visit.json", visit),
            Route("/actions/{name}", do, methods=["POST"]),
            Route("/static/{name}", static, middleware=[packed]),
            Route("/", index, middleware=[packed]),
            Route("/state.json", state, middleware=[packed]),
            *([Route("/glass.png", glass), Route("/glass.jpg", glass)] if pictures else ()),
            *([bundle_route(bundle, HEADERS)] if bundle else ()),
            Route("/events", Live(parts, monotonic=monotonic)),
        ],
        middleware=[
            Middleware(
                Guard,
                gatekeeper=gatekeeper,
                names=lambda: own_names(snapshot().device.device_id),
                locale=lambda: snapshot().locale,
            )
        ],
    )


def without_code(state: PlayerState) -> PlayerState:
    """The same without the pairing code, which whoever listens on the network must not read."""
    return replace(state, pairing=replace(state.pairing, code=None))


def own_names(device_id: str) -> frozenset[str]:
    """What this machine is called on its network: by its system, and as the player announces it."""
    name = socket.gethostname().lower().removesuffix(".")
    announced = f"menu-player-{short_id(device_id)}.local".lower()
    return frozenset({name, f"{name.partition('.')[0]}.local", announced} - {""})


class DiagnosticsServer:
    """Serves the page until it is stopped: on loopback, and with `on_network` on every interface. If its port is taken
    there is no page; the board runs all the same. `start` runs a task, which has a name."""

    def __init__(self, *, app: Starlette, port: int, on_network: bool = False, start: StartTask = start_task) -> None:
        self._port = port
        self._on_network = on_network
        self._listeners = Listeners(app, streams=STREAMS, start=start)
        self._serves_at: int | None = None

    async def start(self) -> str | None:
        """Start; returns the page's address, or None if the port is not available."""
        hosts = ("0.0.0.0", "::") if self._on_network else ("127.0.0.1", "::1")  # noqa: S104 -- for phones
        for _ in range(LISTEN_TRIES - 1):
            with contextlib.suppress(OSError):
                listeners = [_listen(socket.AF_INET, hosts[0], self._port)]
                break
            await asyncio.sleep(LISTEN_AGAIN_SECONDS)
        else:
            try:
                listeners = [_listen(socket.AF_INET, hosts[0], self._port)]
            except OSError as error:
                log.info("port %d is not available: %s", self._port, error.strerror)
                return None
        self._serves_at = port = int(listeners[0].getsockname()[1])
        try:
            listeners.append(_listen(socket.AF_INET6, hosts[1], port))
        except OSError as error:
            log.info("the page has no IPv6 address: %s", error.strerror)
        self._listeners.serve(listeners)
        return f"http://127.0.0.1:{port}/"

    def addresses(self, own: tuple[str, ...]) -> tuple[str, ...]:
        """Where phones find the page, from the device's own addresses; none while it is closed to them."""
        port = self._serves_at
        if port is None or not self._on_network:
            return ()
        return tuple(f"http://[{one}]:{port}/" if ":" in one else f"http://{one}:{port}/" for one in own)

    async def stop(self) -> None:
        """Stop, within SHUTDOWN_SECONDS."""
        if self._serves_at is not None:
            self._serves_at = None
            await self._listeners.stop(within=SHUTDOWN_SECONDS)


def _listen(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    # asyncio switches Nagle's algorithm off only for sockets that say TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family is socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if _has_syn_cookies():
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, SILENT_SECONDS)
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


def _has_syn_cookies() -> bool:
    try:
        return SYN_COOKIES.read_text().strip() != "0"
    except OSError:
        return False
