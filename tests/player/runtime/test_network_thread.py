"""The network thread as a whole, on virtual time: real sockets, disk and conductor; the display alone is a fake."""

from __future__ import annotations

import asyncio
import errno
import io
import itertools
import logging
import os
import re
import shutil
import socket
import threading
import zipfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta, tzinfo
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest
import pytest_asyncio
from msgspec.structs import replace
from PySide6.QtGui import QImage

from menu.documents import manifest_reader as manifest_document
from player.device.network import networks, own_addresses
from player.display.window.screenshot import encode_png
from player.domain import actions as act
from player.domain import events as ev
from player.domain.commands import Outcome
from player.domain.findings.diagnosis import diagnose
from player.domain.link.announcement import announcement_of
from player.domain.link.connection import Step
from player.domain.link.fault import Fault
from player.domain.pairing import pairing
from player.domain.pairing.access import Access
from player.domain.pairing.pairing import REFUSED_RETRY_SECONDS, Credentials
from player.domain.panel.panel import PanelOrder
from player.domain.state import Device, PairingPhase, PlayerState
from player.domain.time.clock import Boot, Trust
from player.domain.view import DisplayOrder, PairingCard, SceneView
from player.link.discovery import discover
from player.link.downloads import Downloads
from player.page import connections
from player.page.picture import Shot
from player.runtime import link, network_thread, open_page, uploads
from player.runtime.conductor import Conductor
from player.runtime.network_thread import HEALTH_SECONDS, STOP_SECONDS, NetworkThread
from player.runtime.open_page import AGAIN_SECONDS
from player.runtime.restore import restore
from player.runtime.scheduler import Scheduler
from player.runtime.tasks import MOST_PAUSE_SECONDS, Tasks
from player.runtime.uploads import Uploads
from player.settings import PageAccess, Settings
from player.storage import manifests as storage
from player.storage import writer
from player.storage.store import StateStore
from player.storage.writer import MOST_WRITE_AGAIN_SECONDS, write_now
from tests.support.hostile import (
    Answer,
    HostileServer,
    Request,
    hostile_server,
    late,
    problem,
    revocation,
    silence,
    whole,
)
from tests.support.hostile import document as answer
from tests.support.menus import NOON, asset, document, entry, instant, item, menu_scene
from tests.support.programs import free_port
from tests.support.still_shot import StillShot
from tests.support.virtual import VirtualClock

COFFEE = menu_scene("coffee", "Coffee", image="hero")
LUNCH = menu_scene("lunch", "Lunch")
ITEMS = (item("Espresso", 2.2), item("Soup", 6.5, category="Lunch"))
HERO, HERO_BYTES = asset("hero")
PNG = b"\x89PNG"
UNCHANGED = whole(304)
HELD = late(25.0, UNCHANGED)
PENDING = answer(400, {"error": "authorization_pending"})
TOKEN = answer(200, {"access_token": "tok-1", "token_type": "Bearer", "screen_id": "scr_1"})


