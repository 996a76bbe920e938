"""Sends the sections of the page that have changed, as server-sent events, to a bounded number of viewers, each in its
language."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Callable, Mapping

from starlette.types import Receive, Scope, Send

from player.domain.words.phrase import phrase
from player.domain.words.wording import FALLBACK_LOCALE
from player.page.connections import address_of
from player.page.refusal import refused
from player.page.sections.markup import written

MAX_VIEWERS = 8
"""Event streams at a time; a further viewer is told to reload the page by hand, unless one address has two more of them
than the viewer's: its oldest then ends, so that nobody takes all."""

LOOK_SECONDS = 1.0
"""Between two looks at what has changed, while anybody watches."""

STILL_SECONDS = 15.0
"""Something is sent at least this often, so that a phone sees that it is still connected."""

MAX_STREAM_SECONDS = 600.0
"""Then the browser asks again, and has to show again that it may."""

RESTLESS = frozenset({"clock"})
"""What differs at every look is sent only with something else."""

Parts = Mapping[str, str]

_TOO_MANY = phrase("Too many browsers follow this page. It is whole without that: reload it to see what is new.")


class Live:
    """The event streams. `look` makes the parts of the page by name; it is called once for all viewers."""

    def __init__(self, look: Callable[[], Parts], *, monotonic: Callable[[], float]) -> None:
        self._look = look
        self._monotonic = monotonic
        self._viewers: dict[asyncio.Event, str] = {}
        self._newest: Parts = {}
        self._looked_at = float("-inf")

    @property
    def viewers(self) -> int:
        """How many streams there are."""
        return len(self._viewers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for events."""
        address = address_of(scope.get("client"))
        visit = scope.get("state", {}).get("visit")
        locale = visit.locale if visit is not None else FALLBACK_LOCALE
        if not self._has_room(address):
            refusal = refused(503, _TOO_MANY, locale)
            refusal.headers["retry-after"] = "15"
            await refusal(scope, receive, send)
            return
        ended = asyncio.Event()
        self._viewers[ended] = address
        watching = asyncio.create_task(self._watch(send, ended, locale), name="viewer")
        leaving = asyncio.create_task(_gone(receive), name="viewer leaves")
        try:
            await asyncio.wait((watching, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._viewers.pop(ended, None)
            leaving.cancel()
            watching.cancel()

    def _has_room(self, address: str) -> bool:
        """Whether there may be one more for this address; ends one of another for it where that has far more."""
        if len(self._viewers) < MAX_VIEWERS:
            return True
        held = Counter(self._viewers.values())
        [(greedy, most)] = held.most_common(1)
        if most < held[address] + 2:
            return False
        oldest = next(ended for ended, its_address in self._viewers.items() if its_address == greedy)
        del self._viewers[oldest]
        oldest.set()
        return True

    async def _watch(self, send: Send, ended: asyncio.Event, locale: str) -> None:
        async def write(body: str) -> None:
            await send({"type": "http.response.body", "body": body.encode(), "more_body": True})

        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await write("retry: 3000\n\n")
        # The page that was loaded a moment ago may be newer than the last look.
        self._looked_at = float("-inf")
        sent: Parts = {}
        began = still = self._monotonic()
        while not ended.is_set() and (now := self._monotonic()) - began < MAX_STREAM_SECONDS:
            parts = self._parts(now)
            changed = {name: html for name, html in parts.items() if sent.get(name) != html}
            if now - still >= STILL_SECONDS or changed.keys() - RESTLESS:
                told = {name: written(html, locale) for name, html in changed.items()}
                await write(f"event: parts\ndata: {json.dumps(told)}\n\n")
                sent, still = parts, now
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await ended.wait()
        await send({"type": "http.response.body", "body": b""})

    def _parts(self, now: float) -> Parts:
        if now - self._looked_at >= LOOK_SECONDS / 2:
            self._newest, self._looked_at = self._look(), now
        return self._newest


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
