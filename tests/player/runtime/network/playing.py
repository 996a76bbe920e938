"""A whole network thread on virtual time, with a service that does as a test says and a display that is none."""

from __future__ import annotations

import asyncio
import re
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, tzinfo
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from menu.documents import manifest_reader as manifest_document
from player.domain import actions as act
from player.domain import events as ev
from player.domain.pairing.pairing import Credentials
from player.domain.state import Device, PlayerState
from player.domain.time.clock import Boot
from player.domain.view import DisplayOrder, SceneView
from player.page.picture import Shot
from player.runtime.conductor import Conductor
from player.runtime.network_thread import NetworkThread
from player.runtime.restore import restore
from player.settings import PageAccess, Settings
from player.storage import manifests as storage
from player.storage.store import StateStore
from tests.support.hostile import (
    Answer,
    HostileServer,
    Request,
    hostile_server,
    late,
    whole,
)
from tests.support.hostile import document as answer
from tests.support.menus import asset, instant, item, menu_scene
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


@asynccontextmanager
async def tool_of(caplog: pytest.LogCaptureFixture) -> AsyncIterator[tuple[httpx.AsyncClient, dict[str, str]]]:
    """A tool on this machine, and the fields that it sends with every POST."""
    await asyncio.sleep(7)
    found = re.search(r"diagnostics at (http://\S+)", caplog.text)
    assert found is not None
    async with httpx.AsyncClient(base_url=found[1]) as tool:
        yield tool, {"csrf": (await tool.get("/visit.json")).json()["csrf"]}
