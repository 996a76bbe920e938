"""Serves the page: its routes, the snapshot as JSON, a screenshot, and actions; uses starlette."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib import resources

from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from menu.text.phrase import chosen_language, phrase
from menu.text.wording import FALLBACK_LOCALE
from player.domain.findings.diagnosis import diagnose
from player.domain.findings.finding import SECOND, counted
from player.page.access import Gatekeeper
from player.page.document import state_document
from player.page.middleware import AccessMiddleware, Visit
from player.page.parts import RESTLESS, PageParts
from player.page.picture import Grab, SharedPicture
from player.page.refusal import HEADERS, refused
from player.page.sections.actions import BY_NAME, RESTART
from player.page.sections.facts import Facts
from player.page.sections.render import compile_templates, page, render
from player.page.sign_in import sign_in_routes

STATIC = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

BUNDLE_SECONDS = 30.0
"""The time that a support bundle may take; the picture of the glass alone waits for the end of a transition."""

GRAB_SECONDS = 10.0
CODE_ON_SCREEN = phrase("There is a code on the screen. Look at the screen itself.")

Action = Callable[[], Awaitable[None]]
Bundle = Callable[[], Awaitable[tuple[str, bytes]]]


def create_app(
    *,
    look: Callable[[], Facts],
    monotonic: Callable[[], float],
    grab: Grab,
    gatekeeper: Gatekeeper | None,
    bundle: Bundle,
    actions: Mapping[str, Action],
    bundle_seconds: float = BUNDLE_SECONDS,
    grab_seconds: float = GRAB_SECONDS,
) -> Starlette:
    """Creates the application. `look` gives the facts as of now, `grab` a picture of the display, `bundle` the name and
    the content of a support bundle; `actions` are what can be requested, by name. Without a `gatekeeper` nobody on
    another machine is let in.

    The AccessMiddleware stands before every route: a new route needs a sign-in by default.
    """
    parts = PageParts()
    pages = _Pages(look=look, parts=parts, make_bundle=bundle, actions=actions, bundle_seconds=bundle_seconds)
    packed = Middleware(GZipMiddleware, compresslevel=5)
    small = partial(grab, 1080)  # As many pixels as the width of a phone has.
    routes = [
        Route("/visit.json", pages.visit),
        Route("/actions/{name}", pages.act, methods=["POST"]),
        Route("/static/{name}", _static_files(), middleware=[packed]),
        Route("/", pages.index, middleware=[packed]),
        Route("/state.json", pages.state, middleware=[packed]),
        Route("/bundle.zip", pages.bundle),
        Route("/parts.json", pages.changed, middleware=[packed]),
        Route("/glass.png", _glass(SharedPicture(grab, monotonic=monotonic), "image/png", seconds=grab_seconds)),
        Route("/glass.jpg", _glass(SharedPicture(small, monotonic=monotonic), "image/jpeg", seconds=grab_seconds)),
    ]
    if gatekeeper is not None:
        routes += sign_in_routes(gatekeeper)
    guard = Middleware(
        AccessMiddleware,
        gatekeeper=gatekeeper,
        names=lambda: own_names(look().state.device.short_id),
        locale=lambda: look().state.locale,
    )
    return Starlette(routes=routes, middleware=[guard])


@dataclass(kw_only=True)
class _Pages:
    """Routes of the page, of the snapshot, of actions and of the support bundle."""

    look: Callable[[], Facts]
    parts: PageParts
    make_bundle: Bundle
    actions: Mapping[str, Action]
    bundle_seconds: float
    _making: asyncio.Future[tuple[str, bytes]] | None = None

    async def index(self, request: Request) -> Response:
        visit: Visit = request.state.visit
        await asyncio.to_thread(compile_templates)
        facts = without_code(self.look())
        parts = self.parts(facts, visit.locale)
        facts = replace(
            facts,
            csrf=visit.csrf,
            actions=frozenset(self.actions),
            signed_in=visit.is_signed_in,
        )
        html = page(facts, parts, done=request.query_params.get("done", ""), locale=visit.locale)
        return HTMLResponse(html, headers=HEADERS)

    async def changed(self, request: Request) -> Response:
        """Returns the parts; of those that the browser has `seen` already only the ones that differ at every look."""
        visit: Visit = request.state.visit
        parts = self.parts(without_code(self.look()), visit.locale)
        lasting = {name: html for name, html in parts.items() if name not in RESTLESS}
        seen = sha256("".join(lasting.values()).encode()).hexdigest()
        if seen == request.query_params.get("seen"):
            parts = {name: parts[name] for name in RESTLESS}
        return _json({"seen": seen, "parts": parts})

    async def state(self, request: Request) -> Response:
        facts = self.look() if request.state.visit.is_local else without_code(self.look())
        locale = chosen_language(request.query_params.get("language", "")) or FALLBACK_LOCALE
        return _json(state_document(facts.state, monotonic=facts.monotonic, locale=locale))

    async def act(self, request: Request) -> Response:
        name = request.path_params["name"]
        action = self.actions.get(name)
        if action is None:
            return refused(404, "There is no such action.")
        is_browser = "text/html" in request.headers.get("accept", "")
        if is_browser and name == RESTART.name:
            html = render("restarting", request.state.visit.locale)
            return HTMLResponse(html, headers=HEADERS, background=BackgroundTask(_later, action))
        await action()
        if is_browser:
            where = BY_NAME[name].where if name in BY_NAME else "actions"
            return RedirectResponse(f"/?done={name}#{where}", status_code=303, headers=HEADERS)
        return Response(status_code=204, headers=HEADERS)

    async def visit(self, request: Request) -> Response:
        known: Visit = request.state.visit
        return _json({"csrf": known.csrf, "signedIn": known.is_signed_in})

    async def bundle(self, _: Request) -> Response:
        # Requests that come while one is made get the same one.
        if self._making is None or self._making.done():
            self._making = asyncio.ensure_future(self.make_bundle())
        try:
            async with asyncio.timeout(self.bundle_seconds):
                name, content = await asyncio.shield(self._making)
        except TimeoutError:
            late = f"The support bundle was not ready within {self.bundle_seconds:g} s. Try again in a minute."
            return refused(503, late)
        headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/zip", headers=headers)


def _glass(pictures: SharedPicture, kind: str, *, seconds: float) -> Callable[[Request], Awaitable[Response]]:
    async def glass(request: Request) -> Response:
        visit: Visit = request.state.visit
        accept = request.headers.get("accept", "")
        try:
            async with asyncio.timeout(seconds):
                picture = await pictures.take(at_once=visit.is_local)
        except TimeoutError:
            span = counted(round(seconds), SECOND)
            late = phrase("The screen gave no picture within {span}.", span=span)
            return refused(503, late, visit.locale, accept=accept)
        if picture.secret and not visit.is_local:
            return refused(403, CODE_ON_SCREEN, visit.locale, accept=accept)
        return Response(picture.content, media_type=kind, headers=HEADERS)

    return glass


def _static_files() -> Callable[[Request], Awaitable[Response]]:
    files = {
        file.name: (file.read_bytes(), STATIC[suffix])
        for file in resources.files("player.page").joinpath("static").iterdir()
        if (suffix := file.name.rpartition(".")[2]) in STATIC
    }

    async def static(request: Request) -> Response:
        found = files.get(request.path_params["name"])
        if found is None:
            return refused(404, "There is no such file.")
        content, kind = found
        return Response(content, media_type=kind, headers=HEADERS)

    return static


async def _later(action: Action) -> None:
    # The browser still has to fetch the style and the script of the page that says so.
    await asyncio.sleep(1.5)
    await action()


def _json(document: object) -> Response:
    return Response(json.dumps(document, ensure_ascii=False), media_type="application/json", headers=HEADERS)


def without_code(facts: Facts) -> Facts:
    """Removes the pairing code, also from the findings: an eavesdropper on the network must not read it."""
    state = facts.state
    if state.pairing.code is None:
        return facts
    state = replace(state, pairing=replace(state.pairing, code=None))
    return replace(facts, state=replace(state, findings=diagnose(state)))


def own_names(short_id: str) -> frozenset[str]:
    """Returns names of this machine on its network: by its system, and as the player announces it."""
    name = socket.gethostname().lower().removesuffix(".")
    announced = f"menu-player-{short_id}.local".lower()
    return frozenset({name, f"{name.partition('.')[0]}.local", announced} - {""})
