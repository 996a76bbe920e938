"""A screen that is removed, refused or paired with another workspace."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from player.domain.pairing import pairing
from player.domain.pairing.pairing import REFUSED_RETRY_SECONDS, Credentials
from player.domain.state import PairingPhase
from player.domain.view import PairingCard, SceneView
from player.storage.store import StateStore
from tests.player.runtime.network.playing import HELD, ITEMS, LUNCH, PENDING, TOKEN, fresh, heartbeat_answer, playing
from tests.support.hostile import (
    Answer,
    HostileServer,
    Request,
    late,
    problem,
    revocation,
    whole,
)
from tests.support.hostile import document as answer
from tests.support.menus import document, item
from tests.support.virtual import VirtualClock


def refusing(server: HostileServer, rule: Callable[[Request], Answer]) -> None:
    """From now on the service, or what stands in for it, refuses the screen's token."""
    server.on("/manifest", rule)
    server.on("/heartbeat", rule)
    server.on("/token", PENDING)


@pytest.mark.long
@pytest.mark.proves("service-says-screen")
async def test_a_removed_screen_plays_on_for_the_grace_and_then_shows_a_code_and_stores_nothing(
    server: HostileServer, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairing, "GRACE_SECONDS", 600.0)
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        refusing(server, revocation)
        await asyncio.sleep(180)
        assert player.scene == "lunch"
        notice = player.display.orders[-1].notice
        assert notice is not None
        assert notice.user_code == "WDJ-BMJ"
        polls = len(server.asked("/manifest"))
        await asyncio.sleep(300)
        assert 3 <= len(server.asked("/manifest")) - polls <= 6, "a slow pace"
        assert player.scene == "lunch"
        await asyncio.sleep(300)
        assert player.display.orders[-1].notice is None
        assert isinstance(player.display.orders[-1].view, PairingCard)
        assert player.state.pairing.phase is PairingPhase.WAITING
        polls = len(server.asked("/manifest"))
        await asyncio.sleep(180)
        assert len(server.asked("/manifest")) == polls, "no poll while unpaired"
    with StateStore.open(tmp_path) as store:
        assert store.load(service=server.url).manifests.running is None


@pytest.mark.long
@pytest.mark.proves("log-page-proxy", "service-know-token")
@pytest.mark.parametrize(
    ("rule", "banner"),
    [
        (whole(401, b"<html>Log in</html>", kind="text/html"), False),
        (answer(401, {"error": "unauthorized"}), False),
        (problem(401, "token_unknown"), True),
        (problem(401, "unauthenticated"), True),
    ],
    ids=["a middlebox", "a proxy", "a restored service", "an older service"],
)
async def test_no_other_refusal_ever_costs_a_program(
    server: HostileServer,
    clock: VirtualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rule: Callable[[Request], Answer],
    banner: bool,
) -> None:
    monkeypatch.setattr(pairing, "GRACE_SECONDS", 60.0)
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        refusing(server, rule)
        await asyncio.sleep(180)
        assert player.scene == "lunch"
        assert (player.display.orders[-1].notice is not None) is banner
        assert (player.state.contact.fault is not None) is not banner

        server.on("/manifest", HELD)
        server.on("/heartbeat", heartbeat_answer(clock))
        await asyncio.sleep(REFUSED_RETRY_SECONDS + 1)
        assert player.display.orders[-1].notice is None, "accepted again: as before"
        assert player.state.pairing.phase is PairingPhase.PAIRED
        asked = len(server.asked("/token"))
        await asyncio.sleep(100)
        assert len(server.asked("/token")) == asked
    with StateStore.open(tmp_path) as store:
        stored = store.load(service=server.url)
        assert stored.manifests.running is not None
        assert isinstance(stored.credentials, Credentials)


def spoil_credentials(folder: Path) -> None:
    copies = list(folder.glob("credentials*"))
    assert copies
    for copy in copies:
        copy.write_bytes(b"\0" * 100)


