"""Sends the sections of the page that have changed, as server-sent events, to a bounded number of viewers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping

from starlette.types import Receive, Scope, Send

MAX_VIEWERS = 8
"""Event streams at a time; a further viewer is told to reload the page by hand."""

LOOK_SECONDS = 1.0
"""Between two looks at what has changed, while anybody watches."""

STILL_SECONDS = 15.0
"""Something is sent at least this often, so that a phone sees that it is still connected."""

MAX_STREAM_SECONDS = 600.0
"""Then the browser asks again, and has to show again that it may."""

RESTLESS = frozenset({"clock"})
"""What differs at every look is sent only with something else."""

Parts = Mapping[str, str]


class Live:
    """The event streams. `look` makes the parts of the page by name; it is called once for all viewers."""

    def __init__(self, look: Callable[[], Parts], *, monotonic: Callable[[], float]) -> None:
        self._look = look
        self._monotonic = monotonic
        self._viewers = 0
        self._newest: Parts = {}
        self._looked_at = float("-inf")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for events."""
        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
        if self._viewers >= MAX_VIEWERS:
            headers.append((b"retry-after", b"15"))
            await send({"type": "http.response.start", "status": 503, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        self._viewers += 1
        watching = asyncio.create_task(self._watch(send, headers), name="viewer")
        leaving = asyncio.create_task(_gone(receive), name="viewer leaves")
        try:
            await asyncio.wait((watching, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._viewers -= 1
            leaving.cancel()
            watching.cancel()

    async def _watch(self, send: Send, headers: list[tuple[bytes, bytes]]) -> None:
        async def write(body: str) -> None:
            await send({"type": "http.response.body", "body": body.encode(), "more_body": True})

        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await write("retry: 3000\n\n")
        # The page that was loaded a moment ago may be newer than the last look.
        self._looked_at = float("-inf")
        sent: Parts = {}
        began = still = self._monotonic()
        while (now := self._monotonic()) - began < MAX_STREAM_SECONDS:
            parts = self._parts(now)
            changed = {name: html for name, html in parts.items() if sent.get(name) != html}
            if now - still >= STILL_SECONDS or changed.keys() - RESTLESS:
                await write(f"event: parts\ndata: {json.dumps(changed)}\n\n")
                sent, still = parts, now
            await asyncio.sleep(LOOK_SECONDS)
        await send({"type": "http.response.body", "body": b""})

    def _parts(self, now: float) -> Parts:
        if now - self._looked_at >= LOOK_SECONDS / 2:
            self._newest, self._looked_at = self._look(), now
        return self._newest


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
