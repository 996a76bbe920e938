"""A running application for tests, with a virtual clock, API callers and devices."""

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
from fastapi import FastAPI
from sqlalchemy import Connection
from starlette.types import ASGIApp

from service.app.application import create_app
from service.core.asset_bucket import AssetBucket
from service.core.identity_provider import IdentityProvider
from service.core.ids import digest_of
from service.core.json_text import read_json, write_json
from service.core.mail_server import MailServer
from service.core.permissions import Role
from service.services.devices.held_codes import HeldCodes
from service.services.devices.held_polls import HeldPolls
from service.services.registry import Services
from service.settings import Settings
from service.storage.tables.workspaces import KeyRow, WorkspaceRow
from service.storage.transactions import CONCURRENT, WRITES
from tests.service.support.quick_start import lay_database, with_its_parts
from tests.support.patience import PATIENCE_SECONDS

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
PUBLIC_URL = "https://menu.example.com"
DEVICE_ID = "0123456789abcdef0123456789abcdef"
NO_MAIL_SERVER = MailServer(host="127.0.0.1", port=9, sender="Menu boards <boards@example.com>")
"""Mails wait: nothing listens there."""
BETWEEN_LOOKS_SECONDS = 0.0005
GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"


@dataclass(order=True)
class _Timer:
    at: datetime
    number: int
    callback: Callable[[], None] | None = field(compare=False)

    def cancel(self) -> None:
        self.callback = None


class VirtualClock:
    """A clock that stands still until a test moves it. Timers run when it passes them."""

    def __init__(self, now: datetime = START) -> None:
        self._now = now
        self._step = timedelta()
        self._timers: list[_Timer] = []
        self._numbers = itertools.count()

    def now(self) -> datetime:
        return self._now + self._step

    def monotonic(self) -> timedelta:
        return self._now - START

    def call_later(self, seconds: float, callback: Callable[[], None]) -> _Timer:
        timer = _Timer(self._now + timedelta(seconds=seconds), next(self._numbers), callback)
        heapq.heappush(self._timers, timer)
        return timer

    @property
    def waiting(self) -> int:
        """The number of pending timers."""
        return sum(timer.callback is not None for timer in self._timers)

    def set(self, now: datetime) -> None:
        """Let time pass without running timers, as while a process is suspended."""
        self._now = now - self._step

    def step(self, by: timedelta) -> None:
        """Set the clock, as synchronisation or a person does; no time passes."""
        self._step += by

    async def advance(self, seconds: float) -> None:
        target = self._now + timedelta(seconds=seconds)
        await _run_ready_tasks()
        while self._timers and self._timers[0].at <= target:
            timer = heapq.heappop(self._timers)
            self._now = max(self._now, timer.at)
            if timer.callback is not None:
                timer.callback()
            # A woken task may set another timer before the target.
            await _run_ready_tasks()
        self._now = target


async def _run_ready_tasks() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def numbered_ids() -> Callable[[str], str]:
    """Identifiers such as `itm_1`, so that documents can be compared."""
    counters: dict[str, itertools.count[int]] = {}
    return lambda prefix: f"{prefix}_{next(counters.setdefault(prefix, itertools.count(1)))}"


