"""The event streams of the page: what changes is sent to everybody who looks, and only so many may."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

from player.domain.access import SESSION_SECONDS
from player.page import live
from player.page.live import LOOK_SECONDS, MAX_STREAM_SECONDS, MAX_VIEWERS, STILL_SECONDS, Live
from tests.support.virtual import VirtualLoop


def in_virtual_time(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    @wraps(test)
    def run() -> None:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(test())

    del run.__wrapped__  # or pytest takes it for a coroutine function
    return run


class Page:
    """Parts that a test changes, and how often they were made."""

    def __init__(self) -> None:
        self.parts = {"now": "Coffee", "clock": "12:00:00"}
        self.looks = 0

    def __call__(self, locale: str) -> dict[str, str]:
        self.looks += 1
        return dict(self.parts, clock=f"12:00:{self.looks:02}")


class Viewer:
    """One browser with an event stream."""

    def __init__(self, live: Live, address: str = "192.168.1.20") -> None:
        self._live = live
        self._address = address
        self._left = asyncio.Event()
        self._body = ""
        self.status = 0

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._type = dict(message["headers"])[b"content-type"]
        else:
            self._body += message["body"].decode()

    async def _receive(self) -> dict[str, Any]:
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def run(self) -> None:
        scope = {"type": "http", "path": "/events", "client": (self._address, 50_000)}
        await self._live(scope, self._receive, self._send)

    def leave(self) -> None:
        self._left.set()

    def words(self) -> str:
        """The text for a person."""
        assert self._type.startswith(b"text/plain")
        return self._body

    def raw(self) -> str:
        """The messages, as they were sent."""
        return self._body

    def heard(self) -> list[dict[str, str]]:
        """The messages since the last call."""
        body, self._body = self._body, ""
        return [json.loads(line.removeprefix("data: ")) for line in body.splitlines() if line.startswith("data: ")]


@asynccontextmanager
async def viewing(live: Live) -> AsyncIterator[Viewer]:
    viewer = Viewer(live)
    task = asyncio.create_task(viewer.run())
    await asyncio.sleep(0.1)
    yield viewer
    viewer.leave()
    await task


def monotonic() -> float:
    return asyncio.get_running_loop().time()


@in_virtual_time
async def test_a_change_is_sent_within_a_second_and_what_stays_is_not() -> None:
    page = Page()
    async with viewing(Live(page, monotonic=monotonic)) as viewer:
        assert viewer.status == 200
        assert viewer.heard()[0].keys() == {"now", "clock"}
        await asyncio.sleep(3 * LOOK_SECONDS)
        assert viewer.heard() == []
        page.parts["now"] = "Lunch"
        await asyncio.sleep(LOOK_SECONDS)
        assert [sent["now"] for sent in viewer.heard()] == ["Lunch"]
        await asyncio.sleep(STILL_SECONDS)
        assert [sent.keys() for sent in viewer.heard()] == [{"clock"}], "so that the phone sees that it is connected"


@in_virtual_time
async def test_nobody_looks_for_viewers_that_have_left_and_one_too_many_is_told_so() -> None:
    page = Page()
    live = Live(page, monotonic=monotonic)
    async with asyncio.TaskGroup() as group:
        viewers = [Viewer(live) for _ in range(MAX_VIEWERS)]
        for viewer in viewers:
            group.create_task(viewer.run())
        await asyncio.sleep(0.1)
        async with viewing(live) as extra:
            assert extra.status == 503
            assert "reload" in extra.words()
        await asyncio.sleep(10 * LOOK_SECONDS)
        for viewer in viewers:
            viewer.leave()
    looks = page.looks
    await asyncio.sleep(10)
    assert page.looks == looks, "nobody looks"
    async with viewing(live) as viewer:
        assert viewer.status == 200


@in_virtual_time
async def test_a_stream_ends_after_a_while_so_that_the_browser_asks_again() -> None:
    assert MAX_STREAM_SECONDS <= SESSION_SECONDS, "a stream outlives no sign-in by more than this"
    viewer = Viewer(Live(Page(), monotonic=monotonic))
    began = monotonic()
    with patch.object(live, "MAX_STREAM_SECONDS", 20.0):
        await viewer.run()
    assert monotonic() - began <= 20 + LOOK_SECONDS


@in_virtual_time
async def test_one_address_with_all_streams_gives_some_to_others_and_keeps_the_rest() -> None:
    live = Live(Page(), monotonic=monotonic)
    async with asyncio.TaskGroup() as group:
        greedy = [Viewer(live) for _ in range(MAX_VIEWERS)]
        running = [group.create_task(viewer.run()) for viewer in greedy]
        await asyncio.sleep(0.1)
        others = [Viewer(live, f"192.168.1.{number}") for number in (21, 21, 22, 22, 23, 23, 23)]
        for viewer in others:
            group.create_task(viewer.run())
            await asyncio.sleep(0.1)

        assert [viewer.status for viewer in others] == [200, 200, 200, 200, 200, 200, 503]
        assert [task.done() for task in running] == [True] * 6 + [False] * 2, "the oldest have ended"
        again = Viewer(live)
        await again.run()
        assert again.status == 503, "who has more than others ends none of theirs"
        assert live.viewers == MAX_VIEWERS
        for viewer in (*greedy, *others):
            viewer.leave()
    assert live.viewers == 0
