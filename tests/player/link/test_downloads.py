"""Assets reach a real disk from a real socket whole or not at all, however often the connection is cut."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from menu.documents.manifest import AssetFact, PlaylistVersion, VersionKey
from player.domain.events import AssetsMissing, AssetsVerified, PartFailed, PartWell, ServiceSilent
from player.domain.playing import sync
from player.domain.playing.sync import VERSION_BUDGET_BYTES
from player.link import downloads as link
from player.link.api import SILENT_SECONDS, ServiceApi
from player.link.downloads import Downloads
from player.storage import assets
from player.storage.assets import AssetFolder
from player.storage.durable import StorageError
from player.storage.store import StateStore
from tests.player.link.token_source import FakeTokenSource
from tests.support.hostile import Answer, Heard, HostileServer, Request, endless, late, problem, raw, silence, whole
from tests.support.obstacles import OBSTACLES, obstruct
from tests.support.virtual import Dice, VirtualClock

KEY = VersionKey(playlist_id="pl_1", version=1)


def image(number: int, size: int = 1000) -> bytes:
    return random.Random(number).randbytes(size)


def version(*images: bytes, version: int = 1, size: int | None = None) -> PlaylistVersion:
    return PlaylistVersion(
        key=VersionKey(playlist_id="pl_1", version=version),
        name="All day",
        published_at=datetime(2026, 11, 20, tzinfo=UTC),
        entries=(),
        scenes={},
        assets={name(each): AssetFact(size=size or len(each), media_type="image/png") for each in images},
    )


def document(wanted: PlaylistVersion) -> bytes:
    return json.dumps({"assets": {digest: {} for digest in wanted.assets}, "v": wanted.key.version}).encode()


def name(content: bytes) -> str:
    return sha256(content).hexdigest()


def path(content: bytes) -> str:
    return f"/assets/sha256:{name(content)}"


def serving(content: bytes, *, cut_after: int | None = None) -> Callable[[Request], Answer]:
    """Serves ranges as the protocol says; cuts the connection after so many bytes."""

    def decide(request: Request) -> Answer:
        start, headers, status = 0, {"ETag": f'"{name(content)}"'}, 200
        if request.headers.get("if-range") == f'"{name(content)}"':
            start = int(request.headers["range"].removeprefix("bytes=").rstrip("-"))
            status = 206
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        body = content[start:]
        if cut_after is None:
            return whole(status, body, kind="image/png", headers=headers)(request)
        lines = "".join(f"{key}: {value}\r\n" for key, value in headers.items())
        head = f"HTTP/1.1 {status} So\r\nContent-Length: {len(body)}\r\nContent-Type: image/png\r\n{lines}\r\n"
        return raw(head.encode() + body[:cut_after])(request)

    return decide


@pytest.fixture
def token_source() -> FakeTokenSource:
    return FakeTokenSource()


@pytest.fixture
def protected() -> set[str]:
    return set()


@pytest.fixture
def store(tmp_path: Path, protected: set[str]) -> AssetFolder:
    return AssetFolder(tmp_path, protected=lambda: frozenset(protected))


@pytest.fixture
def downloads(
    api: ServiceApi, token_source: FakeTokenSource, store: AssetFolder, clock: VirtualClock, heard: Heard
) -> Downloads:
    return Downloads(api=api, token_source=token_source, store=store, clock=clock, random=Dice(), emit=heard)


@asynccontextmanager
async def running(downloads: Downloads) -> AsyncIterator[asyncio.Future[None]]:
    task: asyncio.Future[None] = asyncio.ensure_future(downloads.run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_wanted_assets_are_fetched_and_reported_once_they_are_whole(
    downloads: Downloads, server: HostileServer, store: AssetFolder, heard: Heard
) -> None:
    images = [image(number) for number in range(5)]
    for each in images:
        server.on(path(each), serving(each))
    async with running(downloads):
        downloads.want([version(*images)], on_glass=None)
        await asyncio.sleep(1)
    assert [store.path(name(each)).read_bytes() for each in images] == images
    assert heard.events[-1] == AssetsVerified(key=KEY)
    assert heard.of(AssetsMissing)[0] == AssetsMissing(key=KEY, reasons={}, remaining=5)
    assert all(request.headers["authorization"] == "Bearer tok" for request in server.requests)


async def test_a_file_of_which_no_byte_comes_is_told_before_its_download_fails(
    downloads: Downloads, server: HostileServer, heard: Heard
) -> None:
    server.on(path(image(1)), serving(image(1)))
    server.on(path(image(2)), raw(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", then_silence=1e9))
    async with running(downloads):
        downloads.want([version(image(1))], on_glass=None)
        await asyncio.sleep(SILENT_SECONDS + 0.1)
        assert not heard.of(ServiceSilent)
        downloads.want([version(image(1), image(2))], on_glass=None)
        await asyncio.sleep(SILENT_SECONDS + 0.1)
        assert heard.of(ServiceSilent)


@pytest.mark.proves("playlist-screen-changed")
@pytest.mark.parametrize("change", ["nothing", "only what plays", "another version", "another on the glass"])
async def test_a_wish_that_changes_while_a_pass_is_planned_ends_nothing(
    downloads: Downloads, server: HostileServer, heard: Heard, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    for number in (1, 2, 3):
        server.on(path(image(number)), serving(image(number)))
    playing, coming, other = (version(image(number), version=number) for number in (1, 2, 3))
    changed = {"nothing": [], "only what plays": [playing], "another version": [playing, other]}
    changes = [False, True]

    def plan(**facts: Any) -> tuple[sync.Step, ...]:
        if changes and changes.pop(0):
            wanted = changed.get(change, [playing, coming])
            downloads.want(wanted, on_glass=coming.key if change == "another on the glass" else playing.key)
        return sync.plan(**facts)

    monkeypatch.setattr(link, "plan", plan)
    async with running(downloads) as task:
        downloads.want([playing], on_glass=playing.key)
        await asyncio.sleep(1)
        downloads.want([playing, coming], on_glass=playing.key)
        await asyncio.sleep(5)
        assert not changes
        assert not task.done()
        downloads.want([playing, other], on_glass=playing.key)
        await asyncio.sleep(5)
    assert heard.events[-1] == AssetsVerified(key=other.key)


async def test_an_unforeseen_error_in_one_file_keeps_no_other_away(
    downloads: Downloads, server: HostileServer, store: AssetFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = [image(number) for number in range(5)]
    for each in images:
        server.on(path(each), serving(each))
    open_writer = store.open_writer

    def fail(digest: str, size: int) -> Any:
        if digest == name(images[0]):
            raise ZeroDivisionError
        return open_writer(digest, size)

    monkeypatch.setattr(store, "open_writer", fail)
    async with running(downloads) as task:
        downloads.want([version(*images)], on_glass=None)
        await asyncio.sleep(5)
        assert isinstance(task.exception(), ZeroDivisionError), "whoever runs it hears of the error"
    assert set(store.held()) == {name(each) for each in images[1:]}


async def test_what_is_there_is_not_fetched_again(downloads: Downloads, server: HostileServer, heard: Heard) -> None:
    server.on(path(image(1)), serving(image(1)))
    async with running(downloads):
        for _ in range(3):
            downloads.want([version(image(1))], on_glass=None)
            await asyncio.sleep(1)
    assert len(server.requests) == 1
    assert len(heard.of(AssetsVerified)) == 3


@pytest.mark.proves("images-films-damaged")
async def test_files_that_were_damaged_on_the_disk_are_told_until_they_are_whole_again(
    downloads: Downloads, server: HostileServer, store: AssetFolder, heard: Heard
) -> None:
    files = [image(number) for number in range(3)]
    for each in files:
        server.on(path(each), serving(each))
    async with running(downloads):
        downloads.want([version(*files)], on_glass=KEY)
        await asyncio.sleep(1)
        for each in files:
            server.on(path(each), raw(b""))
        store.path(name(files[0])).write_bytes(files[0][:-100])
        store.path(name(files[1])).write_bytes(files[1][:-1] + b"!")
        store.path(name(files[2])).unlink()
        downloads.recheck()
        await asyncio.sleep(200)
        told = {event.subject: event.code for event in heard.of(PartFailed)}
        assert told == dict.fromkeys(map(name, files[:2]), "asset_damaged"), "one that is gone is not damaged"
        assert not heard.of(PartWell), "the finding lasts as long as the fault"
        for each in files:
            server.on(path(each), serving(each))
        await asyncio.sleep(120)
    assert {subject for event in heard.of(PartWell) for subject in event.subjects} == set(told)
    assert heard.events[-1] == AssetsVerified(key=KEY)


async def test_a_program_without_images_is_whole_at_once(downloads: Downloads, heard: Heard) -> None:
    async with running(downloads):
        downloads.want([version()], on_glass=None)
        await asyncio.sleep(1)
    assert heard.events == [AssetsVerified(key=KEY)]


async def test_a_cut_download_goes_on_where_it_stopped(
    downloads: Downloads, server: HostileServer, store: AssetFolder, heard: Heard
) -> None:
    content = image(1, 900_000)
    server.on(path(content), serving(content, cut_after=300_000))
    async with running(downloads):
        downloads.want([version(content)], on_glass=None)
        await asyncio.sleep(30)
    assert store.path(name(content)).read_bytes() == content
    ranges = [request.headers.get("range") for request in server.requests]
    assert ranges == [None, "bytes=300000-", "bytes=600000-"]
    assert heard.events[-1] == AssetsVerified(key=KEY)


async def test_a_restart_goes_on_where_the_last_one_stopped(
    api: ServiceApi,
    server: HostileServer,
    store: AssetFolder,
    token_source: FakeTokenSource,
    clock: VirtualClock,
    heard: Heard,
) -> None:
    content = image(1, 500_000)
    server.on(
        path(content),
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n" + content[:400_000], then_silence=1e9),
        serving(content),
    )
    for _ in range(2):
        downloads = Downloads(api=api, token_source=token_source, store=store, clock=clock, random=Dice(), emit=heard)
        async with running(downloads):
            downloads.want([version(content)], on_glass=None)
            await asyncio.sleep(5)
    assert server.requests[1].headers["range"] == "bytes=400000-"
    assert store.path(name(content)).read_bytes() == content


async def test_a_server_without_ranges_sends_it_whole(
    downloads: Downloads, server: HostileServer, store: AssetFolder
) -> None:
    content = image(1, 400_000)
    server.on(path(content), serving(content, cut_after=300_000), whole(200, content, kind="image/png"))
    async with running(downloads):
        downloads.want([version(content)], on_glass=None)
        await asyncio.sleep(30)
    assert store.path(name(content)).read_bytes() == content


async def missing_after(downloads: Downloads, heard: Heard, wanted: PlaylistVersion) -> Mapping[str, str]:
    async with running(downloads):
        downloads.want([wanted], on_glass=None)
        await asyncio.sleep(link.PASS_PAUSE_SECONDS - 5)
    last = heard.of(AssetsMissing)[-1]
    assert heard.of(AssetsVerified) == []
    assert last.remaining == len(last.reasons)
    return dict(last.reasons)


@pytest.mark.parametrize("size", [1000, 2 * link.PROGRESS_BYTES])
async def test_a_wrong_hash_is_never_put_under_its_name(
    downloads: Downloads, server: HostileServer, store: AssetFolder, heard: Heard, size: int
) -> None:
    content = image(1, size)
    server.on(path(content), whole(200, image(2, size), kind="image/png"))
    reasons = await missing_after(downloads, heard, version(content))
    assert reasons == {name(content): "its hash is wrong"}
    assert store.held() == {}
    assert len(server.requests) == link.ATTEMPTS


async def test_reading_stops_after_the_size(
    downloads: Downloads, server: HostileServer, store: AssetFolder, heard: Heard
) -> None:
    content = image(1)
    server.on(path(content), endless(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n", content * 100))
    reasons = await missing_after(downloads, heard, version(content))
    assert reasons == {name(content): "more than its 1000 bytes were sent"}
    assert sum(store.held().values()) == 0


async def test_too_few_bytes_are_not_enough(downloads: Downloads, server: HostileServer, heard: Heard) -> None:
    content = image(1)
    server.on(path(content), whole(200, content[:-1], kind="image/png"))
    assert await missing_after(downloads, heard, version(content)) == {name(content): "999 bytes instead of 1000"}


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (problem(404), "it answers 404"),
        (whole(200, b"<html>", kind="text/html"), "web page"),
        (raw(b""), "connection broke"),
    ],
)
async def test_trouble_is_tried_a_bounded_number_of_times_and_told(
    downloads: Downloads, server: HostileServer, heard: Heard, rule: Callable[[Request], Answer], says: str
) -> None:
    content = image(1)
    server.on(path(content), rule)
    reasons = await missing_after(downloads, heard, version(content))
    assert says in reasons[name(content)]
    assert len(server.requests) == link.ATTEMPTS


async def test_one_bad_image_does_not_hold_up_the_others(
    downloads: Downloads, server: HostileServer, heard: Heard
) -> None:
    good = [image(number) for number in range(4)]
    for each in good:
        server.on(path(each), serving(each))
    reasons = await missing_after(downloads, heard, version(image(9), *good))
    assert set(reasons) == {name(image(9))}


async def test_a_silent_image_leaves_the_other_place_free(
    downloads: Downloads, server: HostileServer, store: AssetFolder
) -> None:
    server.on(path(image(9)), silence())
    good = [image(number) for number in range(4)]
    for each in good:
        server.on(path(each), serving(each))
    async with running(downloads):
        downloads.want([version(image(9), *good)], on_glass=None)
        await asyncio.sleep(1)
    assert set(store.held()) >= {name(each) for each in good}


async def test_what_failed_is_tried_again_later(downloads: Downloads, server: HostileServer, heard: Heard) -> None:
    content = image(1)
    server.on(path(content), problem(404))
    async with running(downloads):
        downloads.want([version(content)], on_glass=None)
        await asyncio.sleep(30)
        server.on(path(content), serving(content))
        await asyncio.sleep(link.PASS_PAUSE_SECONDS)
    assert heard.events[-1] == AssetsVerified(key=KEY)


async def test_never_more_than_two_at_a_time(downloads: Downloads, server: HostileServer) -> None:
    images = [image(number) for number in range(6)]
    for each in images:
        server.on(path(each), silence())
    async with running(downloads):
        downloads.want([version(*images)], on_glass=None)
        await asyncio.sleep(5)
        assert len(server.requests) == link.AT_A_TIME


async def test_a_newer_wish_breaks_off_the_older(downloads: Downloads, server: HostileServer, heard: Heard) -> None:
    old, new = image(1), image(2)
    server.on(path(old), silence())
    server.on(path(new), serving(new))
    async with running(downloads):
        downloads.want([version(old)], on_glass=None)
        await asyncio.sleep(5)
        downloads.want([version(new, version=2)], on_glass=None)
        await asyncio.sleep(5)
    assert heard.of(AssetsVerified) == [AssetsVerified(key=VersionKey(playlist_id="pl_1", version=2))]


async def test_only_what_nothing_uses_is_deleted(
    downloads: Downloads, server: HostileServer, store: AssetFolder, protected: set[str]
) -> None:
    images = [image(number) for number in range(3)]
    for each in images:
        server.on(path(each), serving(each))
    async with running(downloads):
        downloads.want([version(*images)], on_glass=None)
        await asyncio.sleep(1)
        protected.add(name(images[1]))
        downloads.want([version(images[0], version=2)], on_glass=None)
        await asyncio.sleep(1)
    assert set(store.held()) == {name(images[0]), name(images[1])}


async def test_a_image_that_rots_on_disk_is_noticed_told_and_fetched_again(
    downloads: Downloads, server: HostileServer, store: AssetFolder, heard: Heard
) -> None:
    content = image(1)
    server.on(path(content), serving(content), problem(503, Retry_After="20"), serving(content))
    async with running(downloads):
        downloads.want([version(content)], on_glass=KEY)
        await asyncio.sleep(1)
        store.path(name(content)).write_bytes(image(2))
        store.recheck()
        heard.events.clear()
        downloads.recheck()
        await asyncio.sleep(1)
        assert heard.of(AssetsMissing) == [AssetsMissing(key=KEY, reasons={name(content): None}, remaining=1)]
        await asyncio.sleep(30)
    assert heard.events[-1] == AssetsVerified(key=KEY)
    assert store.path(name(content)).read_bytes() == content


async def test_a_program_that_does_not_fit_is_refused_and_the_other_goes_on(
    downloads: Downloads, server: HostileServer, heard: Heard
) -> None:
    small, large = image(1), [image(2), image(3)]
    for each in (small, *large):
        server.on(path(each), serving(each))
    async with running(downloads):
        downloads.want([version(small), version(*large, version=2, size=VERSION_BUDGET_BYTES // 2 + 1)], on_glass=KEY)
        await asyncio.sleep(1)
    assert heard.of(AssetsVerified) == [AssetsVerified(key=KEY)]
    assert heard.of(PartFailed)[0].code == "no_room"
    assert len(server.requests) == 1
    (missing,) = [event for event in heard.of(AssetsMissing) if event.key.version == 2][-1:]
    assert all("more than the 8.6 GB a version may have" in reason for reason in missing.reasons.values())


async def test_an_image_that_is_whole_by_its_hash_is_used_whatever_size_a_manifest_says(
    downloads: Downloads, server: HostileServer, heard: Heard
) -> None:
    content = image(1)
    server.on(path(content), serving(content))
    async with running(downloads):
        downloads.want([version(content)], on_glass=None)
        await asyncio.sleep(1)
        downloads.want([version(content, version=2, size=999)], on_glass=None)
        await asyncio.sleep(1)
    assert heard.of(AssetsVerified)[-1].key.version == 2
    assert len(server.requests) == 1


async def test_a_full_disk_is_told_and_what_was_there_stays(
    downloads: Downloads, server: HostileServer, store: AssetFolder, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = image(1), image(2, 400_000)
    server.on(path(first), serving(first))
    server.on(path(second), serving(second))
    async with running(downloads):
        downloads.want([version(first)], on_glass=KEY)
        await asyncio.sleep(1)

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr("player.storage.assets.write_all", full)
            downloads.want([version(first), version(second, version=2)], on_glass=KEY)
            await asyncio.sleep(1)
        assert [event.code for event in heard.of(PartFailed)] == ["disk_full"]
        assert heard.of(PartWell) == []
        await asyncio.sleep(link.PASS_PAUSE_SECONDS)
    (failed,) = heard.of(PartFailed)
    assert heard.of(PartWell) == [PartWell(subjects=frozenset({failed.subject}))], "the fault is over"
    assert store.path(name(first)).read_bytes() == first
    assert store.path(name(second)).read_bytes() == second


async def test_a_fault_of_the_disk_is_over_even_if_the_pass_that_found_it_well_was_cut_short(
    downloads: Downloads, server: HostileServer, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = image(1), image(2)
    server.on(path(first), serving(first))
    server.on(path(second), late(30.0, serving(second)))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    async with running(downloads):
        with monkeypatch.context() as patch:
            patch.setattr("player.storage.assets.write_all", full)
            downloads.want([version(first)], on_glass=KEY)
            await asyncio.sleep(1)
        (failed,) = heard.of(PartFailed)
        downloads.want([version(second)], on_glass=KEY)
        await asyncio.sleep(1)
        # Another version comes while the file of this one is on its way.
        downloads.want([version(first)], on_glass=KEY)
        await asyncio.sleep(1)
        assert heard.of(PartWell) == [PartWell(subjects=frozenset({failed.subject}))]


async def test_a_fault_of_the_disk_is_over_when_no_file_is_wanted_any_more(
    downloads: Downloads, server: HostileServer, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = image(1)
    server.on(path(first), serving(first))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("player.storage.assets.write_all", full)
    async with running(downloads):
        downloads.want([version(first)], on_glass=KEY)
        await asyncio.sleep(1)
        (failed,) = heard.of(PartFailed)
        downloads.want([], on_glass=None)
        await asyncio.sleep(1)
        assert heard.of(PartWell) == [PartWell(subjects=frozenset({failed.subject}))]


@pytest.mark.proves("something-stands-asset")
@pytest.mark.parametrize("obstacle", OBSTACLES)
async def test_what_stands_in_an_assets_place_makes_way_for_it_and_holds_up_no_other(
    downloads: Downloads, server: HostileServer, store: AssetFolder, heard: Heard, obstacle: str
) -> None:
    images = [image(number) for number in range(3)]
    for each in images:
        server.on(path(each), serving(each))
    store.path(name(images[1])).parent.mkdir()
    obstruct(store.path(name(images[1])), obstacle)
    async with running(downloads):
        downloads.want([version(*images)], on_glass=None)
        await asyncio.sleep(1)
    assert heard.events[-1] == AssetsVerified(key=KEY)
    assert [store.path(name(each)).read_bytes() for each in images] == images


@pytest.mark.proves("asset-can-neither")
async def test_an_asset_that_the_disk_keeps_from_being_stored_holds_up_no_other(
    downloads: Downloads, server: HostileServer, store: AssetFolder, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = [image(number) for number in range(3)]
    for each in images:
        server.on(path(each), serving(each))
    bad = name(images[1])

    def check(digest: str) -> int | None:
        if digest == bad:
            raise StorageError(code="disk_refused", subject=digest, detail="Permission denied")
        return whole_check(digest)

    whole_check = store.check
    monkeypatch.setattr(store, "check", check)
    async with running(downloads):
        downloads.want([version(*images)], on_glass=None)
        await asyncio.sleep(2 * link.PASS_PAUSE_SECONDS)
        assert server.asked(path(images[1])) == [], "it could not be stored, so it is not fetched in vain"
        monkeypatch.undo()
        await asyncio.sleep(link.PASS_PAUSE_SECONDS)
    assert set(heard.of(PartFailed)) == {PartFailed(subject=bad, code="disk_refused", detail="Permission denied")}
    assert AssetsMissing(key=KEY, reasons={bad: f"{bad}: Permission denied"}, remaining=1) in heard.events
    assert heard.events[-2:] == [AssetsVerified(key=KEY), PartWell(subjects=frozenset({bad}))]


class SmallDisk(AssetFolder):
    """A disk with room for so many bytes of assets."""

    capacity = 0

    def room_bytes(self) -> int:
        return self.capacity - sum(self.held().values())


@pytest.mark.proves("disk-room-versions")
async def test_a_disk_with_room_for_two_versions_takes_one_after_the_other(
    api: ServiceApi,
    server: HostileServer,
    token_source: FakeTokenSource,
    clock: VirtualClock,
    heard: Heard,
    tmp_path: Path,
) -> None:
    with StateStore.open(tmp_path) as state:
        state.assets.__class__, SmallDisk.capacity = SmallDisk, 2500
        downloads = Downloads(
            api=api, token_source=token_source, store=state.assets, clock=clock, random=Dice(), emit=heard
        )
        shared, running_version = image(0, 500), None
        server.on(path(shared), serving(shared))
        async with running(downloads):
            for number in range(1, 6):
                content = image(number)
                server.on(path(content), serving(content))
                wanted = version(shared, content, version=number)
                body = document(wanted)
                state.manifests.keep_staged(body=body, etag=name(body), assets=frozenset(wanted.assets))
                on_glass = running_version.key if running_version else None
                downloads.want([*filter(None, [running_version]), wanted], on_glass=on_glass)
                await asyncio.sleep(1)
                assert heard.events[-1] == AssetsVerified(key=wanted.key), number
                if running_version:
                    assert all(state.assets.check(digest) for digest in running_version.assets), "what plays stays"
                state.manifests.keep_running(
                    body=body,
                    etag=name(body),
                    assets=frozenset(wanted.assets),
                    anchor=datetime(2026, 11, 20, tzinfo=UTC),
                )
                running_version = wanted
                stored = state.manifests.load()[0]
                assert stored.running is not None
                assert stored.running.body == body
                state.manifests.note_assets(etag=name(body), assets=frozenset(wanted.assets))
    assert heard.of(PartFailed) == []


async def test_an_unpaired_device_fetches_nothing(
    downloads: Downloads, server: HostileServer, heard: Heard, token_source: FakeTokenSource
) -> None:
    token_source.token = None
    reasons = await missing_after(downloads, heard, version(image(1)))
    assert reasons == {name(image(1)): "the device is not paired"}
    assert server.requests == []


async def test_progress_is_told_at_most_once_a_second(
    downloads: Downloads, server: HostileServer, heard: Heard
) -> None:
    images = [image(number, 10) for number in range(60)]
    for each in images:
        server.on(path(each), serving(each))
    async with running(downloads):
        downloads.want([version(*images)], on_glass=None)
        await asyncio.sleep(1)
    assert len(heard.of(AssetsMissing)) == 1
    assert len(heard.of(AssetsVerified)) == 1


async def test_why_a_file_is_missing_is_known_while_it_is_tried_again(
    downloads: Downloads, server: HostileServer, heard: Heard, store: AssetFolder
) -> None:
    content = image(1)
    server.on(path(content), serving(content[:-100]))
    async with running(downloads):
        downloads.want([version(content)], on_glass=None)
        await asyncio.sleep(600)
        told = heard.of(AssetsMissing)
        failed = next(number for number, event in enumerate(told) if event.reasons)
        assert len(told) > failed + 4
        assert all(event.reasons for event in told[failed:])
        server.on(path(content), serving(content))
        await asyncio.sleep(600)
    assert heard.events[-1] == AssetsVerified(key=KEY)


async def test_what_the_disk_had_room_for_does_not_fill_the_memory_that_stands_in_for_it(
    api: ServiceApi,
    server: HostileServer,
    clock: VirtualClock,
    heard: Heard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    disk, ram = tmp_path / "disk", tmp_path / "ram"
    disk.mkdir()
    ram.mkdir()
    whole = assets.open_private

    def open_private(file: Path, flags: int) -> object:
        if file.is_relative_to(disk):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return whole(file, flags)

    monkeypatch.setattr(assets, "open_private", open_private)
    monkeypatch.setattr(assets, "MOST_BYTES_IN_MEMORY", 2500)
    store = AssetFolder(disk, protected=frozenset, memory=lambda: ram)
    images = [image(number) for number in range(8)]
    for each in images:
        server.on(path(each), serving(each))
    downloads = Downloads(api=api, token_source=FakeTokenSource(), store=store, clock=clock, random=Dice(), emit=heard)
    async with running(downloads):
        downloads.want([version(*images)], on_glass=None)
        await asyncio.sleep(61)
    held = sum(file.stat().st_size for file in ram.rglob("*") if file.is_file())
    assert held <= 2500
    assert "room" in str(heard.of(AssetsMissing)[-1].reasons[name(images[0])])