@pytest_asyncio.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> VirtualClock:
    """The player's clock; the system clock that APScheduler reads follows it."""
    virtual = VirtualClock(asyncio.get_running_loop().time)

    class SystemTime(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return virtual.wall().astimezone(tz)

    monkeypatch.setattr("apscheduler.schedulers.base.datetime", SystemTime)
    monkeypatch.setattr("player.runtime.scheduler.datetime", SystemTime)
    return virtual


@pytest_asyncio.fixture
async def server(clock: VirtualClock) -> AsyncIterator[HostileServer]:
    """A service that pairs at the second call, and has nothing new."""
    async with hostile_server() as service:
        code = {
            "device_code": "secret",
            "user_code": "WDJBMJ",
            "verification_uri": "https://menus.example.com/pair",
            "expires_in": 900,
            "interval": 5,
        }
        service.on("/device_authorization", answer(200, code))
        service.on("/token", PENDING, TOKEN)
        service.on("/manifest", HELD)
        service.on("/heartbeat", heartbeat_answer(clock))
        service.on(f"/assets/sha256:{HERO}", whole(200, HERO_BYTES, kind="image/png"))
        yield service


def heartbeat_answer(clock: VirtualClock, **fields: object) -> Callable[[Request], Answer]:
    """An answer with the right time."""
    return lambda request: answer(200, {"serverTime": instant(clock.wall()), **fields})(request)


def fresh(body: bytes) -> Callable[[Request], Answer]:
    return whole(200, body, headers={"ETag": f'"{sha256(body).hexdigest()}"'})


class FakeDisplay:
    """Records the orders, and presents each at once."""

    def __init__(self, clock: VirtualClock, emit: Callable[[ev.Event], None]) -> None:
        self.orders: list[DisplayOrder] = []
        self.forgiven = 0
        self.fading = 0.0
        self.png = PNG
        self._clock = clock
        self._emit = emit

    def post(self, order: DisplayOrder) -> None:
        self.orders.append(order)
        presented = ev.FramePresented(serial=order.serial, at=self._clock.monotonic())
        asyncio.get_running_loop().call_soon(self._emit, presented)

    def grab(self, deliver: Callable[[Shot], None]) -> None:
        """A picture of the order as it is when the fade has ended; anybody can read a PIN in it."""
        if self.fading:
            asyncio.get_running_loop().call_later(self.fading, self._deliver, deliver)
        else:
            self._deliver(deliver)

    def _deliver(self, deliver: Callable[[Shot], None]) -> None:
        pin = self.orders[-1].pin
        shot = StillShot(self.png + pin.digits.encode() if pin else self.png)
        threading.Thread(target=deliver, args=(shot,)).start()

    def look(self) -> ev.DisplayChecked:
        return ev.DisplayChecked(turned_at=self._clock.monotonic())

    def forgive_crashes(self) -> None:
        self.forgiven += 1


class Playing:
    """A player but for its window."""

    def __init__(
        self,
        folder: Path,
        service: str,
        clock: VirtualClock,
        store: StateStore,
        *,
        announce: bool = False,
        page: PageAccess = PageAccess.NETWORK,
        port: int = 0,
    ) -> None:
        stored = store.load(service=service)
        restored = restore(stored, store, boot=self.boot())
        device = Device(
            device_id=store.identity, boot_id="b", app_version="0.1.0", service=service, started_at=clock.wall()
        )
        early: list[act.Action] = []
        self.store = store
        self.stop = asyncio.Event()
        self.execute: Callable[[act.Action], None] = early.append
        self.conductor = Conductor(
            device=device,
            clock=clock,
            restored=restored,
            issue=lambda action: self.execute(action),
            publish=self._publish,
        )
        self.state = self.conductor.begin()
        self.display = FakeDisplay(clock, self.conductor.handle)
        self.restarts = 0
        self.network = NetworkThread(
            settings=Settings(service=service, state=folder, diagnostics_port=port, announce=announce, page=page),
            device=device,
            clock=clock,
            store=store,
            credentials=stored.credentials,
            last_pairing=stored.last_pairing,
            newest_etag=restored.newest_etag,
            display=self.display,
            emit=self.conductor.handle,
            state=lambda: self.state,
            board=lambda: self.conductor.board,
            restart=self._restart,
            boot=self.boot,
        )
        self._early = early

    def boot(self) -> Boot:
        return Boot()

    def begin(self) -> None:
        self.execute = self.network.execute
        for action in self._early:
            self.network.execute(action)

    @property
    def scene(self) -> str | None:
        view = self.display.orders[-1].view
        return view.scene.name if isinstance(view, SceneView) else None

    @property
    def codes(self) -> list[str]:
        return [rejection.code for rejection in self.state.rejections]

    def _publish(self, state: PlayerState) -> None:
        self.state = state

    def _restart(self, _action: act.Restart) -> None:
        self.restarts += 1


@asynccontextmanager
async def playing(
    folder: Path,
    service: str,
    clock: VirtualClock,
    *,
    paired: bool = True,
    token: str = "tok-1",
    announce: bool = False,
    page: PageAccess = PageAccess.NETWORK,
    port: int = 0,
) -> AsyncIterator[Playing]:
    """Run a player on this state directory until the block is left; then stop it as a signal does."""
    with StateStore.open(folder) as store:
        if paired:
            store.credentials.keep_credentials(Credentials(service=service, token=token, screen_id="scr_1"))
        player = Playing(folder, service, clock, store, announce=announce, page=page, port=port)
        async with player.network:
            player.begin()
            running = asyncio.ensure_future(player.network.run(player.stop))
            try:
                yield player
            finally:
                player.stop.set()
                await running


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Counter[bytes]:
    """Counts how often each manifest body was decoded, in whole or for its assets."""
    counts: Counter[bytes] = Counter()
    decode, listed = manifest_document._DECODER.decode, storage._listed_assets

    class Decoder:
        def decode(self, body: bytes) -> Any:
            counts[body] += 1
            return decode(body)

    def listed_assets(body: bytes) -> frozenset[str]:
        counts[body] += 1
        return listed(body)

    monkeypatch.setattr(manifest_document, "_DECODER", Decoder())
    monkeypatch.setattr(storage, "_listed_assets", listed_assets)
    return counts


# From the pairing code to the menu on the disk


async def test_a_new_device_pairs_downloads_and_shows_its_menu_and_stores_everything(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, decoded: Counter[bytes]
) -> None:
    body = document(scenes=[COFFEE], items=ITEMS, images=["hero"])
    server.on("/manifest", fresh(body), HELD)
    async with playing(tmp_path, server.url, clock, paired=False) as player:
        await asyncio.sleep(1)
        assert player.state.pairing.phase is PairingPhase.WAITING
        card = player.display.orders[-1].view
        assert isinstance(card, PairingCard)
        assert card.user_code == "WDJ-BMJ"
        assert not server.asked("/manifest"), "no poll before the pairing"
        await asyncio.sleep(30)
        assert player.scene == "coffee"
        assert player.state.presented.scene_id == "scn_coffee"
        assert player.store.assets.path(HERO).read_bytes() == HERO_BYTES
        assert player.state.rejections == ()
    assert server.asked("/heartbeat")[-1].json["presented"]["sceneId"] == "scn_coffee"
    assert {request.headers["authorization"] for request in server.asked("/manifest")} == {"Bearer tok-1"}
    with StateStore.open(tmp_path) as store:
        stored = store.load(service=server.url)
    assert isinstance(stored.credentials, Credentials)
    assert stored.manifests.running is not None
    assert stored.manifests.running.body == body
    assert stored.manifests.staged is None
    assert decoded[body] == 1, "one arrival decodes the body once"


async def test_a_start_decodes_each_stored_body_once_and_protects_the_assets_of_all(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, decoded: Counter[bytes]
) -> None:
    one = document(scenes=[COFFEE], items=ITEMS, images=["hero", "one"])
    two = document(scenes=[LUNCH], items=ITEMS, version=2, images=["two"])
    latest = document(scenes=[LUNCH], items=ITEMS[1:], version=2, revision=2, images=["two", "latest"])
    staged = document(scenes=[COFFEE], items=ITEMS, version=3, revision=3, images=["hero", "staged"])
    server.on("/manifest", fresh(one), fresh(two), late(20.0, fresh(latest)), HELD)
    for name in ("one", "two", "latest"):
        server.on(f"/assets/sha256:{asset(name)[0]}", whole(200, asset(name)[1], kind="image/png"))
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(60)
        assert player.scene == "lunch"
        server.on("/manifest", fresh(staged), HELD)
        await asyncio.sleep(30)
        assert player.state.staged is not None
    with StateStore.open(tmp_path) as store:
        found = store.load(service=server.url).manifests
        bodies = [each.body for each in (found.running, found.staged, found.previous) if each]
    assert bodies == [latest, staged, one]
    decoded.clear()
    server.on("/manifest", HELD)
    everything = {asset(name)[0] for name in ("hero", "one", "two", "latest", "staged")}
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(30)
        assert player.store.assets.protected() == everything
        assert player.store.assets.path(asset("one")[0]).exists(), "only the version before uses it"
    assert decoded == dict.fromkeys(bodies, 1)


async def test_the_settings_of_a_manifest_reach_poll_and_heartbeat(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    settings = {"waitSeconds": 10, "pollSeconds": 20, "heartbeatSeconds": 12}
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS, settings=settings)), late(10.0, UNCHANGED))
    server.on("/heartbeat", heartbeat_answer(clock, settings=settings))
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        beats = len(server.asked("/heartbeat"))
        await asyncio.sleep(60)
        assert len(server.asked("/heartbeat")) - beats == 5
        assert player.state.settings.heartbeat_seconds == 12
    assert [request.headers["prefer"] for request in server.asked("/manifest")][:3] == ["wait=25", "wait=10", "wait=10"]


