"""Assets: uploads are complete or refused, and downloads follow HTTP."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.api.content.asset_reply import ByteRange, UnsatisfiableRangeError, byte_range
from service.services.assets import checks as asset_checks
from service.services.assets.checks import max_bytes
from service.storage.asset_files import AssetFiles
from tests.service.support.application import Caller, Device, Service, VirtualClock, body_of, png, running
from tests.support.films import still

ASSETS = "/v1/assets"
IMAGE = png()
NAME = "sha256:" + hashlib.sha256(IMAGE).hexdigest()
JPEG, WEBP = still("jpg").read_bytes(), still("webp").read_bytes()


def leftovers(service: Service) -> list[Path]:
    return list((service.data / "assets" / "incoming").iterdir())


def stored(service: Service) -> list[str]:
    return sorted(path.name for path in (service.data / "assets" / "files").rglob("*") if path.is_file())


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("content", "media_type"), [(IMAGE, "image/png"), (JPEG, "image/jpeg"), (WEBP, "IMAGE/WEBP; q=1")]
)
async def test_an_image_is_stored_under_its_hash(
    service: Service, owner: Caller, content: bytes, media_type: str
) -> None:
    created = await owner.raw("POST", ASSETS, content, media_type)
    again = await owner.raw("POST", ASSETS, content, media_type)

    digest = hashlib.sha256(content).hexdigest()
    asset = body_of(created)
    assert (created.status_code, again.status_code) == (201, 200)
    assert created.headers["Location"] == f"{ASSETS}/sha256:{digest}"
    assert (asset["id"], asset["size"]) == (f"sha256:{digest}", len(content))
    assert asset["mediaType"] == media_type.split(";")[0].lower()
    assert body_of(again) == asset
    assert body_of(await owner.get(ASSETS))["data"] == [asset]
    assert stored(service) == [digest]
    assert leftovers(service) == []


NO_IMAGES: list[tuple[bytes, str, int, str]] = [
    (IMAGE, "image/svg+xml", 415, "unsupported_media_type"),
    (IMAGE, "image/gif", 415, "unsupported_media_type"),
    (IMAGE, "application/json", 415, "unsupported_media_type"),
    (IMAGE, "", 415, "unsupported_media_type"),
    (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/png", 415, "media_type_mismatch"),
    (b"\x89PN", "image/png", 415, "media_type_mismatch"),
    (b"RIFF\x10\0\0\0WAVE", "image/webp", 415, "media_type_mismatch"),
    (b"", "image/png", 400, "empty_body"),
]


async def test_bytes_that_are_no_image_are_refused(service: Service, owner: Caller) -> None:
    for case in NO_IMAGES:
        content, media_type, status, code = case
        response = await owner.raw("POST", ASSETS, content, media_type)

        assert (response.status_code, response.json()["code"]) == (status, code), case
        assert (stored(service), leftovers(service)) == ([], []), case


async def test_the_size_of_an_upload_is_limited(
    service: Service, owner: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (max_bytes("image/png"), max_bytes("video/mp4")) == (25 * 1024 * 1024, 512 * 1024 * 1024)
    monkeypatch.setattr(asset_checks, "MAX_IMAGE_BYTES", len(IMAGE))
    sent = []

    async def endless() -> AsyncIterator[bytes]:
        while True:
            sent.append(IMAGE)
            yield IMAGE

    refused = await owner.raw("POST", ASSETS, endless(), "image/png")
    accepted = await owner.raw("POST", ASSETS, IMAGE, "image/png")

    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert accepted.status_code == 201
    assert leftovers(service) == []


async def test_an_interrupted_upload_leaves_nothing(service: Service, owner: Caller) -> None:
    held_back = asyncio.Event()
    began = asyncio.Event()

    async def halting() -> AsyncIterator[bytes]:
        yield IMAGE[:10]
        began.set()
        await held_back.wait()

    upload = asyncio.ensure_future(owner.raw("POST", ASSETS, halting(), "image/png"))
    await began.wait()
    upload.cancel()
    await asyncio.gather(upload, return_exceptions=True)

    assert (stored(service), leftovers(service)) == ([], [])
    assert body_of(await owner.get(ASSETS))["data"] == []


async def test_a_full_disk_stores_no_partial_image(
    service: Service, owner: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("os.fsync", full)
        response = await owner.raw("POST", ASSETS, IMAGE, "image/png")
    assert (response.status_code, response.json()["code"]) == (507, "storage_full")
    assert (stored(service), leftovers(service)) == ([], [])
    assert body_of(await owner.get(ASSETS))["data"] == []

    assert (await owner.raw("POST", ASSETS, IMAGE, "image/png")).status_code == 201


def test_a_crash_leaves_only_what_the_next_start_removes(tmp_path: Path) -> None:
    files = AssetFiles(folder=tmp_path)
    crashed = files.upload()
    crashed.write(IMAGE)
    [temporary] = (tmp_path / "incoming").iterdir()
    temporary.rename(tmp_path / "incoming" / "copy")  # so that the test's own end cannot tidy it away
    crashed.__exit__(None, None, None)

    AssetFiles(folder=tmp_path).sweep()

    assert list((tmp_path / "incoming").iterdir()) == []
    assert list((tmp_path / "files").iterdir()) == []


async def test_a_file_is_stored_before_its_row_and_a_lost_row_is_created_again(
    service: Service, owner: Caller, clock: VirtualClock
) -> None:
    with service.services.store.upload() as upload:
        upload.write(IMAGE)
        upload.store()  # and here the power went
    assert body_of(await owner.get(ASSETS))["data"] == []

    async with running(service.data, clock=clock, database=service.database):
        assert (await owner.raw("POST", ASSETS, IMAGE, "image/png")).status_code == 201
    assert (await owner.get(f"{ASSETS}/{NAME}")).content == IMAGE


async def test_a_damaged_file_is_not_sent_and_another_upload_repairs_it(
    service: Service, owner: Caller, device: Device
) -> None:
    await owner.raw("POST", ASSETS, IMAGE, "image/png")
    path = service.services.store.path(NAME.removeprefix("sha256:"))
    path.write_bytes(IMAGE[:10])

    response = await device.asset(NAME)
    assert (response.status_code, response.json()["code"]) == (503, "asset_unavailable")

    await owner.raw("POST", ASSETS, IMAGE, "image/png")
    assert (await device.asset(NAME)).content == IMAGE


async def test_a_player_reads_the_assets_of_its_workspace(service: Service, owner: Caller, device: Device) -> None:
    await owner.raw("POST", ASSETS, IMAGE, "image/png")
    theirs = body_of(await service.stranger().raw("POST", ASSETS, png(7), "image/png"))

    for response in (await device.asset(NAME), await owner.get(f"{ASSETS}/{NAME}")):
        assert (response.status_code, response.content) == (200, IMAGE)
        assert response.headers["Content-Type"] == "image/png"
        assert response.headers["Content-Length"] == str(len(IMAGE))
        assert response.headers["ETag"] == f'"{NAME.removeprefix("sha256:")}"'
        assert response.headers["Cache-Control"] == "private, max-age=31536000, immutable"
        assert response.headers["Accept-Ranges"] == "bytes"
    for name in (theirs["id"], "sha256:" + "0" * 64, "sha256:..", "hero.png", NAME.upper(), "sha256:%00"):
        assert (await device.asset(name)).status_code == 404


async def test_ranges_follow_http(owner: Caller, device: Device) -> None:
    await owner.raw("POST", ASSETS, IMAGE, "image/png")
    size = len(IMAGE)
    etag = f'"{NAME.removeprefix("sha256:")}"'
    for asked, sent, named in (
        ("bytes=0-9", IMAGE[:10], f"bytes 0-9/{size}"),
        ("bytes=10-", IMAGE[10:], f"bytes 10-{size - 1}/{size}"),
        ("bytes=-5", IMAGE[-5:], f"bytes {size - 5}-{size - 1}/{size}"),
    ):
        for condition in ({}, {"If-Range": etag}):
            part = await device.asset(NAME, Range=asked, **condition)
            assert (part.status_code, part.content) == (206, sent)
            assert part.headers["Content-Range"] == named
            assert part.headers["Content-Length"] == str(len(sent))

    changed = await device.asset(NAME, **{"Range": "bytes=0-9", "If-Range": '"other"'})
    assert (changed.status_code, changed.content) == (200, IMAGE)
    beyond = await device.asset(NAME, Range=f"bytes={size}-")
    assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, f"bytes */{size}")
    assert beyond.json()["code"] == "range_not_satisfiable"
    assert (await device.asset(NAME, **{"If-None-Match": etag})).status_code == 304


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, None),
        ("bytes=0-0", ByteRange(0, 1)),
        ("bytes=5-99", ByteRange(5, 10)),
        ("bytes=-99", ByteRange(0, 10)),
        ("bytes=9-", ByteRange(9, 10)),
        ("bytes=0-1,3-4", None),
        ("bytes=3-1", None),
        ("bytes=-", None),
        ("bytes=a-b", None),
        ("lines=0-1", None),
        ("bytes=" + "9" * 5000 + "-", None),
        ("bytes=" + ",".join(["0-1"] * 10000), None),
    ],
)
def test_a_range_header_is_one_range_or_ignored(header: str | None, expected: ByteRange | None) -> None:
    assert byte_range(header, 10) == expected


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-20", "bytes=-0"])
def test_a_range_beyond_the_end_is_refused(header: str) -> None:
    with pytest.raises(UnsatisfiableRangeError):
        byte_range(header, 10)


def test_a_start_keeps_the_uploads_of_other_processes(tmp_path: Path) -> None:
    files = AssetFiles(folder=tmp_path)
    with files.upload() as upload:
        upload.write(IMAGE)

        AssetFiles(folder=tmp_path).sweep()

        digest = upload.store()
    assert files.path(digest).read_bytes() == IMAGE
    assert list((tmp_path / "incoming").iterdir()) == []
