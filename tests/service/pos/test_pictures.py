"""Pictures that a feed names: fetched once, checked as uploads are, and bounded."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from service.app.application import FEED_SECONDS
from service.core.permissions import Role
from service.services.pos import pictures as pictures_module
from service.services.pos.pictures import MAX_LISTED_PICTURE_ERRORS, MAX_PICTURE_BYTES, MAX_PICTURE_TRIES
from tests.service.support.application import Caller, Service, VirtualClock, body_of, png, running, until
from tests.service.support.feeds import next_sync, sync_now

CONNECTIONS = "/v1/pos/connections"
ITEMS = "/v1/content/items"


@dataclass
class Shop:
    """A web server of a point of sale: its files by their paths, and what was asked for."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    held: dict[str, asyncio.Event] = field(default_factory=dict)
    """What is given only when such an event has been set."""


@contextlib.asynccontextmanager
async def opened_shop() -> AsyncIterator[Shop]:
    shop = Shop()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
        shop.asked.append(path)
        if path in shop.held:
            await shop.held[path].wait()
        content = shop.files.get(path)
        status = b"404 Not Found" if content is None else b"200 OK"
        content = content or b""
        writer.write(
            b"HTTP/1.1 %b\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % (status, len(content)) + content
        )
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    shop.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield shop
    finally:
        server.close()
        await server.wait_closed()


@pytest.fixture
def reaches_loopback() -> bool:
    return True


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    async with opened_shop() as shop_:
        yield shop_


@pytest.fixture
def admin(service: Service) -> Caller:
    return service.caller(Role.ADMIN)


def serve(shop: Shop, *pictures: str) -> None:
    """Serves a feed with an item for each picture."""
    rows = [
        {"id": name, "name": name, "category": "Food", "price": 2, "imageUrl": f"{shop.address}{name}"}
        for name in pictures
    ]
    shop.files["/menu.json"] = json.dumps(rows).encode()


async def connect(admin: Caller, shop: Shop) -> str:
    body = {"name": "Till", "feed": f"{shop.address}/menu.json", "format": "json"}
    return f"{CONNECTIONS}/{(await admin.make(CONNECTIONS, body))['id']}"


async def images(admin: Caller) -> dict[str, Any]:
    return {item["name"]: item["image"] for item in body_of(await admin.get(f"{ITEMS}?limit=100"))["data"]}


async def test_a_picture_is_fetched_once_and_shown(service: Service, admin: Caller, shop: Shop) -> None:
    serve(shop, "/a.png", "/b.png")
    shop.files |= {"/a.png": png(1), "/b.png": png(2)}
    connection = await connect(admin, shop)

    last = await sync_now(service, admin, connection)
    assert last["pictures"] == {"fetched": 2, "failed": 0, "waiting": 0, "errors": []}
    shown = await images(admin)
    assert (await admin.get(f"/v1/assets/{shown['/a.png']}")).content == png(1)
    assert shown["/a.png"] != shown["/b.png"]

    # By hand another picture: the feed names no new one.
    item = body_of(await admin.get(ITEMS))["data"][0]
    await admin.patch(f"{ITEMS}/{item['id']}", {"image": shown["/b.png"]})
    assert (await sync_now(service, admin, connection))["pictures"] is None
    assert (await images(admin))["/a.png"] == shown["/b.png"]
    assert sorted(path for path in shop.asked if path.endswith("png")) == ["/a.png", "/b.png"]

    # A new picture has a new URL.
    shop.files["/menu.json"] = shop.files["/menu.json"].replace(b'/a.png"}', b'/a.png?v=2"}')
    shop.files["/a.png?v=2"] = png(3)
    last = await sync_now(service, admin, connection)
    assert (last["counts"]["updated"], last["pictures"]["fetched"]) == (1, 1)
    assert (await admin.get(f"/v1/assets/{(await images(admin))['/a.png']}")).content == png(3)


async def test_a_picture_that_cannot_be_had_is_told_and_the_item_imported(
    service: Service, admin: Caller, shop: Shop
) -> None:
    serve(shop, "/none.png", "/page.png", "/damaged.png", "/film.mp4", "/large.png", "/good.png")
    shop.files |= {
        "/page.png": b"<html>",
        "/damaged.png": png(1)[:40],
        "/film.mp4": b"\0\0\0\x18ftypmp42",
        "/large.png": png(1) + bytes(MAX_PICTURE_BYTES),
        "/good.png": png(1),
    }
    last = await sync_now(service, admin, await connect(admin, shop))

    assert (last["status"], last["counts"]["created"]) == ("completed", 6)
    pictures = last["pictures"]
    assert (pictures["fetched"], pictures["failed"], pictures["waiting"]) == (1, 5, 0)
    assert {one["id"]: one["reason"] for one in pictures["errors"]} == {
        "/none.png": "bad_status",
        "/page.png": "not_an_image",
        "/damaged.png": "asset_undecodable",
        "/film.mp4": "not_an_image",
        "/large.png": "too_large",
    }
    assert [name for name, image in (await images(admin)).items() if image] == ["/good.png"]


