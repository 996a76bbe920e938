"""Serves the web pages beside the desk: joining a team with a key, and the API reference; and redirects to the desk.

They load nothing from other hosts.
"""

import base64
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.datastructures import URL
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from service.api.http.replies import JsonReply
from service.api.reference.reference import reference_page

_PAGES = Path(__file__).parent.parent.parent / "pages"
_INLINE = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)


def page_routes(*, openapi: Callable[[], dict[str, Any]]) -> APIRouter:
    """`/`, `/pair`, `/join`, `/docs` and `/openapi.json`."""
    router = APIRouter(include_in_schema=False)
    join_page = _page("join.html")

    @router.get("/")
    async def root() -> Response:
        """Leads to the desk."""
        return RedirectResponse("desk/", status_code=307)

    @router.get("/pair")
    async def pair(request: Request) -> Response:
        """Leads the phone that has read a screen's QR code to the desk, with the code."""
        return RedirectResponse(str(URL("desk/screens/pair").replace(query=request.url.query)), status_code=307)

    @router.get("/join")
    async def join() -> Response:
        """Accepting an invitation. Its token is in the fragment of the link, which browsers do not send."""
        return html_reply(join_page)

    @router.get("/docs")
    def docs() -> Response:
        """The API reference."""
        return html_reply(reference_page(openapi()))

    @router.get("/openapi.json")
    def document() -> Response:
        """The API document (OpenAPI 3.1)."""
        return JsonReply(openapi())

    return router


def _page(name: str) -> str:
    """Returns the page with the shared style sheet."""
    shared = (_PAGES / "page.css").read_text(encoding="utf-8")
    return (_PAGES / name).read_text(encoding="utf-8").replace("<style>", f"<style>\n{shared}</style>\n<style>", 1)


def html_reply(page: str) -> Response:
    """Returns the page, with a policy (CSP level 3) that allows its own inline script and style and calls to this
    service."""
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
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
    return HTMLResponse(page, headers=headers)
