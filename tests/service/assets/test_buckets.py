"""Assets in a bucket: stored whole, read by the service and by signed links, and without the store named errors."""

import asyncio
import hashlib
import socket
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from service.core.permissions import Role
from service.storage.asset_objects import LINK_SECONDS
from tests.service.support.application import (
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    body_of,
    open_cafe,
    pair,
    png,
    running,
)
from tests.service.support.opened_cafe import OpenedCafe
from tests.support.buckets import CREDENTIALS, ObjectStore, object_store
from tests.support.films import still
from tests.support.patience import PATIENCE_SECONDS

# Debian 13's botocore calls it, on a Python that deprecates it.
pytestmark = pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow:DeprecationWarning:botocore")

ASSETS = "/v1/assets"
JPEG = still("jpg").read_bytes()
DIGEST = hashlib.sha256(JPEG).hexdigest()
NAME = f"sha256:{DIGEST}"
FOLLOWS = {"Menu-Redirect": "accepted"}


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    with object_store(monkeypatch) as started:
        yield started


@pytest.fixture
async def service(
    store: ObjectStore, tmp_path: Path, clock: VirtualClock, database_url: str | None, opened: OpenedCafe | None
) -> AsyncIterator[Service]:
    async with running(tmp_path / "data", clock=clock, database=database_url, bucket=store.bucket()) as started:
        yield started


@pytest.mark.long
async def test_an_upload_becomes_an_object_and_is_read_back(
    service: Service, owner: Caller, store: ObjectStore
) -> None:
    created = await owner.raw("POST", ASSETS, JPEG, "image/jpeg")
    again = await owner.raw("POST", ASSETS, JPEG, "image/jpeg")

    assert (created.status_code, again.status_code) == (201, 200)
    assert store.keys == [f"cafe/files/{DIGEST}"]
    assert list((service.data / "assets" / "incoming").iterdir()) == []
    whole = await owner.get(f"{ASSETS}/{NAME}")
    part = await owner.get(f"{ASSETS}/{NAME}", Range="bytes=10-19")
    assert (whole.status_code, whole.content) == (200, JPEG)
    assert (part.status_code, part.content) == (206, JPEG[10:20])
    assert (await owner.get(f"{ASSETS}/{NAME}/thumbnail?size=160")).content[:2] == b"\xff\xd8"
    assert f"cafe/thumbnails/{DIGEST}-160-upright" in store.keys


async def test_what_is_no_image_reaches_no_bucket(owner: Caller, store: ObjectStore) -> None:
    assert (await owner.raw("POST", ASSETS, JPEG[:400], "image/jpeg")).status_code == 415
    assert (await owner.raw("POST", ASSETS, b"GIF89a", "image/jpeg")).status_code == 415
    assert store.keys == []


async def test_a_player_that_follows_gets_a_link_that_needs_no_token_and_ends(
    owner: Caller, device: Device, store: ObjectStore
) -> None:
    await owner.raw("POST", ASSETS, JPEG, "image/jpeg")

    answer = await device.asset(NAME, **FOLLOWS)
    assert answer.status_code == 307
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert "Menu-Display" in answer.headers
    link = urlsplit(answer.headers["Location"])
    asked = parse_qs(link.query)
    assert f"{link.scheme}://{link.netloc}" == store.address
    assert link.path == f"/menu-assets/cafe/files/{DIGEST}"
    assert asked["X-Amz-Expires"] == [str(LINK_SECONDS)]
    assert device.token not in answer.headers["Location"]
    assert CREDENTIALS["AWS_SECRET_ACCESS_KEY"] not in answer.headers["Location"]
    async with httpx.AsyncClient() as client:
        fetched = await client.get(answer.headers["Location"], headers={"Range": "bytes=5-"})
    assert (fetched.status_code, fetched.content) == (206, JPEG[5:])
    assert fetched.headers["Content-Type"] == "image/jpeg"


