"""The way in: asks for the PIN that is on the screen, and has it shown; routes and their page."""

from __future__ import annotations

import math
import unicodedata
from typing import assert_never

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from player.diagnostics.access import Gatekeeper, NoPin, NotYours, SignedIn, TooSoon, WrongPin
from player.diagnostics.guard import CSRF_FIELD, HEADERS, SIGN_IN, Visit, session_cookie
from player.diagnostics.page.markup import Html, join, tag
from player.diagnostics.page.render import document

_ABOUT = "Type the six digits that the screen shows. So only people who stand in front of it can look and act."
_ABOUT_FIXED = "Type the PIN that was chosen for this screen. Whoever looks after your screens knows it."
_SHOWN = "The PIN is on the screen now, for two minutes."
_WRONG = "That is not the PIN. Check the digits on the screen."
_WRONG_FIXED = "That is not the PIN of this screen."
_OTHERS = "The PIN on the screen is for another phone, which asked for it. Ask for yours in"
_AT_DEVICE = (
    ", or have one shown at the screen at once: with F1 on a keyboard, the command “menu-player pin”, or “identify” in"
    " the service."
)
_NONE = "The PIN is not on the screen any more. Have it shown again, below."


def sign_in_routes(gatekeeper: Gatekeeper) -> list[Route]:
    """The routes of signing in and out."""

    def page(request: Request, said: str = "", *, status: int = 200) -> Response:
        visit: Visit = request.state.visit
        content = _content(visit.csrf, said, fixed=gatekeeper.has_fixed_pin, is_refused=status != 200)
        return HTMLResponse(document("Sign in", content), status_code=status, headers=HEADERS)

    async def show(request: Request) -> Response:
        return page(request)

    async def sign_in(request: Request) -> Response:
        visit: Visit = request.state.visit
        outcome = await gatekeeper.sign_in(digits_of(request.state.form.get("pin", "")), visit.secret, visit.address)
        match outcome:
            case SignedIn(secret=secret):
                headers = {**HEADERS, "Set-Cookie": session_cookie(secret)}
                return RedirectResponse("/", status_code=303, headers=headers)
            case WrongPin():
                return page(request, _WRONG_FIXED if gatekeeper.has_fixed_pin else _WRONG, status=403)
            case NoPin():
                return page(request, _NONE, status=403)
            case NotYours(seconds=seconds):
                return page(request, f"{_OTHERS} {minutes(seconds)}{_AT_DEVICE}", status=403)
            case TooSoon(seconds=seconds):
                return page(request, f"Too many wrong PINs. Try again in {minutes(seconds)}{_AT_DEVICE}", status=429)
            case _:
                assert_never(outcome)

    async def ask(request: Request) -> Response:
        visit: Visit = request.state.visit
        if gatekeeper.has_fixed_pin:
            return page(request, _ABOUT_FIXED, status=403)
        if visit.is_local:
            gatekeeper.show_pin()
            return page(request, _SHOWN)
        outcome = await gatekeeper.ask_for_pin(visit.secret, visit.address)
        match outcome:
            case None:
                return page(request, _SHOWN)
            case NotYours(seconds=seconds):
                return page(request, f"{_OTHERS} {minutes(seconds)}{_AT_DEVICE}", status=429)
            case TooSoon(seconds=seconds):
                return page(request, f"The screen can show a PIN again in {minutes(seconds)}{_AT_DEVICE}", status=429)
            case _:
                assert_never(outcome)

    async def sign_out(request: Request) -> Response:
        await gatekeeper.sign_out(request.state.visit.secret)
        return RedirectResponse(SIGN_IN, status_code=303, headers=HEADERS)

    return [
        Route(SIGN_IN, show),
        Route(SIGN_IN, sign_in, methods=["POST"]),
        Route("/pin", ask, methods=["POST"]),
        Route("/sign-out", sign_out, methods=["POST"]),
    ]


def _content(csrf: str, said: str, *, fixed: bool, is_refused: bool) -> Html:
    token = tag("input", type="hidden", name=CSRF_FIELD, value=csrf)
    notice = tag("p", said, cls="notice bad" if is_refused else "notice", role="alert" if is_refused else "status")
    return tag(
        "main",
        tag("h1", "Sign in to this screen"),
        tag("p", _ABOUT_FIXED if fixed else _ABOUT, id="about"),
        notice if said else None,
        tag(
            "form",
            token,
            tag("label", "PIN", for_="pin"),
            tag(
                "input",
                type="text",
                id="pin",
                name="pin",
                inputmode="numeric",
                autocomplete="one-time-code",
                maxlength=16,
                required=True,
                autofocus=True,
                aria_describedby="about",
            ),
            tag("button", "Sign in", type="submit", cls="first"),
            method="post",
            action=SIGN_IN,
        ),
        None
        if fixed
        else join(
            tag(
                "form",
                token,
                tag("button", "Show the PIN on the screen", type="submit"),
                method="post",
                action="/pin",
                cls="quiet",
            ),
            tag("p", tag("small", "It stands in a corner of the screen for two minutes.")),
        ),
        id="main",
        cls="alone",
    )


def digits_of(text: str) -> str:
    """The digits that were typed, in ASCII: some keyboards have others."""
    return "".join(str(unicodedata.digit(one)) for one in text if one.isdigit())


def minutes(seconds: float) -> str:
    """A wait as people say it."""
    if seconds <= 90:
        return f"{math.ceil(seconds)} seconds"
    return f"{math.ceil(seconds / 60)} minutes"
