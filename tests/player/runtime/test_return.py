"""After an outage the board is back within five seconds of the service, whatever it was doing when the service went."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from menu.documents.manifest import LinkSettings
from player.link import backoff
from tests.player.runtime.network.playing import (
    HELD,
    HERO,
    HERO_BYTES,
    ITEMS,
    LUNCH,
    UNCHANGED,
    clock,
    fresh,
    heartbeat_answer,
    playing,
)
from tests.support.hostile import Answer, HostileServer, Request, hostile_server, problem, raw, whole
from tests.support.menus import document, menu_scene
from tests.support.virtual import VirtualClock

__all__ = ["clock"]

BACK_SECONDS = 5.0
PICTURED = menu_scene("pictured", "Lunch", image="hero")
FIRST = document(scenes=[LUNCH], items=ITEMS)
NEXT = document(scenes=[PICTURED], items=ITEMS, images=["hero"], version=2, revision=2)
ASSET = f"/assets/sha256:{HERO}"


def held_or_not(request: Request) -> Answer:
    """A service that has nothing new, and holds a request that asks for it."""
    return (HELD if "prefer" in request.headers else UNCHANGED)(request)


async def until(holds: Callable[[], bool]) -> float:
    """Seconds until it holds."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    while not holds():
        assert loop.time() - began < 120.0
        await asyncio.sleep(0.05)
    return loop.time() - began


@pytest.mark.first_case
@pytest.mark.proves("service-away-comes")
@pytest.mark.parametrize(
    ("outage", "stand_in"),
    [(3.0, None), (61.0, None), (300.0, None), (20.0, problem(502)), (130.0, problem(503))],
    ids=["3 s", "61 s", "300 s", "20 s of 502", "130 s of 503"],
)
async def test_manifest_file_and_heartbeat_are_back_within_five_seconds_of_the_service(
    clock: VirtualClock,
    tmp_path: Path,
    outage: float,
    stand_in: Callable[[Request], Answer] | None,
) -> None:
    async with hostile_server() as before:
        before.on("/manifest", fresh(FIRST), fresh(NEXT), held_or_not)
        before.on("/heartbeat", heartbeat_answer(clock))
        before.on(ASSET, raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"))
        port, address = int(before.url.rpartition(":")[2]), before.url
        player_is_on = playing(tmp_path, address, clock)
        player = await player_is_on.__aenter__()
        await asyncio.sleep(5)
        assert player.scene == "lunch"
    try:
        if stand_in is None:
            await asyncio.sleep(outage)
        else:
            async with hostile_server(port=port) as proxy:
                for path in ("/manifest", "/heartbeat", ASSET):
                    proxy.on(path, stand_in)
                await asyncio.sleep(outage)
        async with hostile_server(port=port) as after:
            serve_again(after, clock)
            assert await until(lambda: bool(after.asked("/manifest"))) <= BACK_SECONDS
            assert await until(lambda: player.state.staged is None or not player.state.staged.missing) <= BACK_SECONDS
            assert player.store.assets.path(HERO).read_bytes() == HERO_BYTES
            assert await until(lambda: bool(after.asked("/heartbeat"))) <= BACK_SECONDS
            asked = polls(after)
            await asyncio.sleep(10.0)
            assert polls(after) <= asked + 1, "then it is held again"
    finally:
        await player_is_on.__aexit__(None, None, None)


def polls(server: HostileServer) -> int:
    """Requests for the manifest, without those of a test of the connection, which has no token."""
    return sum("authorization" in request.headers for request in server.asked("/manifest"))


def serve_again(server: HostileServer, clock: VirtualClock) -> None:
    server.on("/manifest", held_or_not)
    server.on("/heartbeat", heartbeat_answer(clock))
    server.on(ASSET, whole(200, HERO_BYTES, kind="image/png"))


async def test_what_the_service_asks_for_is_respected(clock: VirtualClock, tmp_path: Path) -> None:
    async with hostile_server() as server:
        server.on("/manifest", problem(503, Retry_After="60"))
        server.on("/heartbeat", heartbeat_answer(clock))
        async with playing(tmp_path, server.url, clock):
            await asyncio.sleep(179)
            assert len(server.asked("/manifest")) == 3


@pytest.mark.proves("service-away-comes")
def test_a_chain_comes_back_spread_over_the_pause() -> None:
    pauses = []
    for number in range(1000):
        each = backoff.Backoff(lambda number=number: number / 1000)  # type: ignore[misc]
        pauses.append([each.failed(away=True) for _ in range(20)][-1])
    assert max(pauses) <= backoff.AWAY_MAX_SECONDS < BACK_SECONDS
    in_a_second = sum(pause < 1.0 for pause in pauses)
    assert in_a_second < 300, "not all at once"
    assert LinkSettings().wait_seconds > BACK_SECONDS
