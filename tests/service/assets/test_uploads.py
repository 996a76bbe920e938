"""Uploads in parts: they go on after a broken line or a restart, and leave nothing behind."""

import hashlib
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.core.permissions import Role
from service.services.assets.checks import MAX_VIDEO_BYTES
from service.services.assets.uploads import MAX_PART_BYTES, MAX_UNFINISHED, MAX_UNFINISHED_BYTES, MIN_PART_BYTES
from tests.service.support.application import Caller, Service, VirtualClock, body_of, png, running
from tests.support.buckets import ObjectStore, object_store

UPLOADS = "/v1/assets/uploads"
PART = "application/offset+octet-stream"


def large_png() -> bytes:
    """A picture of more than two parts."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 512, 512, 8, 2, 0, 0, 0)
    rows = b"".join(bytes([0]) + bytes([row % 256] * 512 * 3) for row in range(512))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")


IMAGE = large_png()
NAME = "sha256:" + hashlib.sha256(IMAGE).hexdigest()


async def begin(owner: Caller, content: bytes = IMAGE, **more: object) -> str:
    begun = await owner.post(UPLOADS, {"mediaType": "image/png", "size": len(content), **more})
    assert begun.status_code == 201, begun.text
    assert begun.headers["Location"] == f"{UPLOADS}/{body_of(begun)['id']}"
    return str(begun.headers["Location"])


async def send(owner: Caller, upload: str, offset: int, content: bytes) -> tuple[int, dict[str, object]]:
    answer = await owner.raw("PATCH", upload, content, PART, **{"Upload-Offset": str(offset)})
    return answer.status_code, body_of(answer)


def left_on_disk(service: Service) -> list[str]:
    return sorted(path.name for path in (service.data / "assets" / "parts").rglob("*"))


async def test_an_upload_goes_on_after_a_broken_line_and_a_restart(
    tmp_path: Path, clock: VirtualClock, database_url: str | None
) -> None:
    data = tmp_path / "data"
    async with running(data, clock=clock, database=database_url) as service:
        owner = service.caller(Role.OWNER)
        upload = await begin(owner, sha256=hashlib.sha256(IMAGE).hexdigest())
        status, told = await send(owner, upload, 0, IMAGE[:MIN_PART_BYTES])
        assert (status, told["offset"], told["asset"]) == (200, MIN_PART_BYTES, None)
        # The answer was lost: the same part again is told how far the upload is.
        again = await owner.raw("PATCH", upload, IMAGE[:MIN_PART_BYTES], PART, **{"Upload-Offset": "0"})
        assert (again.status_code, again.headers["Upload-Offset"]) == (409, str(MIN_PART_BYTES))
    async with running(data, clock=clock, database=database_url) as service:
        owner = service.caller(Role.OWNER)
        assert body_of(await owner.get(upload))["offset"] == MIN_PART_BYTES
        status, told = await send(owner, upload, MIN_PART_BYTES, IMAGE[MIN_PART_BYTES:])
        assert (status, told["asset"]) == (200, NAME)
        assert (await owner.get(f"/v1/assets/{NAME}")).content == IMAGE
        assert body_of(await owner.get(upload))["asset"] == NAME
        assert left_on_disk(service) == []


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("offset", "content", "status", "code"),
    [
        (1, IMAGE, 409, "wrong_offset"),
        (0, IMAGE[: MIN_PART_BYTES - 1], 400, "wrong_part"),
        (0, b"", 400, "wrong_part"),
        (0, IMAGE + b"x", 400, "wrong_part"),
    ],
)
async def test_a_part_that_does_not_fit_is_refused_and_changes_nothing(
    owner: Caller, offset: int, content: bytes, status: int, code: str
) -> None:
    upload = await begin(owner)
    answered, told = await send(owner, upload, offset, content)
    assert (answered, told["code"]) == (status, code)
    assert body_of(await owner.get(upload))["offset"] == 0
    assert (await send(owner, upload, 0, IMAGE))[1]["asset"] == NAME


async def test_what_is_no_picture_or_has_another_hash_is_refused_and_removed(service: Service, owner: Caller) -> None:
    noise = b"\x89PNG\r\n\x1a\n" + bytes(300)
    upload = await begin(owner, noise)
    assert (await send(owner, upload, 0, noise))[1]["code"] == "asset_undecodable"
    assert (await owner.get(upload)).status_code == 404
    upload = await begin(owner, sha256="0" * 64)
    status, told = await send(owner, upload, 0, IMAGE)
    assert (status, told["errors"][0]["code"]) == (422, "other_hash")  # type: ignore[index]
    assert (await owner.get(upload)).status_code == 404
    assert left_on_disk(service) == []
    for body, code in (
        ({"mediaType": "image/gif", "size": 10}, 415),
        ({"mediaType": "image/png", "size": 26 * 1024 * 1024}, 413),
        ({"mediaType": "image/png", "size": 0}, 422),
        ({"mediaType": "image/png", "size": 9, "sha256": "x"}, 422),
    ):
        assert (await owner.post(UPLOADS, body)).status_code == code, body


async def test_unfinished_uploads_together_have_a_bounded_size(owner: Caller) -> None:
    for _ in range(MAX_UNFINISHED_BYTES // MAX_VIDEO_BYTES):
        await begin(owner, mediaType="video/mp4", size=MAX_VIDEO_BYTES)
    refused = await owner.post(UPLOADS, {"mediaType": "image/png", "size": 10})
    assert (refused.status_code, body_of(refused)["code"]) == (409, "too_many_uploads")


async def test_a_workspace_has_a_bounded_number_of_unfinished_uploads_for_a_day(
    service: Service, owner: Caller
) -> None:
    first = await begin(owner)
    await send(owner, first, 0, IMAGE[:MIN_PART_BYTES])
    for _ in range(MAX_UNFINISHED - 1):
        await begin(owner)
    refused = await owner.post(UPLOADS, {"mediaType": "image/png", "size": 10})
    assert (refused.status_code, body_of(refused)["code"]) == (409, "too_many_uploads")
    assert (await owner.delete(first)).status_code == 204
    assert left_on_disk(service) == []

    last = await begin(owner, png())
    service.services.asset_uploads.prune()
    assert (await owner.get(last)).status_code == 200
    await service.clock.advance(24 * 3600)
    service.services.asset_uploads.prune()
    assert (await owner.get(last)).status_code == 404


async def test_a_part_has_a_bound_and_others_do_not_see_the_upload(service: Service, owner: Caller) -> None:
    upload = await begin(owner)
    answer = await owner.raw("PATCH", upload, bytes(MAX_PART_BYTES + 1), PART, **{"Upload-Offset": "0"})
    assert answer.status_code == 413
    assert (await owner.raw("PATCH", upload, IMAGE, PART)).status_code == 422
    assert (await service.caller(Role.VIEWER).get(upload)).status_code == 403


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    with object_store(monkeypatch) as started:
        yield started


@pytest.mark.long
async def test_parts_are_objects_of_the_bucket_until_the_asset_is(
    store: ObjectStore, tmp_path: Path, clock: VirtualClock, database_url: str | None
) -> None:
    async with running(tmp_path / "data", clock=clock, database=database_url, bucket=store.bucket()) as service:
        owner = service.caller(Role.OWNER)
        upload = await begin(owner)
        await send(owner, upload, 0, IMAGE[:MIN_PART_BYTES])
        given_up = await begin(owner)
        await send(owner, given_up, 0, IMAGE[:MIN_PART_BYTES])
        assert len(store.keys) == 2
        assert (await owner.delete(given_up)).status_code == 204
        status, told = await send(owner, upload, MIN_PART_BYTES, IMAGE[MIN_PART_BYTES:])
        assert (status, told["asset"]) == (200, NAME)
        assert store.keys == [f"cafe/files/{NAME.removeprefix('sha256:')}"]
