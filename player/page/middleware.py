"""Checks every request before its route: by what name and from where it is called, who is signed in, and that a POST
comes from the page itself."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from urllib.parse import parse_qs, urlsplit

from msgspec import Struct
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from menu.text.phrase import chosen_language, phrase
from menu.text.wording import FALLBACK_LOCALE
from player.domain.pairing.access import SESSION_SECONDS
from player.page.access import Gatekeeper
from player.page.connections import address_of
from player.page.refusal import HEADERS, LANGUAGE_COOKIE, refused

COOKIE = "menu_player"
_YEAR = 365 * 86400
"""A browser keeps the language that was chosen for so long."""

CSRF_FIELD = "csrf"
CSRF_HEADER = "x-csrf-token"
SIGN_IN = "/sign-in"
OPEN_PATHS = frozenset({SIGN_IN, "/pin"})
OPEN_FOLDER = "/static/"
"""Paths that everybody on the network may call: the way in, and files that are the same on every board."""


class Visit(Struct, frozen=True, kw_only=True):
    """A caller. `csrf` has to come with every POST of this browser; `may_see` if it may see the page, in the
    language of its `locale`."""

    address: str
    secret: str
    csrf: str
    is_local: bool
    is_signed_in: bool
    locale: str = FALLBACK_LOCALE

    @property
    def may_see(self) -> bool:
        """True if it is on this machine, or has shown that it stands in front of the screen."""
        return self.is_local or self.is_signed_in


@dataclass
class AccessMiddleware:
    """An ASGI application around another. Routes find the Visit in `request.state.visit`, the fields of a form in
    `request.state.form`."""

    app: ASGIApp
    gatekeeper: Gatekeeper | None
    names: Callable[[], frozenset[str]]
    locale: Callable[[], str]
    """The locale of the device, for browsers that ask for no language that it speaks."""
    _key: bytes = field(default_factory=partial(secrets.token_bytes, 32))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        headers, cookies = request.headers, request.cookies
        host, accept = headers.get("host", ""), headers.get("accept", "")
        known = cookies.get(COOKIE, "")
        chosen = request.query_params.get("language", "")
        locale = (
            chosen_language(chosen)
            or chosen_language(cookies.get(LANGUAGE_COOKIE, ""))
            or chosen_language(headers.get("accept-language", ""))
            or self.locale()
        )
        if not self._is_own(host):
            not_own = phrase("This address is not this screen's. Use its IP address, as the screen shows it.")
            await refused(400, not_own, locale, accept=accept)(scope, receive, send)
            return
        visit = self._visit(scope, known or secrets.token_urlsafe(32), locale)
        form: dict[str, str] = {}
        if scope["method"] not in ("GET", "HEAD"):
            try:
                form = _fields(await request.body())
            except ClientDisconnect:
                return
            given = headers.get(CSRF_HEADER) or form.get(CSRF_FIELD, "")
            if not known or not hmac.compare_digest(given.encode(), visit.csrf.encode()) or not _same(headers, host):
                again = phrase("Open the page again, and try once more.")
                await refused(403, again, locale, accept=accept)(scope, receive, send)
                return
        path = scope["path"]
        asks = scope["method"] in ("GET", "HEAD") and "text/html" in accept
        if asks and chosen_language(chosen):
            send = _with_cookie(send, language_cookie(locale))
        if not known:
            send = _with_cookie(send, session_cookie(visit.secret))
        if not visit.may_see and path not in OPEN_PATHS and not path.startswith(OPEN_FOLDER):
            unseen = phrase("Sign in with the PIN on the screen: open the page in a browser.")
            way_in = RedirectResponse(SIGN_IN, status_code=303, headers=HEADERS)
            refusal = way_in if asks else refused(401, unseen, locale)
            await refusal(scope, receive, send)
            return
        scope.setdefault("state", {}).update(visit=visit, form=form)
        await self.app(scope, receive, send)

    def _visit(self, scope: Scope, secret: str, locale: str) -> Visit:
        address, counted = str((scope.get("client") or ("",))[0]), address_of(scope.get("client"))
        return Visit(
            address=address,
            secret=secret,
            csrf=hmac.new(self._key, secret.encode(), sha256).hexdigest(),
            is_local=counted == "::1" or counted.startswith("127."),
            is_signed_in=self.gatekeeper is not None and self.gatekeeper.is_signed_in(secret, address),
            locale=locale,
        )

    def _is_own(self, host: str) -> bool:
        """True if the name is an address, or this machine's: a page on the web cannot read this one under a name of its
        own."""
        try:
            parts = urlsplit(f"//{host}")
            name = (parts.hostname or "").removesuffix(".")
            if parts.port is not None and not 0 < parts.port < 65536:
                return False
        except ValueError:
            return False
        if parts.username is not None or parts.path or not name:
            return False
        return _is_address(name.partition("%")[0]) or name == "localhost" or name in self.names()


def session_cookie(secret: str) -> str:
    """Returns the header that gives a browser its secret. Not Secure: the page has no HTTPS (docs/adr/0107)."""
    return f"{COOKIE}={secret}; Path=/; Max-Age={SESSION_SECONDS:.0f}; HttpOnly; SameSite=Strict"


def language_cookie(language: str) -> str:
    """Returns the header by which a browser keeps the chosen language."""
    return f"{LANGUAGE_COOKIE}={language}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Strict"


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _same(headers: Headers, host: str) -> bool:
    """True if a POST comes from a page of this host; a tool, which is no browser, sends no origin."""
    origin = headers.get("origin")
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    return origin is None or origin == f"http://{host}"


def _fields(body: bytes) -> dict[str, str]:
    try:
        found = parse_qs(body.decode(), max_num_fields=20)
    except ValueError:
        return {}
    return {name: values[-1] for name, values in found.items()}


def _with_cookie(send: Send, cookie: str) -> Send:
    name = cookie.partition("=")[0]

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message.get("headers", ())))
            if not any(given.startswith(f"{name}=") for given in headers.getlist("set-cookie")):
                headers.append("set-cookie", cookie)
            message = {**message, "headers": headers.raw}
        await send(message)

    return wrapped