@pytest.mark.long
async def test_pictures_of_a_sync_are_limited_and_hopeless_ones_given_up(
    service: Service, admin: Caller, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures_module, "MAX_PICTURES", 2)
    serve(shop, "/a.png", "/b.png", "/c.png")
    shop.files["/c.png"] = png(1)
    connection = await connect(admin, shop)
    last = await sync_now(service, admin, connection)
    assert (last["pictures"]["failed"], last["pictures"]["waiting"]) == (2, 1)
    last = await sync_now(service, admin, connection)
    assert (last["pictures"]["fetched"], last["pictures"]["waiting"]) == (1, 0), "those untried come first"

    for _ in range(2 * MAX_PICTURE_TRIES):
        await sync_now(service, admin, connection)
    assert [shop.asked.count(path) for path in ("/a.png", "/b.png", "/c.png")] == [MAX_PICTURE_TRIES] * 2 + [1]

    monkeypatch.setattr(pictures_module, "PICTURES_SECONDS", 0.0)
    serve(shop, "/d.png")
    assert (await sync_now(service, admin, connection))["pictures"] is None
    assert "/d.png" not in shop.asked, "the time for pictures is over"


async def test_listed_errors_of_pictures_are_limited(service: Service, admin: Caller, shop: Shop) -> None:
    serve(shop, *(f"/{number}.png" for number in range(MAX_LISTED_PICTURE_ERRORS + 1)))
    pictures = (await sync_now(service, admin, await connect(admin, shop)))["pictures"]
    assert (pictures["failed"], len(pictures["errors"])) == (MAX_LISTED_PICTURE_ERRORS + 1, MAX_LISTED_PICTURE_ERRORS)


async def test_pictures_of_pushed_items_follow(
    service: Service, admin: Caller, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures_module, "MAX_PICTURES", 1)
    shop.files |= {"/a.png": png(1), "/b.png": png(2)}
    serve(shop, "/a.png", "/b.png")
    connection = f"{CONNECTIONS}/{(await admin.make(CONNECTIONS, {'name': 'Till', 'format': 'json'}))['id']}"
    pushed = body_of(await admin.send("PUT", f"{connection}/items", json.loads(shop.files["/menu.json"])))
    assert set((await images(admin)).values()) == {None}

    # The second sync follows at once: its picture is held until the first one's result has been read.
    shop.held["/b.png"] = asyncio.Event()
    await service.pass_seconds(FEED_SECONDS)
    await until(lambda: shop.asked == ["/a.png", "/b.png"])
    first = body_of(await admin.get(connection))["lastSync"]
    assert (first["counts"], first["pictures"]["waiting"]) == (pushed["counts"], 1)
    shop.held["/b.png"].set()
    last = await next_sync(service, admin, connection, first)
    assert last["pictures"] == {"fetched": 1, "failed": 0, "waiting": 0, "errors": []}
    assert None not in (await images(admin)).values()
    assert body_of(await admin.get(connection))["nextSyncAt"] is None


async def test_a_picture_in_the_operators_own_network_is_not_fetched(
    tmp_path: Path, clock: VirtualClock, shop: Shop
) -> None:
    shop.files["/a.png"] = png(1)
    async with running(tmp_path / "data", clock=clock) as service:
        admin = service.caller(Role.ADMIN)
        connection = f"{CONNECTIONS}/{(await admin.make(CONNECTIONS, {'name': 'Till', 'format': 'json'}))['id']}"
        rows = [
            {"id": url, "name": "Cake", "category": "Cake", "price": 2, "imageUrl": url}
            for url in (f"{shop.address}/a.png", "https://127.0.0.1/a.png", "file:///etc/passwd")
        ]
        pushed = body_of(await admin.send("PUT", f"{connection}/items", rows))
        last = await next_sync(service, admin, connection, pushed)
        assert [one["reason"] for one in last["pictures"]["errors"]] == ["refused_url"] * 3
    assert shop.asked == []
