"""The page of the running player."""

from __future__ import annotations

import asyncio
import logging
import re
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest

from player.device.network import own_addresses
from player.domain import events as ev
from player.domain.pairing.access import Access
from player.domain.view import PairingCard
from player.runtime.network_thread import HEALTH_SECONDS
from player.settings import PageAccess
from player.storage.store import StateStore
from tests.player.runtime.network.playing import (
    COFFEE,
    HELD,
    HERO,
    HERO_BYTES,
    ITEMS,
    PENDING,
    PNG,
    fresh,
    playing,
    tool_of,
)
from tests.support.hostile import (
    HostileServer,
)
from tests.support.menus import document
from tests.support.virtual import VirtualClock


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
