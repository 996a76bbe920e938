"""A new device pairs, fetches its menu and reports; what goes on between it and the service."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QImage

from player.display.window.screenshot import encode_png
from player.domain import actions as act
from player.domain import events as ev
from player.domain.findings.diagnosis import diagnose
from player.domain.link.connection import Step
from player.domain.link.fault import Fault
from player.domain.pairing.pairing import Credentials
from player.domain.state import PairingPhase
from player.domain.view import PairingCard
from player.runtime.uploads import MAX_SCREENSHOT_BYTES
from player.storage.store import StateStore
from tests.player.runtime.network.playing import (
    COFFEE,
    HELD,
    HERO,
    HERO_BYTES,
    ITEMS,
    LUNCH,
    PNG,
    UNCHANGED,
    fresh,
    heartbeat_answer,
    playing,
    tool_of,
)
from tests.support.hostile import (
    Answer,
    HostileServer,
    Request,
    late,
    problem,
    whole,
)
from tests.support.hostile import document as answer
from tests.support.menus import asset, document, entry, menu_scene
from tests.support.virtual import VirtualClock


async def test_a_new_device_pairs_downloads_and_shows_its_menu_and_stores_everything(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, decoded: Counter[bytes]
) -> None:
    body = document(scenes=[COFFEE], items=ITEMS, images=["hero"])
    server.on("/manifest", fresh(body), HELD)
    async with playing(tmp_path, server.url, clock, paired=False) as player:
        await asyncio.sleep(1)
        assert player.state.pairing.phase is PairingPhase.WAITING
        card = player.display.orders[-1].view
        assert isinstance(card, PairingCard)
        assert card.user_code == "WDJ-BMJ"
        assert not server.asked("/manifest"), "no poll before the pairing"
        await asyncio.sleep(30)
        assert player.scene == "coffee"
        assert player.state.presented.scene_id == "scn_coffee"
        assert player.store.assets.path(HERO).read_bytes() == HERO_BYTES
        assert player.state.rejections == ()
    assert server.asked("/heartbeat")[-1].json["presented"]["sceneId"] == "scn_coffee"
    assert {request.headers["authorization"] for request in server.asked("/manifest")} == {"Bearer tok-1"}
    with StateStore.open(tmp_path) as store:
        stored = store.load(service=server.url)
    assert isinstance(stored.credentials, Credentials)
    assert stored.manifests.running is not None
    assert stored.manifests.running.body == body
    assert stored.manifests.staged is None
    assert decoded[body] == 1, "one arrival decodes the body once"


async def test_a_start_decodes_each_stored_body_once_and_protects_the_assets_of_all(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, decoded: Counter[bytes]
) -> None:
    one = document(scenes=[COFFEE], items=ITEMS, images=["hero", "one"])
    two = document(scenes=[LUNCH], items=ITEMS, version=2, images=["two"])
    latest = document(scenes=[LUNCH], items=ITEMS[1:], version=2, revision=2, images=["two", "latest"])
    staged = document(scenes=[COFFEE], items=ITEMS, version=3, revision=3, images=["hero", "staged"])
    server.on("/manifest", fresh(one), fresh(two), late(20.0, fresh(latest)), HELD)
    for name in ("one", "two", "latest"):
        server.on(f"/assets/sha256:{asset(name)[0]}", whole(200, asset(name)[1], kind="image/png"))
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(60)
        assert player.scene == "lunch"
        server.on("/manifest", fresh(staged), HELD)
        await asyncio.sleep(30)
        assert player.state.staged is not None
    with StateStore.open(tmp_path) as store:
        found = store.load(service=server.url).manifests
        bodies = [each.body for each in (found.running, found.staged, found.previous) if each]
    assert bodies == [latest, staged, one]
    decoded.clear()
    server.on("/manifest", HELD)
    everything = {asset(name)[0] for name in ("hero", "one", "two", "latest", "staged")}
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(30)
        assert player.store.assets.protected() == everything
        assert player.store.assets.path(asset("one")[0]).exists(), "only the version before uses it"
    assert decoded == dict.fromkeys(bodies, 1)


async def test_the_settings_of_a_manifest_reach_poll_and_heartbeat(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    settings = {"waitSeconds": 10, "pollSeconds": 20, "heartbeatSeconds": 12}
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS, settings=settings)), late(10.0, UNCHANGED))
    server.on("/heartbeat", heartbeat_answer(clock, settings=settings))
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        beats = len(server.asked("/heartbeat"))
        await asyncio.sleep(60)
        assert len(server.asked("/heartbeat")) - beats == 5
        assert player.state.settings.heartbeat_seconds == 12
    assert [request.headers["prefer"] for request in server.asked("/manifest")][:3] == ["wait=25", "wait=10", "wait=10"]


async def test_a_changed_view_is_reported_at_once_and_at_most_once_a_second(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    entries = [entry("coffee", 3), entry("lunch", 3)]
    scenes = [menu_scene("coffee", "Coffee"), LUNCH]
    server.on("/manifest", fresh(document(scenes=scenes, entries=entries, items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(2)
        before = len(server.asked("/heartbeat"))
        for _ in range(200):
            player.network.execute(act.SendHeartbeat())
            await asyncio.sleep(0.05)
        beats = server.asked("/heartbeat")[before:]
        assert 9 <= len(beats) <= 11
        assert {beat.json["presented"]["sceneId"] for beat in beats} == {"scn_coffee", "scn_lunch"}


async def test_what_is_wrong_travels_in_the_heartbeat_until_it_is_mended(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    def found() -> list[tuple[str, str]]:
        return [(one["code"], one["who"]) for one in server.asked("/heartbeat")[-1].json["findings"]]

    server.on("/manifest", fresh(document(version=None)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(60)
        expected = [(finding.code, finding.who.value) for finding in diagnose(player.state)]
        assert expected, "nothing to show"
        assert found() == expected
        server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS, revision=2)), HELD)
        await asyncio.sleep(60)
        assert expected[0] not in found()


async def test_what_is_wrong_is_told_within_two_seconds(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(45)
        assert "under_voltage" not in str(server.asked("/heartbeat")[-1].json["findings"])
        player.conductor.handle(ev.HealthRead(health=replace(player.state.health, under_voltage=True)))
        await asyncio.sleep(2)
        assert "under_voltage" in str(server.asked("/heartbeat")[-1].json["findings"])


async def test_a_command_is_carried_out_as_soon_as_a_poll_says_that_there_is_one(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    woken = whole(304, headers={"Menu-Heartbeat": "now"})
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), late(12.0, woken), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(11)
        server.on("/heartbeat", heartbeat_answer(clock, commands=[{"id": "c1", "type": "restart"}]))
        await asyncio.sleep(2)
        assert player.restarts == 1


async def test_an_outage_is_tested_step_by_step_and_so_is_its_end(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    def menu(request: Request) -> Answer:
        rule = fresh(document(scenes=[LUNCH], items=ITEMS)) if "authorization" in request.headers else problem(401)
        return rule(request)

    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        assert player.state.connection is None, "nothing is wrong"
        filtered = whole(403, b"<html>Blocked</html>", kind="text/html")
        server.on("/heartbeat", filtered)
        server.on("/manifest", filtered)
        await asyncio.sleep(50)
        test = player.state.connection
        assert test is not None
        assert test.failure is not None
        assert (test.failure.step, test.failure.fault) == (Step.SERVICE, Fault.NOT_THE_SERVICE)
        assert diagnose(player.state)[0].code == "connection_not_the_service"
        server.on("/heartbeat", heartbeat_answer(clock))
        server.on("/manifest", menu)
        await asyncio.sleep(60)
        assert player.state.connection != test
        assert player.state.connection is not None
        assert player.state.connection.failure is None


@pytest.mark.long
async def test_a_picture_that_is_too_large_for_the_service_is_made_smaller(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    panel = encode_png(QImage(os.urandom(4 * 1440 * 2560), 1440, 2560, QImage.Format.Format_RGB32))
    server.on("/heartbeat", heartbeat_answer(clock, commands=[{"id": "c1", "type": "screenshot"}]))
    async with playing(tmp_path, server.url, clock) as player:
        player.display.png = panel
        await asyncio.sleep(5)
    (sent,) = server.asked("/screenshot")
    image = QImage.fromData(sent.body)
    assert len(sent.body) <= MAX_SCREENSHOT_BYTES < len(panel)
    assert (image.width(), image.height()) == (1080, 1920)


async def test_a_picture_that_cannot_be_read_is_not_sent(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.on("/heartbeat", heartbeat_answer(clock, commands=[{"id": "c1", "type": "screenshot"}]))
    async with playing(tmp_path, server.url, clock) as player:
        player.display.png = PNG + bytes(MAX_SCREENSHOT_BYTES)
        await asyncio.sleep(5)
    assert server.asked("/screenshot") == []
    assert "The picture cannot be made smaller" in caplog.text


@pytest.mark.first_case
@pytest.mark.parametrize("fading", [0.0, 2.0])
async def test_no_digit_of_the_pin_leaves_the_device_in_a_picture(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, caplog: pytest.LogCaptureFixture, fading: float
) -> None:
    """Also where the PIN comes onto the screen while the display waits for the end of a fade, and is used up before
    the picture is there."""
    caplog.set_level(logging.INFO)
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player, tool_of(caplog) as (tool, fields):
        player.display.fading = fading
        player.network.execute(act.Upload(command="c1", what="screenshot"))
        pictures = [asyncio.ensure_future(tool.get("/bundle.zip"))]
        await asyncio.sleep(1.0)
        assert (await tool.post("/pin", data=fields)).status_code == 200
        pin = player.display.orders[-1].pin
        assert pin is not None
        player.network.execute(act.Upload(command="c1", what="screenshot"))
        pictures.append(asyncio.ensure_future(tool.get("/bundle.zip")))
        await asyncio.sleep(1.5)
        assert (await tool.post("/sign-in", data={**fields, "pin": pin.digits})).status_code == 303
        bundles = [(await picture).content for picture in pictures]
        await asyncio.sleep(fading)
    for content in (*bundles, *(request.body for request in server.asked("/screenshot"))):
        assert pin.digits.encode() not in content
    for content in bundles:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert not [name for name in archive.namelist() if pin.digits.encode() in archive.read(name)]
    assert len(server.asked("/screenshot")) == (1 if fading == 0.0 else 0)
    assert "the PIN is on the screen" in caplog.text


async def test_the_service_gets_a_picture_and_the_log_when_it_asks(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    taken = answer(200, {"receivedAt": "2026-11-20T12:00:00.000Z"})
    server.on("/screenshot", taken)
    server.on("/logs", problem(500), taken)
    commands = [{"id": "c1", "type": "screenshot"}, {"id": "c2", "type": "sendLogs"}]
    server.on("/heartbeat", heartbeat_answer(clock, commands=commands))
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        (picture,) = server.asked("/screenshot")
        (lines,) = server.asked("/logs")
        assert (picture.method, picture.body, picture.headers["content-type"]) == ("PUT", PNG, "image/png")
        assert lines.headers["authorization"] == "Bearer tok-1"
        assert b"tok-1" not in lines.body
        assert not player.stop.is_set(), "one that is not taken costs nothing"
    told = {one["id"]: one for beat in server.asked("/heartbeat") for one in beat.json["results"]}
    assert (told["c1"]["outcome"], told["c1"]["detail"]) == ("done", "A picture of the screen was sent.")
    assert told["c2"]["outcome"] == "failed"
    assert told["c2"]["detail"].startswith("The service did not take it: ")


async def test_a_result_is_told_at_once_and_until_a_heartbeat_is_answered(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(10)
        commanded = heartbeat_answer(clock, commands=[{"id": "c1", "type": "identify"}])
        server.on("/heartbeat", commanded, problem(503), heartbeat_answer(clock))
        before = len(server.asked("/heartbeat"))
        player.network.execute(act.SendHeartbeat())
        await asyncio.sleep(2)
        beats = server.asked("/heartbeat")[before:]
        assert [one["id"] for beat in beats for one in beat.json["results"]] == ["c1"]
        await asyncio.sleep(90)
        beats = server.asked("/heartbeat")[before:]
        assert [[one["outcome"] for one in beat.json["results"]] for beat in beats[:4]] == [[], ["done"], ["done"], []]
        assert player.state.results == ()


async def test_a_restart_is_done_once_the_player_runs_again(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    commanded = heartbeat_answer(clock, commands=[{"id": "c1", "type": "restart"}])
    server.on("/heartbeat", commanded, heartbeat_answer(clock))
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(3)
        assert player.restarts == 1
    assert all(not beat.json["results"] for beat in server.asked("/heartbeat"))
    async with playing(tmp_path, server.url, clock):
        before = len(server.asked("/heartbeat"))
        await asyncio.sleep(3)
    (result,) = server.asked("/heartbeat")[before].json["results"]
    assert (result["id"], result["outcome"], result["detail"]) == ("c1", "done", "The player runs again.")
