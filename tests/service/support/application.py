"""What the service's tests share: a clock that they move, pictures, and a running application to talk to."""

import asyncio
import heapq
import itertools
import os
import re
import struct
import zlib
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx
from sqlalchemy import Connection

from service.app import Services, build_services, create_app
from service.core.ids import digest_of
from service.core.json_text import read_json, write_json
from service.core.permissions import Role
from service.services.devices.held_polls import HeldPolls
from service.settings import Settings
from service.storage.tables import KeyRow, WorkspaceRow
from service.storage.transactions import BESIDE_OTHERS, WRITES
from tests.service.support.quick_start import lay_database
from tests.support.patience import PATIENCE_SECONDS

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
PUBLIC_URL = "https://menu.example.com"
DEVICE_ID = "0123456789abcdef0123456789abcdef"
GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"


@dataclass(order=True)
class _Timer:
    at: datetime
    number: int
    callback: Callable[[], None] | None = field(compare=False)

    def cancel(self) -> None:
        self.callback = None


class VirtualClock:
    """Stands still until a test moves it; timers run when it is moved past them."""

    def __init__(self, now: datetime = START) -> None:
        self._now = now
        self._timers: list[_Timer] = []
        self._numbers = itertools.count()

    def now(self) -> datetime:
        return self._now

    def call_later(self, seconds: float, callback: Callable[[], None]) -> _Timer:
        timer = _Timer(self._now + timedelta(seconds=seconds), next(self._numbers), callback)
        heapq.heappush(self._timers, timer)
        return timer

    @property
    def waiting(self) -> int:
        """How many timers are still to run."""
        return sum(timer.callback is not None for timer in self._timers)

    def set(self, now: datetime) -> None:
        """Step without running any timer, as a clock that is put right does."""
        self._now = now

    async def advance(self, seconds: float) -> None:
        target = self._now + timedelta(seconds=seconds)
        await _turns()
        while self._timers and self._timers[0].at <= target:
            timer = heapq.heappop(self._timers)
            self._now = max(self._now, timer.at)
            if timer.callback is not None:
                timer.callback()
            # Whoever was woken may ask to be woken again before the target.
            await _turns()
        self._now = target


async def _turns() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def numbered_ids() -> Callable[[str], str]:
    """Identifiers such as `itm_1`, so that documents can be compared."""
    counters: dict[str, itertools.count[int]] = {}
    return lambda prefix: f"{prefix}_{next(counters.setdefault(prefix, itertools.count(1)))}"


