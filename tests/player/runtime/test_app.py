"""The start: what the player makes of its state directory, before any network."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QTimer

from player.domain import actions as act
from player.domain import events as ev
from player.domain.machine import WindowMode
from player.domain.pairing.pairing import Credentials, LastPairing
from player.domain.playing import board as boards
from player.domain.playing.board import Board, Restored
from player.domain.recovery import fallback
from player.domain.recovery.failures import Failures
from player.domain.view import HouseCard, SceneView
from player.runtime import app
from player.runtime.app import FAILED, JOIN_SECONDS, MAX_EARLY_EVENTS, Player
from player.runtime.network_thread import NetworkThread
from player.runtime.restore import restore
from player.runtime.starts import Starts, forget_failures_of_another_version, read_failures, write_failures
from player.settings import Settings
from player.storage.failures import FailureFile
from player.storage.store import StateStore
from tests.support.menus import NOON, item, manifest, menu_scene
from tests.support.patience import PATIENCE_SECONDS

SERVICE = "http://127.0.0.1:9"
SCENE = menu_scene("coffee", "Coffee")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[StateStore]:
    """A paired device with a version that ran before."""
    with StateStore.open(tmp_path / "state") as store:
        store.credentials.keep_credentials(Credentials(service=SERVICE, token="t" * 43, screen_id="scr_1"))
        found, body = manifest(scenes=[SCENE], items=[item("Espresso")])
        store.manifests.keep_running(body=body, etag=found.etag, assets=found.listed_assets, anchor=NOON)
        yield store


def settings(tmp_path: Path) -> Settings:
    return Settings(
        service=SERVICE, state=tmp_path / "state", mode=WindowMode.OFFSCREEN, size=(320, 180), diagnostics_port=0
    )


@pytest.mark.usefixtures("qtbot")
def test_the_menu_on_the_disk_is_what_the_first_frame_is_made_of(store: StateStore, tmp_path: Path) -> None:
    player = Player(settings=settings(tmp_path), store=store)
    try:
        view = player.state.view
        assert isinstance(view, SceneView)
        assert view.scene.name == "coffee"
        assert player.state.contact.last_answer_at is None
    finally:
        player.close()


@pytest.mark.usefixtures("qtbot")
def test_a_stored_version_that_makes_the_player_fail_costs_that_version_and_not_every_start(
    store: StateStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = boards.restore

    def fail(restored: Restored) -> Board:
        if restored.running is not None:
            raise ZeroDivisionError
        return whole(restored)

    monkeypatch.setattr(boards, "restore", fail)
    player = Player(settings=settings(tmp_path), store=store)
    try:
        assert isinstance(player.state.view, HouseCard)
        assert player.state.pairing.screen_id == "scr_1", "the pairing is not lost with it"
        assert [part.code for part in player.state.rejections] == ["state_unplayable"]
        assert player.newest_etag is None, "the service is asked for the whole manifest"
    finally:
        player.close()


@pytest.mark.usefixtures("qtbot")
def test_a_network_thread_that_fails_at_once_ends_the_player_for_its_supervisor_and_is_not_started_twice(
    store: StateStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("player.runtime.network_thread.NetworkThread", fail)
    player = Player(settings=settings(tmp_path), store=store)
    try:
        assert QCoreApplication.exec() == 0
        assert player.exit_code == FAILED
        player._display.stage.firstViewShown.emit()
        assert isinstance(player.state.view, SceneView), "the menu shows until the end"
    finally:
        player.close()


@pytest.mark.usefixtures("qtbot")
def test_garbage_is_collected_again_once_the_board_is_on(store: StateStore, tmp_path: Path) -> None:
    gc.disable()
    player = Player(settings=settings(tmp_path), store=store)
    try:
        soon = QTimer()
        soon.timeout.connect(lambda: gc.isenabled() and QCoreApplication.exit(0))
        soon.start(5)
        QCoreApplication.exec()
        assert gc.isenabled()
        assert isinstance(player.state.view, SceneView)
    finally:
        player.close()
        gc.enable()
        gc.unfreeze()


def test_a_manifest_that_cannot_be_read_falls_back_to_the_one_before(store: StateStore) -> None:
    store.manifests.keep_running(body=b'{"format": 99}', etag="f" * 64, assets=frozenset(), anchor=NOON)
    restored = restore(store.load(service=SERVICE), store)
    assert restored.running is not None
    assert restored.running.version is not None
    assert restored.running.version.key.version == 1
    assert [part.code for part in restored.rejections] == ["format_unknown"]


def restored_for(store: StateStore, service: str = SERVICE) -> Restored:
    return restore(store.load(service=service), store)


def test_a_device_that_lost_its_credentials_plays_on(store: StateStore, tmp_path: Path) -> None:
    for path in (tmp_path / "state").glob("credentials*"):
        path.write_bytes(b"torn")
    restored = restored_for(store)
    assert (restored.screen_id, restored.forgotten) == (None, False)
    assert restored.running is not None

    store.last_pairing.save(LastPairing(service=SERVICE, screen_id="scr_1"))
    assert restored_for(store).running is not None


@pytest.mark.proves("paired-workspace")
def test_the_menu_of_another_workspace_or_service_is_not_restored(store: StateStore) -> None:
    store.last_pairing.save(LastPairing(service=SERVICE, screen_id="scr_9"))
    restored = restored_for(store)
    assert (restored.screen_id, restored.running, restored.newest_etag) == ("scr_1", None, None)
    assert restored.forgotten

    store.last_pairing.save(LastPairing(service=SERVICE, screen_id="scr_1"))
    other = restored_for(store, "https://other.example.com")
    assert (other.screen_id, other.running, other.forgotten) == (None, None, False)
    assert restored_for(store).running is not None, "nothing is lost by a wrong address"


@pytest.mark.proves("stop-first-second")
@pytest.mark.usefixtures("qtbot")
@pytest.mark.parametrize("stage", ["import", "construction", "first_turn"])
def test_a_stop_while_the_network_thread_is_being_set_up_is_honoured_and_the_store_outlives_the_thread(
    store: StateStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    """The thread is held where a stop finds it, until the stop has been asked for."""
    reached, asked = threading.Event(), threading.Event()

    def hold() -> None:
        reached.set()
        assert asked.wait(PATIENCE_SECONDS)

    class Held(NetworkThread):
        def __init__(self, **more: Any) -> None:
            if stage == "construction":
                hold()
            super().__init__(**more)

        async def run(self, stop: asyncio.Event) -> None:
            if stage == "first_turn":
                hold()
            await super().run(stop)

    whole = asyncio.run

    def run_held(work: Coroutine[Any, Any, None]) -> None:
        if stage == "import":
            hold()
        whole(work)

    monkeypatch.setattr(asyncio, "run", run_held)
    monkeypatch.setattr("player.runtime.network_thread.NetworkThread", Held)
    player = Player(settings=settings(tmp_path), store=store)
    player._start_network()
    assert reached.wait(PATIENCE_SECONDS)
    threading.Timer(0.1, asked.set).start()
    began = time.monotonic()
    assert player.close(), "the thread has ended"
    assert time.monotonic() - began < JOIN_SECONDS / 2


@pytest.mark.usefixtures("qtbot")
def test_a_network_thread_that_does_not_end_keeps_the_store_open(
    store: StateStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    monkeypatch.setattr(asyncio, "run", lambda work: (work.close(), released.wait(PATIENCE_SECONDS)))
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    player = Player(settings=settings(tmp_path), store=store, join_seconds=0.05)
    player._start_network()
    try:
        app._close_or_exit(player)
        assert ended == [FAILED]
    finally:
        released.set()


@pytest.mark.usefixtures("qtbot")
def test_of_the_events_before_the_network_thread_the_newest_are_kept(store: StateStore, tmp_path: Path) -> None:
    player = Player(settings=settings(tmp_path), store=store, first_frame_seconds=3600.0)
    try:
        for serial in range(MAX_EARLY_EVENTS + 10):
            player.post_event(ev.FramePresented(serial=serial, at=0.0))
        kept = [event.serial for event in player._early_events if isinstance(event, ev.FramePresented)]
        assert kept == list(range(10, MAX_EARLY_EVENTS + 10))
    finally:
        player.close()


def test_a_run_that_dies_after_its_first_frame_is_counted_until_the_next_boot(tmp_path: Path) -> None:
    file = FailureFile(tmp_path).part(fallback.is_start)

    def start(boot_id: str = "boot-1") -> Starts:
        starts = Starts(file, now=lambda: NOON, boot_id=boot_id)
        starts.begin()
        return starts

    def die(starts: Starts) -> None:
        starts._worker.close()

    for number in range(3):
        starts = start()
        assert (starts.crashes, starts.count) == (number, 0)
        starts.succeed()
        die(starts)
    starts = start()
    assert (starts.crashes, starts.count) == (3, 0)
    die(starts)
    starts = start()
    assert (starts.crashes, starts.count) == (3, 1), "that one died before its first frame"
    starts.succeed()
    starts.close()
    starts = start()
    assert (starts.crashes, starts.count) == (3, 0), "the one before it ended in order"
    starts.succeed()
    die(starts)
    assert start("boot-2").crashes == 0, "the power may have failed"


@pytest.mark.proves("plug-pulled-before")
def test_starts_that_are_unplugged_before_their_first_frame_count_for_nothing(tmp_path: Path) -> None:
    file = FailureFile(tmp_path).part(fallback.is_start)
    for number in range(2 * fallback.STARTS_WITH_SAFE_CARD):
        starts = Starts(file, now=lambda: NOON, boot_id=f"boot-{number}")
        assert (starts.count, starts.died) == (0, False)
        starts.begin()
    for died in range(2):
        starts = Starts(file, now=lambda: NOON, boot_id="the last")
        assert (starts.count, starts.died) == (died, died > 0)
        starts.begin()
    starts = Starts(file, now=lambda: NOON, boot_id="after a power cut")
    assert (starts.count, starts.died) == (1, False), "what died while the machine was on counts on"


@pytest.mark.proves("later-version-written")
def test_what_failed_in_another_version_of_the_player_is_forgotten_with_it(store: StateStore) -> None:
    """After a way back from a version that showed nothing the menu shows, and not the safe card."""

    def start(version: str) -> Starts:
        forget_failures_of_another_version(store, version=version)
        starts = Starts(store.starts, now=lambda: datetime.now(UTC), boot_id="boot-1", version=version)
        starts.begin()
        return starts

    now = datetime.now(UTC)
    start("0.3.0")
    for _ in range(3):
        again = start("0.3.0")
    assert again.count == 3, "its own deaths count"
    write_failures(store.failures, Failures().failed(fallback.DISPLAY, now, times=fallback.MOST_DISPLAY_FAILURES))
    assert fallback.shows_safe_card(read_failures(store.failures), now)

    back = start("0.2.0")
    assert (back.count, back.died, back.crashes) == (0, False, 0)
    assert not fallback.shows_safe_card(read_failures(store.failures), now)
    back.succeed()
    back.close()
    write_failures(store.failures, Failures().failed(fallback.DISPLAY, now))
    start("0.2.0")
    assert read_failures(store.failures).of(fallback.DISPLAY, now) == 1, "what is of this version stays"


@pytest.mark.usefixtures("qtbot")
def test_a_network_thread_that_starts_before_the_first_view_is_built_leaves_no_action_out(
    store: StateStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first view takes longer than START_ANYWAY_SECONDS, and is there just as the thread executes the actions."""
    executing, done, ran = threading.Event(), threading.Event(), threading.Event()
    executed: list[type[act.Action]] = []
    execute: Callable[[NetworkThread, act.Action], None] = NetworkThread.execute

    def follow(network: NetworkThread, action: act.Action) -> None:
        executed.append(type(action))
        execute(network, action)
        if len(executed) == 1:
            executing.set()
            done.wait(PATIENCE_SECONDS)

    class Watched(NetworkThread):
        async def run(self, stop: asyncio.Event) -> None:
            ran.set()
            await super().run(stop)

    show_first = Player._show_first_order
    ordered: list[type[act.Action]] = []

    def slow(player: Player) -> None:
        ordered.extend(type(action) for action in player._early_actions)
        player._start_network()
        assert executing.wait(PATIENCE_SECONDS)
        show_first(player)
        done.set()

    monkeypatch.setattr(NetworkThread, "execute", follow)
    monkeypatch.setattr(Player, "_show_first_order", slow)
    monkeypatch.setattr("player.runtime.network_thread.NetworkThread", Watched)
    player = Player(settings=settings(tmp_path), store=store)
    try:
        assert ran.wait(PATIENCE_SECONDS)
        assert set(ordered) <= set(executed)
    finally:
        player.close()
