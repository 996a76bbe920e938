"""The diagnostics page: its contents, who may read it, and that it never disturbs the board."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from player.domain import events as ev
from player.domain.findings.connection import DECIDING_SECONDS
from player.domain.link.fault import Fault
from player.domain.pairing.pairing import Code
from player.domain.playing.board import Restored
from player.domain.state import Device, PlayerState
from player.page.document import state_document
from player.page.listener import DiagnosticsServer
from player.page.picture import Grab, Picture, SharedPicture
from player.page.sections import render
from player.page.sections.facts import Facts
from player.page.server import STATIC, create_app
from player.runtime.conductor import Conductor
from tests.support.menus import NOON, HandClock, item, manifest, menu_scene
from tests.support.virtual import VirtualLoop

PNG = b"\x89PNG\r\n\x1a\n and the rest"
JPEG = b"\xff\xd8\xff" + bytes(2000)


class Glass:
    """A conductor with a menu, whose snapshot the page shows."""

    def __init__(self, *, paired: bool = True) -> None:
        self.clock = HandClock()
        self.conductor = Conductor(
            device=Device(
                device_id="d" * 32,
                boot_id="boot",
                app_version="0.1.0",
                service="https://menu.example",
                started_at=NOON,
            ),
            clock=self.clock,
            restored=Restored(screen_id="scr_1" if paired else None),
            issue=lambda _: None,
            publish=lambda _: None,
        )
        self.conductor.begin()

    def snapshot(self) -> PlayerState:
        return self.conductor.state

    def facts(self) -> Facts:
        return Facts(state=self.snapshot(), monotonic=self.clock.monotonic())

    def receive(self, **fields: Any) -> None:
        found, body = manifest(**fields)
        self.conductor.handle(ev.ManifestArrived(manifest=found, body=body))
        if found.version is not None:
            self.conductor.handle(ev.AssetsVerified(key=found.version.key))

    def document(self) -> dict[str, Any]:
        return json.loads(json.dumps(state_document(self.snapshot(), monotonic=self.clock.monotonic())))


async def never(pixels: int | None = None) -> Picture:
    await asyncio.Event().wait()
    return Picture(b"")


async def no_bundle() -> tuple[str, bytes]:
    raise NotImplementedError


def app_of(look: Callable[[], Facts], monotonic: Callable[[], float] = lambda: 0.0, **given: Any) -> Starlette:
    """The page with these of its parts."""
    lacking = {"grab": never, "bundle": no_bundle, "gatekeeper": None, "actions": {}}
    return create_app(look=look, monotonic=monotonic, **lacking | given)


def client(glass: Glass, grab: Grab | None = None, **given: Any) -> httpx.AsyncClient:
    async def view(pixels: int | None = None) -> Picture:
        return Picture(PNG if pixels is None else JPEG)

    app = app_of(glass.facts, glass.clock.monotonic, grab=grab or view, **given)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1:8085")


def test_the_code_and_how_long_it_is_good_for() -> None:
    glass = Glass(paired=False)
    glass.conductor.handle(
        ev.PairingChanged(
            code=Code(
                device_code="secret",
                user_code="WDJ-BMJ",
                verification_uri="https://menu.example/pair",
                verification_uri_complete="https://menu.example/pair?code=WDJBMJ",
                interval=5.0,
                good_until=glass.clock.monotonic() + 900,
            )
        )
    )
    glass.clock.pass_(60)
    pairing = glass.document()["pairing"]
    assert (pairing["phase"], pairing["code"], pairing["expiresInSeconds"]) == ("waiting", "WDJ-BMJ", 840)
    assert pairing["address"] == "https://menu.example/pair"
    assert "secret" not in str(glass.document())


def test_the_program_what_waits_and_what_shows() -> None:
    glass = Glass()
    scenes = [menu_scene("coffee", "Coffee"), menu_scene("lunch", "Lunch")]
    items = [item("Espresso", 2.2), item("Soup", 6.5, category="Lunch")]
    glass.receive(scenes=scenes, items=items)
    glass.receive(scenes=scenes[:1], items=items, version=2)
    found = glass.document()
    assert found["program"] == {
        "playlistId": "pl_1",
        "version": 1,
        "name": "All day",
        "epoch": "",
        "publishedAt": "2026-11-20T12:00:00Z",
        "entries": 2,
        "missing": {},
    }
    assert found["staged"]["version"] == 2
    assert found["staged"]["takesOverAt"] == "2026-11-20T12:00:20Z"
    assert (found["showing"]["sceneName"], found["showing"]["until"]) == ("coffee", "2026-11-20T12:00:10Z")
    assert [row["name"] for row in found["ordered"]["menus"]["menu"]] == ["Espresso"]
    assert [other["reason"] for other in found["showing"]["others"]] == ["waiting"]
    assert found["presented"]["kind"] == "nothing", "no frame has been swapped"


def test_an_outage_is_said_with_what_to_do() -> None:
    glass = Glass()
    glass.conductor.handle(ev.ServiceFailed(call="manifest", fault=Fault.PORTAL, detail="it answers with text/html"))
    glass.clock.pass_(DECIDING_SECONDS)
    glass.conductor.handle(ev.TimePassed())
    found = glass.document()
    assert found["contact"]["fault"] == "connection_portal"
    assert any("guest network" in finding["what"] for finding in found["findings"])


def test_a_corrected_clock_is_told_in_milliseconds() -> None:
    glass = Glass()
    glass.conductor.handle(
        ev.HeartbeatAnswered(
            server_time=NOON + timedelta(seconds=2.5),
            sent=glass.clock.monotonic(),
            received=glass.clock.monotonic(),
            screen_name="Counter",
            settings=ev.LinkSettings(),
        )
    )
    assert glass.document()["clock"] == {"state": "corrected", "offsetMilliseconds": 2500}


async def test_the_page_the_state_and_the_picture_are_served() -> None:
    async with client(Glass()) as page:
        index = await page.get("/")
        assert index.headers["content-type"].startswith("text/html")
        assert "Nothing is wrong" in index.text or "Findings" in index.text
        policy = index.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        for name in ("page.css", "page.js", "icon.svg"):
            assert f"static/{name}" in index.text
            file = await page.get(f"/static/{name}")
            assert (file.status_code, file.headers["content-type"].partition(";")[0]) == (
                200,
                STATIC[name.rpartition(".")[2]],
            )
        assert (await page.get("/static/server.py")).status_code == 404
        state = await page.get("/state.json")
        assert state.json()["device"]["service"] == "https://menu.example"
        view = await page.get("/glass.png")
        assert view.content == PNG
        assert view.headers["content-type"] == "image/png"
        small = await page.get("/glass.jpg")
        assert small.content == JPEG
        assert small.headers["content-type"] == "image/jpeg"


async def test_the_first_look_holds_the_loop_for_no_template(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def compiled(*arguments: Any, **named: Any) -> Any:
        threads.append(threading.current_thread())
        return compiles(*arguments, **named)

    compiles = render._environment().compile
    monkeypatch.setattr(render._environment(), "compile", compiled)
    monkeypatch.setattr(render._environment(), "cache", {})
    render.compile_templates.cache_clear()
    async with client(Glass()) as page:
        assert (await page.get("/")).status_code == 200
    assert threads
    assert threading.main_thread() not in threads


async def test_what_is_text_comes_packed() -> None:
    glass = Glass()
    glass.receive()
    async with client(glass) as page:
        for path in ("/", "/state.json", "/static/page.css", "/static/page.js"):
            answer = await page.get(path)
            assert answer.headers["content-encoding"] == "gzip"
            assert int(answer.headers["content-length"]) < len(answer.content) / 2
            plain = await page.get(path, headers={"Accept-Encoding": "identity"})
            assert "content-encoding" not in plain.headers
        assert "content-encoding" not in (await page.get("/glass.jpg")).headers


async def test_a_browser_asks_for_the_sections_and_gets_those_that_differ() -> None:
    glass = Glass()
    async with client(glass) as page:
        first = (await page.get("/parts.json?seen=")).json()
        assert {"menu", "headline", "clock"} < first["parts"].keys()
        same = (await page.get(f"/parts.json?seen={first['seen']}")).json()
        assert same["parts"].keys() == {"clock"}
        glass.receive()
        news = (await page.get(f"/parts.json?seen={first['seen']}&language=de")).json()
        assert "Die Playlist hat keine Szenen." in news["parts"]["now"]
        assert news["seen"] != first["seen"]


async def test_a_display_that_hangs_costs_the_picture_only() -> None:
    async with client(Glass(), never, grab_seconds=0.0) as page:
        answer = await page.get("/glass.png")
        assert answer.status_code == 503
        assert "gave no picture" in answer.text
        assert (await page.get("/state.json")).status_code == 200


@pytest.fixture
async def served() -> AsyncIterator[tuple[DiagnosticsServer, str]]:
    async def view(pixels: int | None = None) -> Picture:
        return Picture(PNG)

    glass = Glass()
    app = app_of(glass.facts, glass.clock.monotonic, grab=view)
    running = DiagnosticsServer(make_app=lambda: app, port=0)
    address = await running.start()
    assert address is not None
    yield running, address
    await running.stop()


async def test_it_listens_on_loopback_and_ends_when_told(served: tuple[DiagnosticsServer, str]) -> None:
    running, address = served
    assert address.startswith("http://127.0.0.1:")
    async with httpx.AsyncClient(base_url=address) as page:
        assert (await page.get("/state.json")).status_code == 200
    await running.stop()
    async with httpx.AsyncClient(base_url=address) as page:
        with pytest.raises(httpx.ConnectError):
            await page.get("/state.json")


def test_at_rest_it_wakes_the_player_for_nothing() -> None:
    async def a_minute() -> int:
        app = app_of(Glass().facts)
        running = DiagnosticsServer(make_app=lambda: app, port=0)
        assert await running.start() is not None
        await asyncio.sleep(1)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        before = loop.jumps
        await asyncio.sleep(60)
        waits = loop.jumps - before
        await running.stop()
        return waits

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        # The one is the sleep itself.
        assert runner.run(a_minute()) == 1


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.proves("hundreds-idle-slow")
@pytest.mark.parametrize("backlog", [512, 16], ids=["room for all", "room for a few"])
async def test_connections_that_say_nothing_cost_the_board_nothing_and_others_are_served(backlog: int) -> None:
    page = DiagnosticsServer(make_app=lambda: app_of(Glass().facts), port=0, backlog=backlog)
    address = await page.start()
    assert address is not None
    port = int(address.rstrip("/").rpartition(":")[2])
    with contextlib.ExitStack() as idle:
        before = _descriptors()
        for _ in range(300):
            silent = idle.enter_context(socket.socket())
            silent.setblocking(False)
            await asyncio.get_running_loop().sock_connect(silent, ("127.0.0.1", port))
        async with httpx.AsyncClient(base_url=address) as caller:
            assert (await caller.get("/state.json")).status_code == 200
            taken = _descriptors() - before - 300
    await page.stop()
    if backlog == 512:
        assert taken <= 2, "the one that has asked"


async def test_a_port_that_is_taken_costs_the_page(served: tuple[DiagnosticsServer, str]) -> None:
    _, address = served
    taken = int(address.rstrip("/").rpartition(":")[2])
    app = app_of(Glass().facts)
    assert await DiagnosticsServer(make_app=lambda: app, port=taken).start() is None


@pytest.mark.proves("hundreds-idle-slow")
def test_many_phones_share_one_picture_a_second_which_is_never_from_before_they_asked() -> None:
    taken: list[float] = []

    async def work() -> None:
        loop = asyncio.get_running_loop()

        async def take() -> Picture:
            taken.append(loop.time())
            await asyncio.sleep(0.1)
            return Picture(f"{taken[-1]}".encode())

        shared = SharedPicture(take, monotonic=loop.time)

        async def phone() -> None:
            while loop.time() < 10:
                asked = loop.time()
                assert float((await shared.take(at_once=False)).content) >= asked

        async with asyncio.TaskGroup() as group:
            for _ in range(8):
                group.create_task(phone())
            await asyncio.sleep(2.5)
            before = len(taken)
            await shared.take(at_once=True)
            assert len(taken) > before

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(work())
    assert len(taken) <= 13
