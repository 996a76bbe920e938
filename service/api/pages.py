"""Pages for people: pairing a screen by hand, joining a team, and reading the API document.

Nothing is loaded from elsewhere.
"""

import base64
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.responses import HTMLResponse, RedirectResponse, Response

from service.api.reference import reference_page
from service.api.replies import JsonReply

_PAGES = Path(__file__).parent.parent / "pages"
_INLINE = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)


def page_routes(*, openapi: Callable[[], dict[str, Any]]) -> APIRouter:
    """`/`, `/pair`, `/join`, `/docs` and `/openapi.json`."""
    router = APIRouter(include_in_schema=False)
    pair_page, join_page = _page("pair.html"), _page("join.html")

    @router.get("/")
    async def root() -> Response:
        """People who come by want to pair a screen."""
        return RedirectResponse("pair", status_code=307)

    @router.get("/pair")
    async def pair() -> Response:
        """Where an operator enters the code of a screen."""
        return html_reply(pair_page)

    @router.get("/join")
    async def join() -> Response:
        """Where somebody accepts an invitation. Its token stands behind the # of the link, which no server sees."""
        return html_reply(join_page)

    @router.get("/docs")
    def docs() -> Response:
        """The API document, readable."""
        return html_reply(reference_page(openapi()))

    @router.get("/openapi.json")
    def document() -> Response:
        """The API document (OpenAPI 3.1)."""
        return JsonReply(openapi())

    return router


def _page(name: str) -> str:
    """The page, in the style that all of them share."""
    shared = (_PAGES / "page.css").read_text(encoding="utf-8")
    return (_PAGES / name).read_text(encoding="utf-8").replace("<style>", f"<style>\n{shared}</style>\n<style>", 1)


def html_reply(page: str) -> Response:
    """A page that may run its own inline script and style, talk to this service, and nothing else (CSP level 3)."""
    hashes: dict[str, list[str]] = {"style": [], "script": []}
    for kind, text in _INLINE.findall(page):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        hashes[kind].append(f"'sha256-{digest}'")
    policy = "; ".join(
        [
            "default-src 'none'",
            *(f"{kind}-src {' '.join(found)}" for kind, found in hashes.items() if found),
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )
    headers = {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
    return HTMLResponse(page, headers=headers)
