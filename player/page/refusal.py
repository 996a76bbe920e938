"""Error responses of the page: for browsers a small page in the reader's language, otherwise a line."""

from __future__ import annotations

from starlette.responses import HTMLResponse, PlainTextResponse, Response

from menu.text.phrase import in_language
from menu.text.wording import FALLBACK_LOCALE
from player.page.sections.render import render

LANGUAGE_COOKIE = "menu_player_language"
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: browsers would send Origin: null with a form.
    "Referrer-Policy": "same-origin",
}
"""Headers of every answer."""


def refused(status: int, words: str, locale: str = FALLBACK_LOCALE, *, accept: str = "") -> Response:
    """Returns an answer in the language of a locale, in a form that the caller accepts."""
    if "text/html" in accept:
        html = render("refusal", locale, status=status, words=words)
        return HTMLResponse(html, status_code=status, headers=HEADERS)
    return PlainTextResponse(f"{in_language(words, locale)}\n", status_code=status, headers=HEADERS)