@pytest.mark.long
async def test_an_older_player_and_an_operator_get_the_bytes(owner: Caller, device: Device) -> None:
    await owner.raw("POST", ASSETS, JPEG, "image/jpeg")

    for response in (await device.asset(NAME), await owner.get(f"{ASSETS}/{NAME}", **FOLLOWS)):
        assert (response.status_code, response.content) == (200, JPEG)


@pytest.mark.long
async def test_links_can_be_switched_off(store: ObjectStore, tmp_path: Path, clock: VirtualClock) -> None:
    async with running(tmp_path / "other", clock=clock, bucket=store.bucket(links=False)) as service:
        owner = service.caller(Role.OWNER)
        await owner.raw("POST", ASSETS, JPEG, "image/jpeg")
        board = await pair(service, owner, await open_cafe(owner))

        response = await board.asset(NAME, **FOLLOWS)
    assert (response.status_code, response.content) == (200, JPEG)


@pytest.mark.long
async def test_a_missing_and_a_damaged_object_are_told_and_an_upload_mends_them(
    owner: Caller, device: Device, store: ObjectStore
) -> None:
    await owner.raw("POST", ASSETS, JPEG, "image/jpeg")
    for spoil in (
        lambda: store.client.delete_object(Bucket="menu-assets", Key=f"cafe/files/{DIGEST}"),
        lambda: store.put(f"cafe/files/{DIGEST}", JPEG[:20]),
    ):
        spoil()
        for response in (
            await device.asset(NAME, **FOLLOWS),
            await device.asset(NAME),
            await owner.get(f"{ASSETS}/{NAME}"),
        ):
            assert (response.status_code, response.json()["code"]) == (503, "asset_unavailable")
        await owner.raw("POST", ASSETS, JPEG, "image/jpeg")
        assert (await device.asset(NAME)).content == JPEG


@pytest.mark.long
async def test_without_the_store_calls_say_so_and_all_else_goes_on(
    service: Service, owner: Caller, device: Device, store: ObjectStore, cafe: Cafe
) -> None:
    await owner.raw("POST", ASSETS, JPEG, "image/jpeg")
    store.stop()
    refused = (
        await owner.raw("POST", ASSETS, png(3), "image/png"),
        await owner.get(f"{ASSETS}/{NAME}"),
        await owner.get(f"{ASSETS}/{NAME}/thumbnail"),
        await device.asset(NAME),
        await device.asset(NAME, **FOLLOWS),
    )
    for response in refused:
        assert (response.status_code, response.json()["code"]) == (503, "asset_store_unavailable")
        assert response.headers["Retry-After"] == "5"
    assert len(body_of(await owner.get(ASSETS))["data"]) == 1
    assert (await owner.patch(f"/v1/content/items/{cafe.cake}", {"eightySixed": True})).status_code == 200
    assert (await device.manifest()).status_code == 200
    assert (await service.client.get("/readyz")).status_code == 200
    assert list((service.data / "assets" / "incoming").iterdir()) == []


@pytest.mark.long
async def test_a_store_that_answers_nothing_takes_no_thread_from_other_calls(
    service: Service, owner: Caller, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner.raw("POST", ASSETS, JPEG, "image/jpeg")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setattr("service.storage.asset_objects.READ_SECONDS", 2 * PATIENCE_SECONDS)
        async with running(
            service.data,
            clock=service.clock,
            database=service.database,
            bucket=replace(store.bucket(), endpoint=address),
        ) as beside:
            caller = Caller(beside.client, owner.secret)
            stuck = [asyncio.ensure_future(caller.get(f"{ASSETS}/{NAME}")) for _ in range(60)]
            await asyncio.sleep(0)
            # More wait than the pool of the other calls has threads.
            assert (await asyncio.wait_for(caller.get(ASSETS), PATIENCE_SECONDS)).status_code == 200
            silent.close()
            for one in stuck:
                one.cancel()
            await asyncio.gather(*stuck, return_exceptions=True)