async def test_a_changed_view_is_reported_at_once_and_at_most_once_a_second(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    entries = [entry("coffee", 3), entry("lunch", 3)]
    scenes = [menu_scene("coffee", "Coffee"), LUNCH]
    server.on("/manifest", fresh(document(scenes=scenes, entries=entries, items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(2)
        before = len(server.asked("/heartbeat"))
        for _ in range(200):
            player.network.execute(act.SendHeartbeat())
            await asyncio.sleep(0.05)
        beats = server.asked("/heartbeat")[before:]
        assert 9 <= len(beats) <= 11
        assert {beat.json["presented"]["sceneId"] for beat in beats} == {"scn_coffee", "scn_lunch"}


async def test_what_is_wrong_travels_in_the_heartbeat_until_it_is_mended(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    def found() -> list[tuple[str, str]]:
        return [(one["code"], one["who"]) for one in server.asked("/heartbeat")[-1].json["findings"]]

    server.on("/manifest", fresh(document(version=None)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(60)
        expected = [(finding.code, finding.who.value) for finding in diagnose(player.state)]
        assert expected, "nothing to show"
        assert found() == expected
        server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS, revision=2)), HELD)
        await asyncio.sleep(60)
        assert expected[0] not in found()


async def test_what_is_wrong_is_told_within_two_seconds(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(45)
        assert "under_voltage" not in str(server.asked("/heartbeat")[-1].json["findings"])
        player.conductor.handle(ev.HealthRead(health=replace(player.state.health, under_voltage=True)))
        await asyncio.sleep(2)
        assert "under_voltage" in str(server.asked("/heartbeat")[-1].json["findings"])


async def test_a_command_is_carried_out_as_soon_as_a_poll_says_that_there_is_one(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    woken = whole(304, headers={"Menu-Heartbeat": "now"})
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), late(12.0, woken), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(11)
        server.on("/heartbeat", heartbeat_answer(clock, commands=[{"id": "c1", "type": "restart"}]))
        await asyncio.sleep(2)
        assert player.restarts == 1


async def test_an_outage_is_tested_step_by_step_and_so_is_its_end(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    def menu(request: Request) -> Answer:
        rule = fresh(document(scenes=[LUNCH], items=ITEMS)) if "authorization" in request.headers else problem(401)
        return rule(request)

    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        assert player.state.connection is None, "nothing is wrong"
        filtered = whole(403, b"<html>Blocked</html>", kind="text/html")
        server.on("/heartbeat", filtered)
        server.on("/manifest", filtered)
        await asyncio.sleep(50)
        test = player.state.connection
        assert test is not None
        assert test.failure is not None
        assert (test.failure.step, test.failure.fault) == (Step.SERVICE, Fault.NOT_THE_SERVICE)
        assert diagnose(player.state)[0].code == "connection_not_the_service"
        server.on("/heartbeat", heartbeat_answer(clock))
        server.on("/manifest", menu)
        await asyncio.sleep(60)
        assert player.state.connection != test
        assert player.state.connection is not None
        assert player.state.connection.failure is None


@pytest.mark.long
async def test_a_picture_that_is_too_large_for_the_service_is_made_smaller(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_SCREENSHOT_BYTES", 3 * 1024**2)
    panel = encode_png(QImage(os.urandom(4 * 1080 * 1920), 1080, 1920, QImage.Format.Format_RGB32))
    server.on("/heartbeat", heartbeat_answer(clock, commands=[{"id": "c1", "type": "screenshot"}]))
    async with playing(tmp_path, server.url, clock) as player:
        player.display.png = panel
        await asyncio.sleep(5)
    (sent,) = server.asked("/screenshot")
    image = QImage.fromData(sent.body)
    assert len(sent.body) <= 3 * 1024**2 < len(panel)
    assert (image.width(), image.height()) == (720, 1280)


async def test_a_picture_that_cannot_be_read_is_not_sent(
    server: HostileServer,
    clock: VirtualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(uploads, "MAX_SCREENSHOT_BYTES", len(PNG) - 1)
    server.on("/heartbeat", heartbeat_answer(clock, commands=[{"id": "c1", "type": "screenshot"}]))
    async with playing(tmp_path, server.url, clock):
        await asyncio.sleep(5)
    assert server.asked("/screenshot") == []
    assert "The picture cannot be made smaller" in caplog.text


@pytest.mark.first_case
@pytest.mark.parametrize("fading", [0.0, 2.0])
async def test_no_digit_of_the_pin_leaves_the_device_in_a_picture(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, caplog: pytest.LogCaptureFixture, fading: float
) -> None:
    """Also where the PIN comes onto the screen while the display waits for the end of a fade, and is used up before
    the picture is there."""
    caplog.set_level(logging.INFO)
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player, tool_of(caplog) as (tool, fields):
        player.display.fading = fading
        player.network.execute(act.Upload(command="c1", what="screenshot"))
        pictures = [asyncio.ensure_future(tool.get("/bundle.zip"))]
        await asyncio.sleep(1.0)
        assert (await tool.post("/pin", data=fields)).status_code == 200
        pin = player.display.orders[-1].pin
        assert pin is not None
        player.network.execute(act.Upload(command="c1", what="screenshot"))
        pictures.append(asyncio.ensure_future(tool.get("/bundle.zip")))
        await asyncio.sleep(1.5)
        assert (await tool.post("/sign-in", data={**fields, "pin": pin.digits})).status_code == 303
        bundles = [(await picture).content for picture in pictures]
        await asyncio.sleep(fading)
    for content in (*bundles, *(request.body for request in server.asked("/screenshot"))):
        assert pin.digits.encode() not in content
    for content in bundles:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert not [name for name in archive.namelist() if pin.digits.encode() in archive.read(name)]
    assert len(server.asked("/screenshot")) == (1 if fading == 0.0 else 0)
    assert "the PIN is on the screen" in caplog.text


async def test_the_service_gets_a_picture_and_the_log_when_it_asks(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    taken = answer(200, {"receivedAt": "2026-11-20T12:00:00.000Z"})
    server.on("/screenshot", taken)
    server.on("/logs", problem(500), taken)
    commands = [{"id": "c1", "type": "screenshot"}, {"id": "c2", "type": "sendLogs"}]
    server.on("/heartbeat", heartbeat_answer(clock, commands=commands))
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        (picture,) = server.asked("/screenshot")
        (lines,) = server.asked("/logs")
        assert (picture.method, picture.body, picture.headers["content-type"]) == ("PUT", PNG, "image/png")
        assert lines.headers["authorization"] == "Bearer tok-1"
        assert b"tok-1" not in lines.body
        assert not player.stop.is_set(), "one that is not taken costs nothing"
    told = {one["id"]: one for beat in server.asked("/heartbeat") for one in beat.json["results"]}
    assert (told["c1"]["outcome"], told["c1"]["detail"]) == ("done", "A picture of the screen was sent.")
    assert told["c2"]["outcome"] == "failed"
    assert told["c2"]["detail"].startswith("The service did not take it: ")


async def test_a_result_is_told_at_once_and_until_a_heartbeat_is_answered(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(10)
        commanded = heartbeat_answer(clock, commands=[{"id": "c1", "type": "identify"}])
        server.on("/heartbeat", commanded, problem(503), heartbeat_answer(clock))
        before = len(server.asked("/heartbeat"))
        player.network.execute(act.SendHeartbeat())
        await asyncio.sleep(2)
        beats = server.asked("/heartbeat")[before:]
        assert [one["id"] for beat in beats for one in beat.json["results"]] == ["c1"]
        await asyncio.sleep(90)
        beats = server.asked("/heartbeat")[before:]
        assert [[one["outcome"] for one in beat.json["results"]] for beat in beats[:4]] == [[], ["done"], ["done"], []]
        assert player.state.results == ()


async def test_a_restart_is_done_once_the_player_runs_again(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    commanded = heartbeat_answer(clock, commands=[{"id": "c1", "type": "restart"}])
    server.on("/heartbeat", commanded, heartbeat_answer(clock))
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(3)
        assert player.restarts == 1
    assert all(not beat.json["results"] for beat in server.asked("/heartbeat"))
    async with playing(tmp_path, server.url, clock):
        before = len(server.asked("/heartbeat"))
        await asyncio.sleep(3)
    (result,) = server.asked("/heartbeat")[before].json["results"]
    assert (result["id"], result["outcome"], result["detail"]) == ("c1", "done", "The player runs again.")


def refusing(server: HostileServer, rule: Callable[[Request], Answer]) -> None:
    """From now on the service, or what stands in for it, refuses the screen's token."""
    server.on("/manifest", rule)
    server.on("/heartbeat", rule)
    server.on("/token", PENDING)


@pytest.mark.long
@pytest.mark.proves("service-says-screen")
async def test_a_removed_screen_plays_on_for_the_grace_and_then_shows_a_code_and_stores_nothing(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairing, "GRACE_SECONDS", 600.0)
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        refusing(server, revocation)
        await asyncio.sleep(180)
        assert player.scene == "lunch"
        notice = player.display.orders[-1].notice
        assert notice is not None
        assert notice.user_code == "WDJ-BMJ"
        polls = len(server.asked("/manifest"))
        await asyncio.sleep(300)
        assert 3 <= len(server.asked("/manifest")) - polls <= 6, "a slow pace"
        assert player.scene == "lunch"
        await asyncio.sleep(300)
        assert player.display.orders[-1].notice is None
        assert isinstance(player.display.orders[-1].view, PairingCard)
        assert player.state.pairing.phase is PairingPhase.WAITING
        polls = len(server.asked("/manifest"))
        await asyncio.sleep(180)
        assert len(server.asked("/manifest")) == polls, "no poll while unpaired"
    with StateStore.open(tmp_path) as store:
        assert store.load(service=server.url).manifests.running is None


@pytest.mark.long
@pytest.mark.proves("log-page-proxy", "service-know-token")
@pytest.mark.parametrize(
    ("rule", "banner"),
    [
        (whole(401, b"<html>Log in</html>", kind="text/html"), False),
        (answer(401, {"error": "unauthorized"}), False),
        (problem(401, "token_unknown"), True),
        (problem(401, "unauthenticated"), True),
    ],
    ids=["a middlebox", "a proxy", "a restored service", "an older service"],
)
async def test_no_other_refusal_ever_costs_a_program(
    server: HostileServer,
    clock: VirtualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rule: Callable[[Request], Answer],
    banner: bool,
) -> None:
    monkeypatch.setattr(pairing, "GRACE_SECONDS", 60.0)
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        refusing(server, rule)
        await asyncio.sleep(180)
        assert player.scene == "lunch"
        assert (player.display.orders[-1].notice is not None) is banner
        assert (player.state.contact.fault is not None) is not banner

        server.on("/manifest", HELD)
        server.on("/heartbeat", heartbeat_answer(clock))
        await asyncio.sleep(REFUSED_RETRY_SECONDS + 1)
        assert player.display.orders[-1].notice is None, "accepted again: as before"
        assert player.state.pairing.phase is PairingPhase.PAIRED
        asked = len(server.asked("/token"))
        await asyncio.sleep(100)
        assert len(server.asked("/token")) == asked
    with StateStore.open(tmp_path) as store:
        stored = store.load(service=server.url)
        assert stored.manifests.running is not None
        assert isinstance(stored.credentials, Credentials)


def spoil_credentials(folder: Path) -> None:
    copies = list(folder.glob("credentials*"))
    assert copies
    for copy in copies:
        copy.write_bytes(b"\0" * 100)


@pytest.mark.proves("both-copies-credentials")
async def test_both_copies_of_the_credentials_gone_the_board_plays_on_and_loses_nothing_when_paired(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    body = document(scenes=[LUNCH], items=ITEMS)
    server.on("/manifest", fresh(body), HELD)
    async with playing(tmp_path, server.url, clock):
        await asyncio.sleep(5)
    spoil_credentials(tmp_path)

    server.on("/token", PENDING, PENDING, TOKEN)
    server.on("/manifest", HELD)
    before = len(server.asked("/manifest"))
    async with playing(tmp_path, server.url, clock, paired=False) as player:
        await asyncio.sleep(8)
        assert player.scene == "lunch"
        assert player.display.orders[-1].notice is not None
        await asyncio.sleep(20)
        assert (player.scene, player.display.orders[-1].notice) == ("lunch", None)
        polls = server.asked("/manifest")[before:]
        assert polls[0].headers["if-none-match"] == f'"{sha256(body).hexdigest()}"', "nothing is sent again"
    with StateStore.open(tmp_path) as store:
        assert isinstance(store.load(service=server.url).credentials, Credentials)


@pytest.mark.proves("paired-workspace")
async def test_paired_with_another_workspace_nothing_of_the_old_one_is_left(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        refusing(server, revocation)
        await asyncio.sleep(100)
        assert player.scene == "lunch"
        other = {"access_token": "tok-2", "token_type": "Bearer", "screen_id": "scr_2", "workspace_id": "ws_2"}
        server.on("/token", answer(200, other))
        server.on("/manifest", problem(503))
        await asyncio.sleep(6)
        view = player.display.orders[-1].view
        assert isinstance(view, PairingCard)
        assert view.is_paired
    with StateStore.open(tmp_path) as store:
        stored = store.load(service=server.url)
        assert (stored.manifests.running, stored.manifests.previous) == (None, None)
        assert not stored.forgotten


@pytest.mark.proves("command-restart-sent")
async def test_commands_reach_the_poller_the_display_and_the_supervisor(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    body = document(scenes=[LUNCH], items=ITEMS)
    server.on("/manifest", fresh(body), late(25.0, fresh(body)))
    commands = [{"id": "c1", "type": "reload"}, {"id": "c2", "type": "restart"}]
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        server.on("/heartbeat", heartbeat_answer(clock, commands=commands))
        await asyncio.sleep(90)
        assert player.restarts == 1
        assert player.store.commands.load().come == ("c1", "c2"), "before the restart"
        assert player.display.forgiven == 1, "a reload lets barred videos play again"
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(90)
        assert player.restarts == 0, "the same command, sent again after the restart"
    asked = [request.headers.get("if-none-match") for request in server.asked("/manifest")]
    assert asked[0] is None
    assert asked[1] == f'"{sha256(body).hexdigest()}"'
    assert asked.count(None) == 2, "a reload asks for the whole manifest"


@pytest.mark.long
@pytest.mark.proves("services-contradict-each")
async def test_two_services_that_contradict_each_other_are_not_asked_without_pause(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    older = document(scenes=[LUNCH], items=ITEMS, revision=3)
    newer = document(scenes=[LUNCH], items=[*ITEMS, item("Stew", category="Lunch")], revision=4)
    answers = itertools.cycle([fresh(newer), fresh(older)])
    server.on("/manifest", lambda request: next(answers)(request))
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(1800)
        asked = len(server.asked("/manifest"))
        rows = {
            tuple(row.name for row in order.view.menus["menu"].sections[0].rows)
            for order in player.display.orders
            if isinstance(order.view, SceneView)
        }
    assert rows == {("Soup", "Stew")}
    assert asked < 120, "as with plain polls"


# A disk that refuses


@pytest.mark.parametrize("announce", [True, False])
async def test_a_screen_is_found_on_the_network_unless_that_is_switched_off(
    tmp_path: Path, server: HostileServer, clock: VirtualClock, *, announce: bool
) -> None:
    async with playing(tmp_path, server.url, clock, announce=announce) as player:
        await asyncio.sleep(1)
        told = announcement_of(player.state)
        listed = (await discover(interfaces=tuple(socket.inet_ntoa(each.address) for each in networks()))).players

    assert (told.short_id in {each.short_id for each in listed}) is announce


async def test_the_support_bundle_comes_from_the_running_player_and_has_no_token(
    tmp_path: Path, server: HostileServer, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    with caplog.at_level(logging.INFO):
        async with playing(tmp_path, server.url, clock) as player, httpx.AsyncClient(trust_env=False) as browser:
            await asyncio.sleep(5)
            logging.getLogger("player.link").warning("sent Authorization: Bearer %s, then tok-1 again", "tok-1")
            page = re.search(r"diagnostics at (http://\S+)", caplog.text)
            assert page is not None
            assert player.scene == "lunch"
            answer = await browser.get(f"{page[1]}bundle.zip")

    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found["glass.jpg"] == PNG
    assert b"lunch" in found["timetable.txt"]
    assert b'"findings"' in found["state.json"]
    assert not [name for name, raw in found.items() if b"tok-1" in raw]


async def test_a_page_whose_port_another_program_has_is_found_and_opens_once_it_can(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    port = free_port()
    with socket.create_server(("127.0.0.1", port)) as other:
        async with playing(tmp_path, server.url, clock, port=port) as player:
            await asyncio.sleep(1)
            assert "page_port_taken" in [finding.code for finding in diagnose(player.state)]
            other.close()
            await asyncio.sleep(AGAIN_SECONDS)
            assert "page_port_taken" not in [finding.code for finding in diagnose(player.state)]
            async with httpx.AsyncClient(trust_env=False) as client:
                assert (await client.get(f"http://127.0.0.1:{port}/state.json")).status_code == 200


async def test_a_full_disk_is_reported_while_the_menu_plays_and_stored_once_there_is_room(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = document(scenes=[LUNCH], items=ITEMS[1:], revision=2)
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), late(20.0, fresh(newer)), HELD)

    def full(*_: object) -> NoReturn:
        raise OSError(28, "No space left on device")

    async with playing(tmp_path, server.url, clock) as player:
        with monkeypatch.context() as patch:
            patch.setattr("player.storage.durable.write_all", full)
            await asyncio.sleep(10)
            assert player.scene == "lunch"
            assert ("disk_full", "running") in [(part.code, part.subject) for part in player.state.rejections]
        await asyncio.sleep(20)
    with StateStore.open(tmp_path) as store:
        stored = store.load(service=server.url).manifests
    assert stored.running is not None
    assert stored.running.body == newer


@pytest.mark.proves("disk-refuses-write")
async def test_what_a_disk_refused_is_written_by_itself_and_the_fault_is_over(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = document(scenes=[LUNCH], items=ITEMS)
    waiting = document(scenes=[COFFEE], items=ITEMS[:1], version=2, revision=2, images=["hero"])
    server.on("/manifest", late(15.0, fresh(first)), fresh(waiting), HELD)
    server.on(f"/assets/sha256:{HERO}", problem(404))

    def refused(*_: object) -> NoReturn:
        raise OSError(errno.EIO, "Input/output error")

    def faults(player: Playing) -> set[str]:
        return {part.subject for part in player.state.rejections if part.code == "disk_failing"}

    async with playing(tmp_path / "state", server.url, clock) as player:
        await asyncio.sleep(10)
        with monkeypatch.context() as patch:
            patch.setattr("player.storage.durable.write_all", refused)
            await asyncio.sleep(300)
            assert faults(player) == {"running", "staged"}
        await asyncio.sleep(MOST_WRITE_AGAIN_SECONDS)
        assert faults(player) == set()
        shutil.copytree(tmp_path / "state", tmp_path / "as it is")
    with StateStore.open(tmp_path / "as it is") as store:
        stored = store.load(service=server.url).manifests
    assert stored.running is not None
    assert stored.staged is not None
    assert (stored.running.body, stored.staged.body) == (first, waiting)


async def test_what_a_full_disk_refused_is_stored_as_soon_as_there_is_room_and_no_finding_stays(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.on("/manifest", late(15.0, fresh(document(scenes=[LUNCH], items=ITEMS))), HELD)
    health = ev.Health(disk_free_bytes=0)

    def full(*_: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    def found(player: Playing) -> list[str]:
        return [finding.code for finding in diagnose(player.state) if finding.code.startswith("disk")]

    async with playing(tmp_path, server.url, clock) as player:
        monkeypatch.setattr("player.runtime.network_thread.read_health", lambda _, **__: health)
        with monkeypatch.context() as patch:
            patch.setattr("player.storage.durable.write_all", full)
            await asyncio.sleep(200)
            assert found(player) == ["disk_full"]
        health = ev.Health(disk_free_bytes=10**9)
        await asyncio.sleep(HEALTH_SECONDS + 1)
        assert found(player) == [], player.state.rejections


async def test_a_disk_that_hangs_does_not_prevent_a_restart(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs = threading.Event()
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(1)
        monkeypatch.setattr(player.store.manifests, "settle", lambda: hangs.wait(10))
        server.on("/heartbeat", heartbeat_answer(clock, commands=[{"id": "c1", "type": "restart"}]))
        await asyncio.sleep(60)
        restarts = player.restarts
        hangs.set()
    assert restarts == 1


async def test_a_write_replaces_the_waiting_writes_that_it_makes_needless(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    started, slow = threading.Event(), threading.Event()

    def recorder(name: str) -> Callable[..., None]:
        def write(**fields: Any) -> None:
            written.append(f"{name} {fields.get('etag', '')}".strip())
            started.set()
            slow.wait(10)

        return write

    async with playing(tmp_path, server.url, clock) as player:
        for name in ("keep_running", "keep_latest", "keep_staged", "drop_staged", "forget"):
            monkeypatch.setattr(player.store.manifests, name, recorder(name))

        def keep(kind: type[Any], etag: str, **more: object) -> None:
            player.network.execute(kind(body=b"{}", etag=etag, assets=frozenset(), **more))

        keep(act.StoreRunning, "1", anchor=clock.wall())
        await asyncio.to_thread(started.wait, 10)
        keep(act.StoreLatest, "2")
        keep(act.StoreLatest, "3")
        keep(act.StoreStaged, "4")
        player.network.execute(act.DropStaged())
        keep(act.StoreStaged, "5")
        slow.set()
        await asyncio.sleep(1)
        assert written == ["keep_running 1", "keep_latest 3", "keep_staged 5"]
        slow.clear()
        started.clear()
        keep(act.StoreLatest, "6")
        await asyncio.to_thread(started.wait, 10)
        keep(act.StoreLatest, "7")
        keep(act.StoreStaged, "8")
        keep(act.StoreRunning, "8", anchor=clock.wall())
        keep(act.StoreLatest, "9")
        player.network.execute(act.ForgetVersions())
        slow.set()
        await asyncio.sleep(1)
        assert written[3:] == ["keep_latest 6", "forget"]


# Several screens


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


# Diagnostics


async def test_the_diagnostics_show_the_time_of_the_request_and_the_image_on_the_glass(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    server.on("/manifest", HELD)
    async with playing(tmp_path, server.url, clock) as player:
        # By then it is a finding that no menu has come; the gauges are read a moment before, and not until the end.
        await asyncio.sleep(HEALTH_SECONDS * 3 + 0.5)
        published_at = player.state.at
        await asyncio.sleep(HEALTH_SECONDS - 1)
        found = re.search(r"diagnostics at (http://\S+)", caplog.text)
        assert found is not None
        async with httpx.AsyncClient(base_url=found[1]) as technician:
            state = (await technician.get("/state.json")).json()
            assert (await technician.get("/glass.png")).content == PNG
        assert player.state.at == published_at, "nothing has happened"
        age = datetime.fromisoformat(state["at"]) - published_at
        assert age >= timedelta(seconds=HEALTH_SECONDS - 1)


@asynccontextmanager
async def tool_of(caplog: pytest.LogCaptureFixture) -> AsyncIterator[tuple[httpx.AsyncClient, dict[str, str]]]:
    """A tool on this machine, and the fields that it sends with every POST."""
    await asyncio.sleep(7)
    found = re.search(r"diagnostics at (http://\S+)", caplog.text)
    assert found is not None
    async with httpx.AsyncClient(base_url=found[1]) as tool:
        yield tool, {"csrf": (await tool.get("/visit.json")).json()["csrf"]}


async def test_the_pin_comes_onto_the_glass_and_what_is_counted_onto_the_disk(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with playing(tmp_path, server.url, clock) as player, tool_of(caplog) as (tool, fields):
        assert (await tool.post("/pin", data=fields)).status_code == 200
        shown = player.display.orders[-1].pin
        assert shown is not None
        wrong = "000000" if shown.digits != "000000" else "000001"
        assert (await tool.post("/sign-in", data={**fields, "pin": wrong})).status_code == 403
        assert len(Access.read(player.store.access.load()).tries) == 1
        assert (await tool.post("/sign-in", data={**fields, "pin": shown.digits})).status_code == 303
        assert player.display.orders[-1].pin is None
    with StateStore.open(tmp_path) as store:
        assert len(Access.read(store.access.load()).sessions) == 1
    assert shown.digits not in caplog.text


async def test_what_is_asked_for_on_the_page_is_done(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    body = document(scenes=[COFFEE], items=ITEMS, images=["hero"])
    server.on("/manifest", fresh(body), HELD)
    server.on("/token", PENDING)
    async with playing(tmp_path, server.url, clock) as player, tool_of(caplog) as (tool, fields):
        assert player.scene == "coffee"
        player.store.assets.path(HERO).write_bytes(b"rotten")
        assert (await tool.post("/actions/fetch", data=fields)).status_code == 204
        await asyncio.sleep(70)
        assert player.store.assets.path(HERO).read_bytes() == HERO_BYTES
        assert (await tool.post("/actions/none", data=fields)).status_code == 404
        assert (await tool.post("/actions/restart")).status_code == 403
        assert player.restarts == 0
        assert (await tool.post("/actions/restart", data=fields)).status_code == 204
        await asyncio.sleep(6)
        assert player.restarts == 1
        assert (await tool.post("/actions/pair", data=fields)).status_code == 204
        await asyncio.sleep(6)
        card = player.display.orders[-1].view
        assert isinstance(card, PairingCard)
        assert card.user_code == "WDJ-BMJ"
    with StateStore.open(tmp_path) as store:
        assert store.load(service=server.url).manifests.running is None


@pytest.mark.parametrize("page", [PageAccess.OFF, PageAccess.DEVICE])
async def test_the_page_can_be_closed_to_the_network_or_switched_off(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, caplog: pytest.LogCaptureFixture, page: PageAccess
) -> None:
    caplog.set_level(logging.INFO)
    async with playing(tmp_path, server.url, clock, page=page) as player:
        await asyncio.sleep(7)
        player.conductor.handle(ev.PinAsked())
        await asyncio.sleep(1)
        assert player.display.orders[-1].pin is None
        found = re.search(r"diagnostics at (http://\S+)", caplog.text)
        assert (found is None) is (page is PageAccess.OFF)
        port = int(found[1].rstrip("/").rpartition(":")[2]) if found else 0
        own = [one for one in own_addresses() if "." in one]
        for address in own if found else ():
            with pytest.raises(OSError, match=r"refused|failed"):
                await asyncio.open_connection(address, port)


# The end


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
def test_the_table_names_every_part_and_job() -> None:
    source = "".join(Path(module.__file__).read_text() for module in (network_thread, link, open_page, connections))
    started = re.findall(r'\b(?:_?start|after|at)\(\s*"([^"]+)"', source)
    uploads = {"screenshot", "sendLogs"}  # Their jobs are called as what they send.
    assert {*started, *uploads, *re.findall(r'^ {12}\("([^"]+)", ', source, re.MULTILINE)} == PARTS.keys()


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
        assert failed[0].detail.startswith(f"{type(error).__name__} in test_network_thread.py, line ")
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
        assert finding.why.startswith("downloads: ZeroDivisionError in test_network_thread.py, line ")
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
