"""The sign-in page: takes the PIN that is on the screen, and has one shown."""

from __future__ import annotations

import math
import unicodedata
from typing import assert_never

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from player.domain.findings.finding import counted_minutes, counted_seconds
from player.domain.words.phrase import Phrase, phrase
from player.page.access import Gatekeeper, NoPin, SignedIn, TooSoon, WrongPin
from player.page.middleware import SIGN_IN, Visit, session_cookie
from player.page.refusal import HEADERS
from player.page.sections.render import render


class PinPlace(Struct, frozen=True, kw_only=True):
    """The place where the PIN shows, in the words of the page."""

    about: Phrase
    shown: Phrase
    wrong: Phrase
    none: Phrase
    advice: Phrase
    ask: Phrase
    where: Phrase


ON_SCREEN = PinPlace(
    about=phrase("Type the digits that the screen shows. So only people who stand in front of it can look and act."),
    shown=phrase("The PIN is on the screen now, for two minutes."),
    wrong=phrase("That is not the PIN. Check the digits on the screen."),
    none=phrase("The PIN is not on the screen any more. Have it shown again, below."),
    advice=phrase(
        "Or have one shown at the screen at once: with F1 on a keyboard, the command “menu-player pin”, or “identify”"
        " in the service."
    ),
    ask=phrase("Show the PIN on the screen"),
    where=phrase("It stands in a corner of the screen for two minutes."),
)
IN_TERMINAL = PinPlace(
    about=phrase(
        "The player does not run, so the screen shows no PIN. Type the digits that stand in the terminal where"
        " menu-player doctor runs."
    ),
    shown=phrase("The PIN stands in the terminal now, for two minutes."),
    wrong=phrase("That is not the PIN. Check the digits in the terminal."),
    none=phrase("The PIN does not count any more. Have one written again, below."),
    advice=phrase("Or end menu-player doctor there with Ctrl-C, and start it again."),
    ask=phrase("Write a PIN in the terminal"),
    where=phrase("It counts for two minutes."),
)

_ABOUT_FIXED = phrase("Type the PIN that was chosen for this screen. Whoever looks after your screens knows it.")
_WRONG_FIXED = phrase("That is not the PIN of this screen.")


def sign_in_routes(gatekeeper: Gatekeeper, place: PinPlace = ON_SCREEN) -> list[Route]:
    """The routes of signing in and out. `place` is where the PIN shows."""
    routes = _SignIn(gatekeeper, place)
    return [
        Route(SIGN_IN, routes.show),
        Route(SIGN_IN, routes.sign_in, methods=["POST"]),
        Route("/pin", routes.ask, methods=["POST"]),
        Route("/sign-out", routes.sign_out, methods=["POST"]),
    ]


class _SignIn:
    def __init__(self, gatekeeper: Gatekeeper, place: PinPlace) -> None:
        self._gatekeeper = gatekeeper
        self._place = place

    async def show(self, request: Request) -> Response:
        return self._page(request)

    async def sign_in(self, request: Request) -> Response:
        visit: Visit = request.state.visit
        outcome = await self._gatekeeper.sign_in(digits_of(request.state.form.get("pin", "")), visit.address)
        match outcome:
            case SignedIn(secret=secret):
                headers = {**HEADERS, "Set-Cookie": session_cookie(secret)}
                return RedirectResponse("/", status_code=303, headers=headers)
            case WrongPin():
                wrong = _WRONG_FIXED if self._gatekeeper.asks_for_fixed_pin else self._place.wrong
                return self._page(request, wrong, status=403)
            case NoPin():
                return self._page(request, self._place.none, status=403)
            case TooSoon(seconds=seconds):
                return self._later(request, seconds)
            case _:
                assert_never(outcome)

    async def ask(self, request: Request) -> Response:
        is_local = request.state.visit.is_local
        if is_local:
            self._gatekeeper.show_pin()
        if self._gatekeeper.has_fixed_pin and not (is_local and self._gatekeeper.shown()):
            return self._page(request, _ABOUT_FIXED, status=403)
        too_soon = None if is_local else await self._gatekeeper.ask_for_pin()
        return self._page(request, self._place.shown) if too_soon is None else self._later(request, too_soon.seconds)

    async def sign_out(self, request: Request) -> Response:
        await self._gatekeeper.sign_out(request.state.visit.secret)
        return RedirectResponse(SIGN_IN, status_code=303, headers=HEADERS)

    def _later(self, request: Request, seconds: float) -> Response:
        said = phrase(
            "Too many PINs were tried or asked for. Try again in {span}. {advice}",
            span=wait(seconds),
            advice=self._place.advice,
        )
        return self._page(request, said, status=429)

    def _page(self, request: Request, said: Phrase | None = None, *, status: int = 200) -> Response:
        visit: Visit = request.state.visit
        html = sign_in_page(
            visit.csrf,
            visit.locale,
            self._place,
            said=said,
            fixed=self._gatekeeper.has_fixed_pin,
            shown=self._gatekeeper.shown() is not None,
            is_refused=status != 200,
        )
        return HTMLResponse(html, status_code=status, headers=HEADERS)


def sign_in_page(
    csrf: str,
    locale: str,
    place: PinPlace = ON_SCREEN,
    *,
    said: Phrase | None = None,
    fixed: bool,
    shown: bool = False,
    is_refused: bool = False,
) -> str:
    """The page that asks for the PIN. `said` is the answer to the last try, `fixed` if the operator has chosen the
    PIN; while another one is `shown`, that one counts."""
    return render(
        "sign_in",
        locale,
        csrf=csrf,
        place=place,
        about=_ABOUT_FIXED if fixed and not shown else place.about,
        said=said,
        is_refused=is_refused,
        can_ask=not fixed,
    )


def digits_of(text: str) -> str:
    """The digits that were typed, in ASCII: some keyboards have others."""
    return "".join(str(unicodedata.digit(one)) for one in text if one.isdigit())


def wait(seconds: float) -> Phrase:
    """A wait in seconds, in minutes when it is long."""
    return counted_seconds(math.ceil(seconds)) if seconds <= 90 else counted_minutes(math.ceil(seconds / 60))
