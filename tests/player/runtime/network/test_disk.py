"""A disk that is full, refuses or hangs, and what belongs to the page's start."""

from __future__ import annotations

import asyncio
import errno
import io
import logging
import re
import shutil
import socket
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest

from player.device.network import networks
from player.domain import actions as act
from player.domain import events as ev
from player.domain.findings.diagnosis import diagnose
from player.domain.link.announcement import announcement_of
from player.link.discovery import discover
from player.runtime.network_thread import HEALTH_SECONDS
from player.runtime.open_page import AGAIN_SECONDS
from player.storage.store import StateStore
from player.storage.writer import MOST_WRITE_AGAIN_SECONDS
from tests.player.runtime.network.playing import (
    COFFEE,
    HELD,
    HERO,
    ITEMS,
    LUNCH,
    PNG,
    Playing,
    fresh,
    heartbeat_answer,
    playing,
)
from tests.support.hostile import (
    HostileServer,
    late,
    problem,
)
from tests.support.menus import document
from tests.support.programs import free_port
from tests.support.virtual import VirtualClock


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
