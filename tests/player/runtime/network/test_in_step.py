"""Screens in step with each other and with the clock, which may step."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from player.domain.time.clock import Boot, Trust
from player.storage.store import StateStore
from tests.player.runtime.network.playing import (
    COFFEE,
    HELD,
    HERO,
    HERO_BYTES,
    ITEMS,
    LUNCH,
    UNCHANGED,
    Playing,
    fresh,
    playing,
)
from tests.support.hostile import (
    Answer,
    HostileServer,
    Request,
    late,
    problem,
    whole,
)
from tests.support.hostile import document as answer
from tests.support.menus import NOON, document, entry, instant, menu_scene
from tests.support.virtual import VirtualClock


@pytest.mark.proves("screen-switched-late")
async def test_a_late_joiner_and_a_slow_download_are_in_step_within_a_loop(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    """A loop of 7 s. The second screen gets the new version's picture 11.3 s after the first, the third is switched on
    3.9 s after that."""
    scenes = [COFFEE, LUNCH]
    entries = [entry("coffee", 4), entry("lunch", 3)]
    one = document(scenes=[LUNCH], entries=[entry("lunch", 5)], items=ITEMS)
    published_at = NOON + timedelta(seconds=9)
    two = document(
        scenes=scenes, entries=entries, items=ITEMS, images=["hero"], version=2, revision=2, published_at=published_at
    )
    image = whole(200, HERO_BYTES, kind="image/png")

    def manifest(request: Request) -> Answer:
        known = request.headers.get("if-none-match", "").strip('"')
        if clock.wall() < published_at:
            return fresh(one)(request) if not known else late(3.0, UNCHANGED)(request)
        return HELD(request) if known == sha256(two).hexdigest() else fresh(two)(request)

    def picture(request: Request) -> Answer:
        return (late(11.3, image) if "tok-2" in request.headers["authorization"] else image)(request)

    server.on("/manifest", manifest)
    server.on(f"/assets/sha256:{HERO}", picture)

    def shows(player: Playing) -> tuple[str | None, datetime | None]:
        return player.scene, player.state.showing.since

    async with AsyncExitStack() as screens:

        async def screen(number: int) -> Playing:
            folder = tmp_path / str(number)
            return await screens.enter_async_context(playing(folder, server.url, clock, token=f"tok-{number}"))

        first, second = await screen(1), await screen(2)
        await asyncio.sleep(18)
        versions = [player.state.running and player.state.running.key.version for player in (first, second)]
        assert versions == [2, 1]
        await asyncio.sleep(9.2)
        third = await screen(3)
        await asyncio.sleep(7)
        for _ in range(40):
            assert shows(first) == shows(second) == shows(third)
            assert first.scene in ("coffee", "lunch")
            await asyncio.sleep(0.51)


# A clock that steps


@pytest.mark.first_case
@pytest.mark.parametrize("step", [timedelta(hours=-6), timedelta(hours=6)])
async def test_polls_and_heartbeats_keep_their_pace_when_the_clock_steps(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, step: timedelta
) -> None:
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(60)
        beats, polls = len(server.asked("/heartbeat")), len(server.asked("/manifest"))
        clock.step(step)
        await asyncio.sleep(300)
        told = 2  # What is wrong with the clock is told at once, and that it is over.
        assert 9 <= len(server.asked("/heartbeat")) - beats <= 11 + told
        assert len(server.asked("/manifest")) - polls in (11, 12, 13)
        assert player.scene == "lunch"


@pytest.mark.proves("clock-corrected-just")
async def test_the_first_boundary_after_a_correction_of_the_clock_is_on_time(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_by = timedelta(seconds=90)
    monkeypatch.setattr("player.device.synchronised._kernel_says_synchronised", lambda: False)
    entries = [entry("coffee", 100), entry("lunch", 100)]
    scenes = [menu_scene("coffee", "Coffee"), LUNCH]
    server.on("/manifest", fresh(document(scenes=scenes, entries=entries, items=ITEMS)), HELD)
    server.on("/heartbeat", lambda request: answer(200, {"serverTime": instant(clock.wall() + slow_by)})(request))
    async with playing(tmp_path, server.url, clock):
        await asyncio.sleep(2)
    server.on("/manifest", HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(1)
        assert player.state.clock.offset == pytest.approx(slow_by, abs=timedelta(milliseconds=10))
        assert player.scene == "coffee"
        boundary = (NOON + timedelta(seconds=100) - clock.wall() - slow_by).total_seconds()
        await asyncio.sleep(boundary - 0.1)
        assert player.scene == "coffee"
        await asyncio.sleep(0.2)
        assert player.scene == "lunch"


@pytest.mark.first_case
@pytest.mark.proves("wrong-time-service")
@pytest.mark.parametrize("wrong", [timedelta(days=1), timedelta(days=3653)], ids=["a day", "ten years"])
@pytest.mark.parametrize("number", [0, 1, 5])
async def test_one_wrong_time_of_the_service_is_corrected_within_seconds(
    server: HostileServer,
    clock: VirtualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wrong: timedelta,
    number: int,
) -> None:
    """On a new device, whose own clock is a year behind: nothing tells it the time but the service."""
    behind = timedelta(days=365)
    monkeypatch.setattr("player.device.synchronised._kernel_says_synchronised", lambda: False)
    right = [lambda request: answer(200, {"serverTime": instant(clock.wall() + behind)})(request)] * 7
    right[number] = lambda request: answer(200, {"serverTime": instant(clock.wall() + behind + wrong)})(request)
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    server.on("/heartbeat", *right)
    wrong_for = 0.0
    async with playing(tmp_path, server.url, clock) as player:
        for _ in range(400):
            await asyncio.sleep(0.5)
            known = player.state.clock.trust is not Trust.UNKNOWN
            wrong_for += 0.5 if known and abs(player.state.clock.offset - behind) > timedelta(seconds=1) else 0.0
        assert player.state.clock.trust is Trust.CORRECTED
        assert abs(player.state.clock.offset - behind) < timedelta(seconds=1)
    assert wrong_for <= (5.0 if number == 0 else 0.0)
    with StateStore.open(tmp_path) as store:
        known_time = store.load(service=server.url).known_time
    assert known_time is not None
    assert abs(known_time.true - clock.wall() - behind) < timedelta(minutes=5)


@pytest.mark.first_case
@pytest.mark.proves("wrong-time-service", "restart-player-without")
@pytest.mark.parametrize("offline", [True, False], ids=["without the service", "one wrong time of the service"])
@pytest.mark.parametrize("same_boot", [True, False], ids=["restart", "power cut"])
async def test_a_restart_keeps_the_time_of_its_boot(
    server: HostileServer,
    clock: VirtualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    offline: bool,
    same_boot: bool,
) -> None:
    behind = timedelta(days=400)
    right = lambda request: answer(200, {"serverTime": instant(clock.wall() + behind)})(request)  # noqa: E731
    wrong = answer(200, {"serverTime": instant(clock.wall() + behind + timedelta(hours=6))})
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    server.on("/heartbeat", right)
    boots = [("one", -500.0)]
    monkeypatch.setattr(Playing, "boot", lambda _: Boot(id=boots[-1][0], seconds=clock.monotonic() - boots[-1][1]))
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(60)
        assert player.state.clock.trust is Trust.CORRECTED
    await asyncio.sleep(570)
    if not same_boot:
        boots.append(("two", clock.monotonic()))
    await asyncio.sleep(30)
    server.on("/heartbeat", *([problem(503)] if offline else [wrong, right]))
    async with playing(tmp_path, server.url, clock) as player:
        wrong_for = unknown_for = 0.0
        for _ in range(120):
            off = abs(player.state.clock.offset - behind)
            unknown = player.state.clock.trust is Trust.UNKNOWN
            wrong_for += 0.5 if not unknown and off > timedelta(seconds=1) else 0.0
            unknown_for += 0.5 if unknown else 0.0
            await asyncio.sleep(0.5)
    assert wrong_for == 0.0
    assert (unknown_for == 0.0) is same_boot
    assert (unknown_for < 10.0) is (same_boot or not offline)
