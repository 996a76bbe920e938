"""Error responses of the page: for browsers a small page in the reader's language, otherwise a line."""

from __future__ import annotations

import re
from functools import lru_cache

from starlette.responses import HTMLResponse, PlainTextResponse, Response

from player.domain.words.phrase import LANGUAGES, chosen_language, in_language
from player.domain.words.wording import FALLBACK_LOCALE
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

ANSWERS_KEPT = 8 * (1 + len(LANGUAGES))
"""Whole answers: a flood is refused with what was written once."""

_HEADERS = re.compile(r"\r\n(accept|accept-language|cookie):([^\r]*)", re.IGNORECASE)
_CHOICE = re.compile(rf"\b{LANGUAGE_COOKIE}=([a-z]+)")


def refused(status: int, words: str, locale: str = FALLBACK_LOCALE, *, accept: str = "") -> Response:
    """An answer in the language of a locale, to a caller that accepts this."""
    if "text/html" in accept:
        html = render("refusal", locale, status=status, words=words)
        return HTMLResponse(html, status_code=status, headers=HEADERS)
    return PlainTextResponse(f"{in_language(words, locale)}\n", status_code=status, headers=HEADERS)


def whole_answer(status: int, words: str, request: bytes) -> bytes:
    """The same as bytes, after which the connection ends. `request` is what has been read of it."""
    headers = {name.lower(): value for name, value in _HEADERS.findall(request.decode("latin-1"))}
    choice = _CHOICE.search(headers.get("cookie", ""))
    wished = chosen_language(choice[1]) if choice else None
    locale = wished or chosen_language(headers.get("accept-language", "")) or FALLBACK_LOCALE
    return _answer(status, words, locale, "text/html" if "text/html" in headers.get("accept", "") else "")


@lru_cache(maxsize=ANSWERS_KEPT)
def _answer(status: int, words: str, locale: str, accept: str) -> bytes:
    answer = refused(status, words, locale, accept=accept)
    lines = [f"HTTP/1.1 {status} Refused", *(f"{name}: {value}" for name, value in answer.headers.items())]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1") + bytes(answer.body)
