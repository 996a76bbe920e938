"""Sign-in page: takes the PIN that is on the screen, and has one shown."""

from __future__ import annotations

import math
import unicodedata

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from menu.text.phrase import Phrase, phrase
from player.domain.findings.finding import MINUTE, SECOND, counted
from player.page.access import Gatekeeper, TooSoon, WrongPin
from player.page.middleware import SIGN_IN, Visit, session_cookie
from player.page.refusal import HEADERS
from player.page.sections.render import render

ABOUT = phrase("Type the digits that the screen shows. So only people who stand in front of it can look and act.")
SHOWN = phrase("The PIN is on the screen now, for two minutes.")
WRONG = phrase("That is not the PIN. Check the digits on the screen.")
NONE = phrase("The PIN is not on the screen any more. Have it shown again, below.")
ADVICE = phrase(
    "Or have one shown at the screen at once: with F1 on a keyboard, the command “menu-player pin”, or “identify”"
    " in the service."
)
_ABOUT_FIXED = phrase("Type the PIN that was chosen for this screen. Whoever looks after your screens knows it.")
_WRONG_FIXED = phrase("That is not the PIN of this screen.")


def sign_in_routes(gatekeeper: Gatekeeper) -> list[Route]:
    routes = _SignIn(gatekeeper)
    return [
        Route(SIGN_IN, routes.show),
        Route(SIGN_IN, routes.sign_in, methods=["POST"]),
        Route("/pin", routes.ask, methods=["POST"]),
        Route("/sign-out", routes.sign_out, methods=["POST"]),
    ]


class _SignIn:
    def __init__(self, gatekeeper: Gatekeeper) -> None:
        self._gatekeeper = gatekeeper

    async def show(self, request: Request) -> Response:
        return self._page(request)

    async def sign_in(self, request: Request) -> Response:
        visit: Visit = request.state.visit
        wrong = _WRONG_FIXED if self._gatekeeper.asks_for_fixed_pin else WRONG if self._gatekeeper.shown() else NONE
        outcome = await self._gatekeeper.sign_in(digits_of(request.state.form.get("pin", "")), visit.address)
        if isinstance(outcome, TooSoon):
            return self._later(request, outcome.seconds)
        if isinstance(outcome, WrongPin):
            return self._page(request, wrong, status=403)
        headers = {**HEADERS, "Set-Cookie": session_cookie(outcome)}
        return RedirectResponse("/", status_code=303, headers=headers)

    async def ask(self, request: Request) -> Response:
        is_local = request.state.visit.is_local
        if is_local:
            self._gatekeeper.show_pin()
        if self._gatekeeper.fixed is not None and not (is_local and self._gatekeeper.shown()):
            return self._page(request, _ABOUT_FIXED, status=403)
        too_soon = None if is_local else await self._gatekeeper.ask_for_pin()
        return self._page(request, SHOWN) if too_soon is None else self._later(request, too_soon.seconds)

    async def sign_out(self, request: Request) -> Response:
        await self._gatekeeper.sign_out(request.state.visit.secret)
        return RedirectResponse(SIGN_IN, status_code=303, headers=HEADERS)

    def _later(self, request: Request, seconds: float) -> Response:
        said = phrase(
            "Too many PINs were tried or asked for. Try again in {span}. {advice}",
            span=wait(seconds),
            advice=ADVICE,
        )
        return self._page(request, said, status=429)

    def _page(self, request: Request, said: Phrase | None = None, *, status: int = 200) -> Response:
        visit: Visit = request.state.visit
        html = render(
            "sign_in",
            visit.locale,
            csrf=visit.csrf,
            about=_ABOUT_FIXED if self._gatekeeper.asks_for_fixed_pin else ABOUT,
            said=said,
            is_refused=status != 200,
            can_ask=self._gatekeeper.fixed is None,
        )
        return HTMLResponse(html, status_code=status, headers=HEADERS)


def digits_of(text: str) -> str:
    """Returns the typed digits in ASCII: some keyboards have others."""
    return "".join(str(unicodedata.digit(one)) for one in text if one.isdigit())


def wait(seconds: float) -> Phrase:
    """Formats a wait in seconds, in minutes when it is long."""
    unit = SECOND if seconds <= 90 else MINUTE
    return counted(math.ceil(seconds / unit), unit)