@pytest.mark.proves("both-copies-credentials")
async def test_both_copies_of_the_credentials_gone_the_board_plays_on_and_loses_nothing_when_paired(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    body = document(scenes=[LUNCH], items=ITEMS)
    server.on("/manifest", fresh(body), HELD)
    async with playing(tmp_path, server.url, clock):
        await asyncio.sleep(5)
    spoil_credentials(tmp_path)

    server.on("/token", PENDING, PENDING, TOKEN)
    server.on("/manifest", HELD)
    before = len(server.asked("/manifest"))
    async with playing(tmp_path, server.url, clock, paired=False) as player:
        await asyncio.sleep(8)
        assert player.scene == "lunch"
        assert player.display.orders[-1].notice is not None
        await asyncio.sleep(20)
        assert (player.scene, player.display.orders[-1].notice) == ("lunch", None)
        polls = server.asked("/manifest")[before:]
        assert polls[0].headers["if-none-match"] == f'"{sha256(body).hexdigest()}"', "nothing is sent again"
    with StateStore.open(tmp_path) as store:
        assert isinstance(store.load(service=server.url).credentials, Credentials)


@pytest.mark.proves("paired-workspace")
async def test_paired_with_another_workspace_nothing_of_the_old_one_is_left(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    server.on("/manifest", fresh(document(scenes=[LUNCH], items=ITEMS)), HELD)
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        refusing(server, revocation)
        await asyncio.sleep(100)
        assert player.scene == "lunch"
        other = {"access_token": "tok-2", "token_type": "Bearer", "screen_id": "scr_2", "workspace_id": "ws_2"}
        server.on("/token", answer(200, other))
        server.on("/manifest", problem(503))
        await asyncio.sleep(6)
        view = player.display.orders[-1].view
        assert isinstance(view, PairingCard)
        assert view.is_paired
    with StateStore.open(tmp_path) as store:
        stored = store.load(service=server.url)
        assert (stored.manifests.running, stored.manifests.previous) == (None, None)
        assert not stored.forgotten


@pytest.mark.proves("command-restart-sent")
async def test_commands_reach_the_poller_the_display_and_the_supervisor(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    body = document(scenes=[LUNCH], items=ITEMS)
    server.on("/manifest", fresh(body), late(25.0, fresh(body)))
    commands = [{"id": "c1", "type": "reload"}, {"id": "c2", "type": "restart"}]
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(5)
        server.on("/heartbeat", heartbeat_answer(clock, commands=commands))
        await asyncio.sleep(90)
        assert player.restarts == 1
        assert player.store.commands.load().come == ("c1", "c2"), "before the restart"
        assert player.display.forgiven == 1, "a reload lets barred videos play again"
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(90)
        assert player.restarts == 0, "the same command, sent again after the restart"
    asked = [request.headers.get("if-none-match") for request in server.asked("/manifest")]
    assert asked[0] is None
    assert asked[1] == f'"{sha256(body).hexdigest()}"'
    assert asked.count(None) == 2, "a reload asks for the whole manifest"


@pytest.mark.long
@pytest.mark.proves("services-contradict-each")
async def test_two_services_that_contradict_each_other_are_not_asked_without_pause(
    server: HostileServer, clock: VirtualClock, tmp_path: Path
) -> None:
    older = document(scenes=[LUNCH], items=ITEMS, revision=3)
    newer = document(scenes=[LUNCH], items=[*ITEMS, item("Stew", category="Lunch")], revision=4)
    answers = itertools.cycle([fresh(newer), fresh(older)])
    server.on("/manifest", lambda request: next(answers)(request))
    async with playing(tmp_path, server.url, clock) as player:
        await asyncio.sleep(1800)
        asked = len(server.asked("/manifest"))
        rows = {
            tuple(row.name for row in order.view.menus["menu"].sections[0].rows)
            for order in player.display.orders
            if isinstance(order.view, SceneView)
        }
    assert rows == {("Soup", "Stew")}
    assert asked < 120, "as with plain polls"
