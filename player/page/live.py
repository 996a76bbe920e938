"""Sends the sections of the page that have changed, as server-sent events, to a bounded number of viewers, each in its
language."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.types import Receive, Scope, Send

from player.domain.words.phrase import phrase
from player.domain.words.wording import FALLBACK_LOCALE
from player.page.connections import address_of
from player.page.refusal import refused
from player.page.sections.render import Parts, compile_templates

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
"""Parts that differ at every look are sent only with something else."""

_TOO_MANY = phrase("Too many browsers follow this page. It is whole without that: reload it to see what is new.")


@dataclass(eq=False)
class Live:
    """The event streams. `look` makes the parts of the page in a language, by name."""

    look: Callable[[str], Parts]
    monotonic: Callable[[], float] = field(kw_only=True)
    _viewers: dict[asyncio.Task[None], str] = field(default_factory=dict)

    @property
    def viewers(self) -> int:
        """The number of streams."""
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
        watching = asyncio.create_task(self._watch(send, locale), name="viewer")
        leaving = asyncio.create_task(_gone(receive), name="viewer leaves")
        self._viewers[watching] = address
        try:
            await asyncio.wait((watching, leaving), return_when=asyncio.FIRST_COMPLETED, timeout=MAX_STREAM_SECONDS)
        finally:
            self._viewers.pop(watching, None)
            leaving.cancel()
            watching.cancel()
        if not leaving.done():
            # Else it would be an answer that was cut off, which the log calls an error.
            await send({"type": "http.response.body", "body": b""})

    def _has_room(self, address: str) -> bool:
        """Whether there may be one more for this address; ends one of another for it where that has far more."""
        if len(self._viewers) < MAX_VIEWERS:
            return True
        held = Counter(self._viewers.values())
        [(greedy, most)] = held.most_common(1)
        if most < held[address] + 2:
            return False
        oldest = next(watching for watching, its_address in self._viewers.items() if its_address == greedy)
        del self._viewers[oldest]
        oldest.cancel()
        return True

    async def _watch(self, send: Send, locale: str) -> None:
        async def write(body: str) -> None:
            await send({"type": "http.response.body", "body": body.encode(), "more_body": True})

        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await write("retry: 3000\n\n")
        await asyncio.to_thread(compile_templates)
        sent: Parts = {}
        still = self.monotonic()
        while True:
            parts, now = self.look(locale), self.monotonic()
            changed = {name: html for name, html in parts.items() if sent.get(name) != html}
            if now - still >= STILL_SECONDS or changed.keys() - RESTLESS:
                await write(f"event: parts\ndata: {json.dumps(changed)}\n\n")
                sent, still = parts, now
            await asyncio.sleep(LOOK_SECONDS)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
