"""Serves the support bundle: made when it is asked for, one at a time, within a bounded time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

BUNDLE_SECONDS = 30.0
"""How long a bundle may take; the picture of the glass alone waits for the end of a transition."""


def bundle_route(make: Callable[[], Awaitable[tuple[str, bytes]]], headers: Mapping[str, str]) -> Route:
    """`make` gives the name of the bundle's file and its content."""
    making: asyncio.Future[tuple[str, bytes]] | None = None

    async def bundle(_: Request) -> Response:
        nonlocal making
        # Whoever asks while one is made gets the same one.
        if making is None or making.done():
            making = asyncio.ensure_future(make())
        try:
            async with asyncio.timeout(BUNDLE_SECONDS):
                name, content = await asyncio.shield(making)
        except TimeoutError:
            text = f"The support bundle was not ready within {BUNDLE_SECONDS:g} s. Try again in a minute.\n"
            return PlainTextResponse(text, status_code=503, headers=dict(headers))
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/zip", headers={**headers, **disposition})

    return Route("/bundle.zip", bundle)
