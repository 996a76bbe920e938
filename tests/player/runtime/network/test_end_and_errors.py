"""The end of a player, and errors of its parts."""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest

from player.domain import actions as act
from player.domain import events as ev
from player.domain.commands import Outcome
from player.domain.findings.diagnosis import diagnose
from player.domain.panel.panel import PanelOrder
from player.link.downloads import Downloads
from player.runtime import network_thread
from player.runtime.conductor import Conductor
from player.runtime.network_thread import STOP_SECONDS
from player.runtime.scheduler import Scheduler
from player.runtime.tasks import MOST_PAUSE_SECONDS, Tasks
from player.runtime.uploads import Uploads
from player.storage import writer
from player.storage.store import StateStore
from player.storage.writer import MOST_WRITE_AGAIN_SECONDS, write_now
from tests.player.runtime.network.playing import (
    COFFEE,
    HELD,
    HERO,
    ITEMS,
    LUNCH,
    FakeDisplay,
    Playing,
    fresh,
    heartbeat_answer,
    playing,
)
from tests.support.hostile import (
    HostileServer,
    silence,
    whole,
)
from tests.support.menus import document
from tests.support.virtual import VirtualClock


async def test_a_stop_ends_calls_that_are_under_way_at_once_and_writes_what_waits(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    body = document(scenes=[LUNCH, COFFEE], items=ITEMS, images=["hero"])
    server.on("/manifest", fresh(body), silence())
    server.on(f"/assets/sha256:{HERO}", silence())
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(10)
        assert server.asked(f"/assets/sha256:{HERO}")
        newer = document(scenes=[LUNCH], items=ITEMS[:1], revision=2)
        player.network.execute(act.StoreStaged(body=newer, etag=sha256(newer).hexdigest(), assets=frozenset()))
        stopped_at = clock.monotonic()
    assert clock.monotonic() - stopped_at < 1
    with StateStore.open(tmp_path) as store:
        staged = store.load(service=server.url).manifests.staged
    assert staged is not None
    assert staged.body == newer
    requests = len(server.requests)
    await asyncio.sleep(600)
    assert len(server.requests) == requests, "nothing goes on after the end"


async def test_a_part_that_does_not_end_holds_up_a_stop_for_a_few_seconds_only(
    server: HostileServer,
    clock: VirtualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def deaf(_: Downloads) -> None:
        for _attempt in range(2):
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                continue

    monkeypatch.setattr(Downloads, "run", deaf)
    async with playing(tmp_path, server.url, clock):
        await asyncio.sleep(1)
        stopped_at = clock.monotonic()
    assert clock.monotonic() - stopped_at == pytest.approx(STOP_SECONDS, abs=0.5)
    assert "not ended within 3 s: downloads" in caplog.text


def nothing(_: Playing) -> None:
    """It runs by itself."""


def ask_for(name: str, work: str) -> Callable[[Playing], object]:
    """Have a job run that runs seldom."""
    return lambda player: player.network._scheduler.after(name, 0, getattr(player.network, work))


def order(action: act.Action) -> Callable[[Playing], object]:
    return lambda player: player.network.execute(action)


PARTS: dict[str, Callable[[Playing], object]] = {
    "clock watch": nothing,
    "pairing": nothing,
    "downloads": nothing,
    "writes": nothing,
    "reach": nothing,
    "lines": nothing,
    "network": nothing,
    "watchdog": nothing,
    "page": nothing,
    "announcer": nothing,
    "display watch": nothing,
    "health": nothing,
    "addresses": nothing,
    "poll": nothing,
    "heartbeat": nothing,
    "wake-up": nothing,
    "receipts": nothing,
    "recheck": ask_for("recheck", "_recheck_assets"),
    "panel": order(act.KeepPanel(order=PanelOrder(on=True))),
    "connection test": order(act.TestConnection()),
    "screenshot": order(act.Upload(command="c1", what="screenshot")),
    "sendLogs": order(act.Upload(command="c2", what="sendLogs")),
    "restart": order(act.Restart()),
}
"""All parts and jobs of the network thread, and what makes each run."""


@pytest.mark.proves("part-network-thread")
async def test_the_table_names_every_part_and_job(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = set[str]()
    start, after = Tasks.start, Scheduler.after

    def noted_start(self: Tasks, named: str, work: Callable[[], Any]) -> Any:
        started.add(named)
        return start(self, named, work)

    def noted_after(self: Scheduler, named: str, seconds: float, work: Callable[[], Any]) -> None:
        started.add(named)
        after(self, named, seconds, work)

    monkeypatch.setattr(Tasks, "start", noted_start)
    monkeypatch.setattr(Scheduler, "after", noted_after)
    monkeypatch.setenv("WATCHDOG_USEC", "20000000")
    server.on("/manifest", fresh(document(scenes=[COFFEE], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock, announce=True) as player:
        await asyncio.sleep(1)
        for ask in PARTS.values():
            ask(player)
        await asyncio.sleep(120)
    assert started == PARTS.keys()


async def test_every_action_has_a_part_that_does_it(server: HostileServer, clock: VirtualClock, tmp_path: Path) -> None:
    async with playing(tmp_path, server.url, clock) as player:
        kinds = {kind for kind in vars(act).values() if isinstance(kind, type) and issubclass(kind, act.Action)}
        assert {kind for kind in kinds if not kind.__subclasses__()} == player.network._routes.keys()


@pytest.mark.first_case
@pytest.mark.proves("part-network-thread")
@pytest.mark.parametrize(
    ("name", "error"),
    [
        *((name, ZeroDivisionError()) for name in PARTS),
        # Something inside of it was cancelled.
        *((name, asyncio.CancelledError()) for name in ("downloads", "poll", "heartbeat")),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
async def test_no_error_of_a_part_ends_the_board_or_another_part(
    server: HostileServer,
    clock: VirtualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    name: str,
    error: BaseException,
) -> None:
    caplog.set_level(logging.INFO)
    runs = Counter[object]()
    start, after = Tasks.start, Scheduler.after

    def failing(named: str, work: Callable[[], Any]) -> Callable[[], Any]:
        async def run() -> Any:
            runs[work] += 1
            if clock.monotonic() < 12 or runs[work] == 1:
                raise error
            return await work()

        return run if named == name else work

    def after_failing(self: Scheduler, named: str, seconds: float, work: Callable[[], Any]) -> None:
        after(self, named, seconds, failing(named, work))

    def handle(self: Conductor, event: ev.Event) -> None:
        failed.extend([event] if isinstance(event, ev.PartFailed) else [])
        conduct(self, event)

    failed, conduct = list[ev.PartFailed](), Conductor.handle
    monkeypatch.setattr(Conductor, "handle", handle)
    monkeypatch.setattr(Tasks, "start", lambda self, named, work: start(self, named, failing(named, work)))
    monkeypatch.setattr(Scheduler, "after", after_failing)
    monkeypatch.setattr(network_thread, "sd_notify", lambda *states: heard.extend(states))
    monkeypatch.setenv("WATCHDOG_USEC", "20000000")
    heard: list[str] = []
    one = document(scenes=[COFFEE], items=ITEMS)
    two = document(scenes=[LUNCH], items=ITEMS, version=2, revision=2, images=["hero"])
    server.on("/manifest", fresh(one), HELD)
    async with playing(tmp_path, server.url, clock, announce=name == "announcer") as player:
        await asyncio.sleep(1)
        PARTS[name](player)
        await asyncio.sleep(20)
        assert [event.subject for event in failed] == [name]
        assert failed[0].detail.startswith(f"{type(error).__name__} in test_end_and_errors.py, line ")
        server.on("/manifest", fresh(two), HELD)
        player.network.execute(act.RefetchManifest())
        await asyncio.sleep(75)
        assert all(count > 1 for count in runs.values()), "it has begun again"
        assert player.scene == "lunch"
        assert server.asked("/heartbeat")[-1].json["presented"]["sceneId"] == "scn_lunch"
        assert "part_failed" not in player.codes, "it works again"
        assert player.state.pages, "the page is there"
        assert heard.count("WATCHDOG=1") > 5
        [address] = re.findall(r"diagnostics at (http://\S+)", caplog.text)
        async with httpx.AsyncClient(base_url=address) as technician:
            assert (await technician.get("/state.json")).status_code == 200
    logged = [record for record in caplog.records if record.message.startswith(f"{name} failed")]
    assert len(logged) == 1, "logged once"
    with StateStore.open(tmp_path) as store:
        running = store.load(service=server.url).manifests.running
    assert running is not None
    assert running.body == two


@pytest.mark.long
@pytest.mark.proves("part-network-thread")
async def test_a_part_that_fails_for_ever_is_tried_seldom_and_logged_once(
    server: HostileServer,
    clock: VirtualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    tries: list[float] = []

    async def fail(_: Downloads) -> None:
        tries.append(clock.monotonic())
        raise ZeroDivisionError

    monkeypatch.setattr(Downloads, "run", fail)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(600)
        [finding] = [each for each in diagnose(player.state) if each.code == "part_failed"]
        assert "download" in finding.what
        assert finding.why.startswith("downloads: ZeroDivisionError in test_end_and_errors.py, line ")
    pauses = [later - sooner for sooner, later in itertools.pairwise(tries)]
    assert pauses[:4] == pytest.approx([5, 10, 20, 40], abs=0.1)
    assert pauses[4:] == pytest.approx([MOST_PAUSE_SECONDS] * len(pauses[4:]), abs=0.1)
    assert caplog.text.count("downloads failed") == 1


async def test_a_write_that_fails_in_an_unforeseen_way_is_told_and_done_again(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = document(scenes=[LUNCH], items=ITEMS)

    def write(store: StateStore, action: act.DiskWrite) -> None:
        if clock.monotonic() < 10:
            raise ZeroDivisionError
        write_now(store, action)

    monkeypatch.setattr(writer, "write_now", write)
    server.on("/manifest", fresh(body), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        assert [finding.code for finding in diagnose(player.state)] == ["part_failed"]
        await asyncio.sleep(MOST_WRITE_AGAIN_SECONDS)
        assert player.state.rejections == ()
    with StateStore.open(tmp_path) as store:
        running = store.load(service=server.url).manifests.running
    assert running is not None
    assert running.body == body


async def test_a_command_that_fails_in_an_unforeseen_way_has_failed(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: Uploads) -> NoReturn:
        raise ZeroDivisionError

    monkeypatch.setattr(Uploads, "_screenshot", fail)
    commands = [{"id": "c1", "type": "screenshot"}]
    server.on("/heartbeat", heartbeat_answer(clock, commands=commands))
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        assert player.scene is None
    results = [result for beat in server.asked("/heartbeat") for result in beat.json["results"]]
    assert {(result["id"], result["outcome"]) for result in results} == {("c1", Outcome.FAILED)}


async def test_systemd_hears_of_the_start_the_watchdog_and_the_stop(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setattr(network_thread, "sd_notify", lambda *states: heard.extend(states))
    monkeypatch.setenv("WATCHDOG_USEC", "20000000")
    async with playing(tmp_path, server.url, clock):
        await asyncio.sleep(25)
    assert heard == ["READY=1", "WATCHDOG_USEC=20000000", *["WATCHDOG=1"] * 3, "STOPPING=1"]


async def test_a_board_at_rest_is_not_worked_out_again_at_each_look_at_the_display(
    tmp_path: Path, server: HostileServer, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, conduct = list[float](), Conductor.handle
    stopped_at: float | None = None

    def look(_: FakeDisplay) -> ev.DisplayChecked:
        """Every fifth look sees a frame on its way, until frames stop."""
        now = clock.monotonic()
        asked_at = now - 0.001 if round(now) % 5 == 0 else None
        return ev.DisplayChecked(turned_at=now, frame_asked_at=asked_at if stopped_at is None else stopped_at)

    def handle(self: Conductor, event: ev.Event) -> None:
        looks.extend([clock.monotonic()] if isinstance(event, ev.DisplayChecked) else [])
        conduct(self, event)

    monkeypatch.setattr(Conductor, "handle", handle)
    monkeypatch.setattr(FakeDisplay, "look", look)
    server.on("/manifest", fresh(document(scenes=[COFFEE], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(90)
        assert player.scene == "coffee"
        looks.clear()
        await asyncio.sleep(60)
        assert len(looks) <= 1
        stopped_at = clock.monotonic()
        await asyncio.sleep(2)
        assert looks, "a frame that does not come is told"
        stopped_at = None
        server.on("/manifest", whole(503))
        server.on("/heartbeat", whole(503))
        player.network.execute(act.RefetchManifest())
        await asyncio.sleep(10)
        looks.clear()
        await asyncio.sleep(10)
        assert len(looks) >= 9, "something is wrong, and time decides what is told of it"