def png(shade: int = 0) -> bytes:
    """An image of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixel = zlib.compress(bytes([0, shade]), 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


def body_of(response: httpx.Response) -> Any:
    """The JSON body of the response, with exact numbers."""
    return read_json(response.content)


def routes_of(service: "Service") -> set[tuple[str, str]]:
    """Method and path of every route that needs an API key, with `{}` for ids."""
    return {
        (method.upper(), re.sub(r"\{\w+\}", "{}", path))
        for path, methods in service.app.openapi()["paths"].items()
        for method, operation in methods.items()
        # The other routes use device tokens, invitation tokens or signatures.
        if {"apiKey": []} in operation.get("security", ())
    }


def faults_in(response: httpx.Response) -> dict[str, str]:
    """The fault codes of a problem, by pointer or parameter."""
    return {error.get("pointer", error.get("parameter")): error["code"] for error in response.json()["errors"]}


class Caller:
    """Calls the API with one key."""

    def __init__(self, client: httpx.AsyncClient, secret: str) -> None:
        self._client = client
        self.secret = secret
        self._headers = {"Authorization": f"Bearer {secret}"}

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self._client.get(path, headers={**self._headers, **headers})

    async def send(self, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        """A call with a JSON body; decimals are written exactly."""
        raw = b"" if body is None else write_json(body)
        return await self.raw(method, path, raw, **headers)

    async def raw(
        self,
        method: str,
        path: str,
        content: bytes | AsyncIterator[bytes],
        content_type: str | None = "application/json",
        **more: str,
    ) -> httpx.Response:
        headers = {**self._headers, **({} if content_type is None else {"Content-Type": content_type}), **more}
        return await self._client.request(method, path, content=content, headers=headers)

    async def post(self, path: str, body: object = None) -> httpx.Response:
        return await self.send("POST", path, body)

    async def patch(self, path: str, body: object) -> httpx.Response:
        return await self.send("PATCH", path, body)

    async def delete(self, path: str) -> httpx.Response:
        return await self._client.delete(path, headers=self._headers)

    async def make(self, path: str, body: object) -> Any:
        """Create a resource; fails unless the answer is 201."""
        response = await self.post(path, body)
        assert response.status_code == 201, response.text
        return response.json()


@dataclass
class Codes:
    device_code: str
    user_code: str
    answer: dict[str, Any]


class Device:
    """A device: the player's side of the protocol."""

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

    async def ask_token(self, codes: Codes, **headers: str) -> httpx.Response:
        form = {"client_id": "menu-player", "grant_type": GRANT_TYPE, "device_code": codes.device_code}
        return await self._client.post("/v1/player/token", data=form, headers=headers)

    async def wait_for_token(self, codes: Codes, wait: int = 25) -> httpx.Response:
        return await self.ask_token(codes, Prefer=f"wait={wait}")

    async def take_token(self, codes: Codes) -> None:
        response = await self.ask_token(codes)
        assert response.status_code == 200, response.text
        self.token = response.json()["access_token"]
        self.screen = response.json()["screen_id"]

    def headers(self, **more: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", **more}

    def calling(self, client: httpx.AsyncClient) -> "Device":
        """The same device, calling another process."""
        device = Device(client, device_id=self.device_id)
        device.token, device.screen = self.token, self.screen
        return device

    async def manifest(self, **headers: str) -> httpx.Response:
        return await self._client.get("/v1/player/manifest", headers=self.headers(**headers))

    async def held(self, etag: str, wait: int = 25) -> httpx.Response:
        return await self.manifest(**{"If-None-Match": etag, "Prefer": f"wait={wait}", "Menu-Heartbeat": "accepted"})

    async def heartbeat(self, **fields: object) -> httpx.Response:
        body = {"sequence": 1, "bootId": "boot", "appVersion": "0.1.0", "presented": {"kind": "house"}, **fields}
        return await self._client.post("/v1/player/heartbeat", json=body, headers=self.headers())

    async def send(self, path: str, content: bytes) -> httpx.Response:
        """Send a picture or a log."""
        return await self._client.put(f"/v1/player/{path}", content=content, headers=self.headers())

    async def asset(self, name: str, **headers: str) -> httpx.Response:
        return await self._client.get(f"/v1/player/assets/{name}", headers=self.headers(**headers))


@dataclass
class Service:
    """A started application, and access to it."""

    clock: VirtualClock
    app: FastAPI
    asgi: ASGIApp
    """The application with its own parts, for further clients."""
    services: Services
    client: httpx.AsyncClient
    held_polls: HeldPolls
    held_codes: HeldCodes
    data: Path
    database: str | None
    """The URL of PostgreSQL; None for SQLite."""

    def caller(self, role: Role) -> Caller:
        return Caller(self.client, self.services.keys.create(role=role, name="test"))

    def stranger(self) -> Caller:
        """The owner of another workspace."""
        return self.owner_of_new_workspace("ws_2", key="key_2", secret="stranger")

    def owner_of_new_workspace(self, workspace: str, *, key: str, secret: str) -> Caller:
        """Add a workspace with an Owner's key."""
        with self.services.database.write() as unit:
            made_at = START + timedelta(seconds=1)  # after the default one
            unit.session.add(
                WorkspaceRow(id=workspace, name=workspace, created_at=made_at, catalogue_changed_at=made_at)
            )
            unit.session.flush()
            unit.session.add(
                KeyRow(
                    id=key,
                    workspace_id=workspace,
                    name="",
                    role="Owner",
                    digest=digest_of(secret),
                    created_at=START,
                )
            )
        return Caller(self.client, secret)

    def device(self, device_id: str = DEVICE_ID) -> Device:
        return Device(self.client, device_id=device_id)

    async def holding(self, count: int = 1) -> None:
        """Return once this number of requests is held."""
        await until(lambda: self.held_polls.holding + self.held_codes.holding == count)

    async def pass_seconds(self, seconds: int) -> None:
        """Move the clock second by second, each time until upkeep, which uses threads, sleeps again."""
        for _ in range(seconds):
            await self.clock.advance(1)
            await until(lambda: self.clock.waiting == self.held_polls.holding + 1)


def has_effect(connection: Connection) -> bool:
    """Whether the transaction writes exclusively, as the effect of a call does."""
    options = connection.get_execution_options()
    return options.get(WRITES, False) and not options.get(CONCURRENT, False)


class SlowFile:
    """A file on a slow disk: reading blocks until the test provides the bytes."""

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        self._path = path
        self._open: int | None = None

    async def asked_for(self) -> None:
        """Return once a reader waits."""
        await until(self._has_reader)

    async def give(self, content: bytes) -> None:
        """Provide the bytes."""
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
    """Run other tasks until the condition holds. Between two looks the loop waits: one that never does keeps from the
    service's threads the lock of the interpreter, which they need to go on."""
    await _run_ready_tasks()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():  # noqa: ASYNC110  (no event signals the condition)
            await asyncio.sleep(BETWEEN_LOOKS_SECONDS)


def start(coroutine: Coroutine[Any, Any, httpx.Response]) -> "asyncio.Task[httpx.Response]":
    """Run a call beside the test."""
    return asyncio.ensure_future(coroutine)


def start_soon(coroutine: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
    """Run a coroutine beside the test."""
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
    mail_server: MailServer | None = NO_MAIL_SERVER,
    bucket: AssetBucket | None = None,
    identity_provider: IdentityProvider | None = None,
) -> AsyncIterator[Service]:
    """The application on a data folder, started and stopped as by a server."""
    settings = Settings(
        data=data,
        public_url=PUBLIC_URL,
        database=database,
        webhooks_allow_private=webhooks_allow_private,
        rate_limits=rate_limits,
        metrics_token=metrics_token,
        mail_server=mail_server,
        bucket=bucket,
        identity_provider=identity_provider,
    )
    if database is None:
        lay_database(settings.database_file)
    services = Services(settings, clock=clock, **({} if new_id is None else {"new_id": new_id}))
    app = create_app(settings, clock=clock, services=services)
    asgi = with_its_parts(app)
    transport = httpx.ASGITransport(app=asgi, client=("192.0.2.7", 50000), raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://service.test") as client,
    ):
        yield Service(
            clock=clock,
            app=app,
            asgi=asgi,
            services=services,
            client=client,
            held_polls=app.state.held_polls,
            held_codes=app.state.held_codes,
            data=data,
            database=database,
        )


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
    playlist = await make_playlist(owner)
    published = await owner.post(f"/v1/playlists/{playlist}/publish")
    assert published.status_code == 200, published.text
    return Cafe(location["id"], coffee["id"], cake["id"], published.json()["scenes"][0]["sceneId"], playlist)


async def make_playlist(owner: Caller) -> str:
    """A playlist with a scene, not yet published."""
    scene = await owner.make("/v1/scenes", {"name": "Menu", "widgets": [MENU]})
    playlist = await owner.make("/v1/playlists", {"name": "All day"})
    await owner.make(f"/v1/playlists/{playlist['id']}/scenes", {"sceneId": scene["id"], "durationSeconds": 15})
    return str(playlist["id"])


async def pair(service: Service, owner: Caller, cafe: Cafe, *, device_id: str = DEVICE_ID) -> Device:
    """A paired device."""
    device = service.device(device_id)
    await pair_device(device, owner, cafe)
    return device


async def pair_device(device: Device, owner: Caller, cafe: Cafe) -> Codes:
    """Pair the device with a new screen of the café."""
    codes = await device.ask_codes(device_name="Bar")
    await owner.make(
        "/v1/screens/pair", {"code": codes.user_code, "playlist": cafe.playlist, "location": cafe.location}
    )
    await device.take_token(codes)
    return codes