def png(shade: int = 0) -> bytes:
    """A picture of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixel = zlib.compress(bytes([0, shade]), 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


def body_of(response: httpx.Response) -> Any:
    """The answer, its numbers exact."""
    return read_json(response.content)


def routes_of(service: "Running") -> set[tuple[str, str]]:
    """Method and path of every route that asks for an API key; `{}` stands where an id does."""
    app = service.client._transport.app  # type: ignore[attr-defined]
    return {
        (method.upper(), re.sub(r"\{\w+\}", "{}", path))
        for path, methods in app.openapi()["paths"].items()
        for method, operation in methods.items()
        # Players have tokens; whoever has no key yet brings a token or a signature.
        if {"apiKey": []} in operation.get("security", ())
    }


def faults_in(response: httpx.Response) -> dict[str, str]:
    """The codes of a problem by pointer."""
    return {error.get("pointer", error.get("parameter")): error["code"] for error in response.json()["errors"]}


class Caller:
    """Calls the API with one key."""

    def __init__(self, client: httpx.AsyncClient, secret: str) -> None:
        self._client = client
        self._headers = {"Authorization": f"Bearer {secret}"}

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self._client.get(path, headers={**self._headers, **headers})

    async def send(self, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        """A call with a JSON body; Decimals are written as they are."""
        raw = b"" if body is None else write_json(body)
        return await self.raw(method, path, raw, **headers)

    async def raw(
        self,
        method: str,
        path: str,
        content: bytes | AsyncIterator[bytes],
        content_type: str = "application/json",
        **more: str,
    ) -> httpx.Response:
        headers = {**self._headers, "Content-Type": content_type, **more}
        return await self._client.request(method, path, content=content, headers=headers)

    async def post(self, path: str, body: object = None) -> httpx.Response:
        return await self.send("POST", path, body)

    async def patch(self, path: str, body: object) -> httpx.Response:
        return await self.send("PATCH", path, body)

    async def delete(self, path: str) -> httpx.Response:
        return await self._client.delete(path, headers=self._headers)

    async def make(self, path: str, body: object) -> Any:
        """Create something that must be accepted."""
        response = await self.post(path, body)
        assert response.status_code == 201, response.text
        return response.json()


@dataclass
class Codes:
    device_code: str
    user_code: str
    answer: dict[str, Any]


class Device:
    """A player's side of the protocol, by hand."""

    def __init__(self, client: httpx.AsyncClient, *, device_id: str = DEVICE_ID) -> None:
        self._client = client
        self.device_id = device_id
        self.token = ""
        self.screen = ""

    async def ask_codes(self, **more: str) -> Codes:
        form = {"client_id": "menu-player", "device_id": self.device_id, **more}
        response = await self._client.post("/v1/player/device_authorization", data=form)
        assert response.status_code == 200, response.text
        answer = response.json()
        return Codes(answer["device_code"], answer["user_code"], answer)

    async def ask_token(self, codes: Codes) -> httpx.Response:
        form = {"client_id": "menu-player", "grant_type": GRANT_TYPE, "device_code": codes.device_code}
        return await self._client.post("/v1/player/token", data=form)

    async def take_token(self, codes: Codes) -> None:
        response = await self.ask_token(codes)
        assert response.status_code == 200, response.text
        self.token = response.json()["access_token"]
        self.screen = response.json()["screen_id"]

    def headers(self, **more: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", **more}

    async def manifest(self, **headers: str) -> httpx.Response:
        return await self._client.get("/v1/player/manifest", headers=self.headers(**headers))

    async def held(self, etag: str, wait: int = 25) -> httpx.Response:
        return await self.manifest(**{"If-None-Match": etag, "Prefer": f"wait={wait}"})

    async def heartbeat(self, **fields: object) -> httpx.Response:
        body = {"sequence": 1, "bootId": "boot", "appVersion": "0.1.0", "presented": {"kind": "house"}, **fields}
        return await self._client.post("/v1/player/heartbeat", json=body, headers=self.headers())

    async def asset(self, name: str, **headers: str) -> httpx.Response:
        return await self._client.get(f"/v1/player/assets/{name}", headers=self.headers(**headers))


@dataclass
class Running:
    """An application that has started."""

    clock: VirtualClock
    services: Services
    client: httpx.AsyncClient
    desk: HeldPolls
    data: Path
    database: str | None
    """Where PostgreSQL is, if the data is kept there."""

    def caller(self, role: Role) -> Caller:
        return Caller(self.client, self.services.keys.create(role=role, name="test"))

    def stranger(self) -> Caller:
        """An owner of another workspace."""
        with self.services.database.write() as unit:
            unit.session.add(WorkspaceRow(id="ws_2", name="other", created_at=START, catalogue_changed_at=START))
            unit.session.flush()
            unit.session.add(
                KeyRow(
                    id="key_2",
                    workspace_id="ws_2",
                    name="",
                    role="Owner",
                    digest=digest_of("stranger"),
                    created_at=START,
                )
            )
        return Caller(self.client, "stranger")

    def device(self, device_id: str = DEVICE_ID) -> Device:
        return Device(self.client, device_id=device_id)

    async def holding(self, count: int = 1) -> None:
        """Return once so many requests are held."""
        await until(lambda: self.desk.holding == count)

    async def pass_seconds(self, seconds: int) -> None:
        """Move the clock second by second, each time until the upkeep, which works in threads, sleeps again."""
        for _ in range(seconds):
            await self.clock.advance(1)
            await until(lambda: self.clock.waiting == self.desk.holding + 1)


def has_effect(connection: Connection) -> bool:
    """Whether its transactions are effects of calls, for which all other writers wait."""
    options = connection.get_execution_options()
    return options.get(WRITES, False) and not options.get(BESIDE_OTHERS, False)


class SlowFile:
    """A file on a disk that is slow: who reads it waits until the test gives its bytes."""

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        self._path = path
        self._open: int | None = None

    async def asked_for(self) -> None:
        """Return once somebody waits for it."""
        await until(self._has_reader)

    async def give(self, content: bytes) -> None:
        """Let them have it."""
        await self.asked_for()
        await asyncio.to_thread(self._write, content)

    def _has_reader(self) -> bool:
        if self._open is None:
            with suppress(OSError):
                self._open = os.open(self._path, os.O_WRONLY | os.O_NONBLOCK)
        return self._open is not None

    def _write(self, content: bytes) -> None:
        assert self._open is not None
        os.set_blocking(self._open, True)
        with os.fdopen(self._open, "wb") as file:
            file.write(content)


async def until(condition: Callable[[], bool]) -> None:
    """Give the others their turns until something has happened."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():  # noqa: ASYNC110  (the condition is in no event's hands)
            await asyncio.sleep(0)


def start(coroutine: Coroutine[Any, Any, httpx.Response]) -> "asyncio.Task[httpx.Response]":
    """Let a call run beside the test."""
    return asyncio.ensure_future(coroutine)


def start_soon(coroutine: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
    """Let something run beside the test."""
    return asyncio.ensure_future(coroutine)


@asynccontextmanager
async def running(
    data: Path,
    *,
    clock: VirtualClock,
    new_id: Callable[[str], str] | None = None,
    database: str | None = None,
    webhooks_allow_private: bool = False,
    rate_limits: Mapping[str, int] = MappingProxyType({}),
    metrics_token: str | None = None,
) -> AsyncIterator[Running]:
    """The application over a data folder, started and stopped as a server would."""
    settings = Settings(
        data=data,
        public_url=PUBLIC_URL,
        database=database,
        webhooks_allow_private=webhooks_allow_private,
        rate_limits=rate_limits,
        metrics_token=metrics_token,
    )
    if database is None:
        lay_database(settings.database_file)
    services = build_services(settings, clock=clock, **({} if new_id is None else {"new_id": new_id}))
    app = create_app(settings, clock=clock, services=services)
    transport = httpx.ASGITransport(app=app, client=("192.0.2.7", 50000), raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://service.test") as client,
    ):
        yield Running(clock=clock, services=services, client=client, desk=app.state.desk, data=data, database=database)


@dataclass
class Cafe:
    """A small café: two items, a scene that lists them, a published playlist, a location."""

    location: str
    coffee: str
    cake: str
    scene: str
    playlist: str


MENU = {"id": "menu", "type": "menu", "x": 0, "y": 0, "width": 900, "height": 900}


async def open_cafe(owner: Caller) -> Cafe:
    location = await owner.make(
        "/v1/locations",
        {"name": "Corner Café", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"},
    )
    coffee = await owner.make(
        "/v1/content/items",
        {
            "name": "Flat white",
            "category": "Coffee",
            "price": Decimal("3.40"),
            "modifiers": [{"name": "Oat milk", "priceDelta": Decimal("0.50")}],
        },
    )
    cake = await owner.make("/v1/content/items", {"name": "Carrot cake", "category": "Cake", "price": Decimal("4.20")})
    scene = await owner.make("/v1/scenes", {"name": "Menu", "widgets": [MENU]})
    playlist = await owner.make("/v1/playlists", {"name": "All day"})
    await owner.make(f"/v1/playlists/{playlist['id']}/scenes", {"sceneId": scene["id"], "durationSeconds": 15})
    published = await owner.post(f"/v1/playlists/{playlist['id']}/publish")
    assert published.status_code == 200, published.text
    return Cafe(location["id"], coffee["id"], cake["id"], scene["id"], playlist["id"])


async def pair(running_: Running, owner: Caller, cafe: Cafe, *, device_id: str = DEVICE_ID) -> Device:
    """A device that has its token."""
    device = running_.device(device_id)
    codes = await device.ask_codes(device_name="Bar")
    await owner.make(
        "/v1/screens/pair", {"code": codes.user_code, "playlist": cafe.playlist, "location": cafe.location}
    )
    await device.take_token(codes)
    return device
