"""Orders are on the glass, or the board says that they are not and goes on with what it can show."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QImage

from menu.documents.manifest_reader import read_manifest
from player.display.window.screenshot import is_flat
from player.domain.pairing.pairing import Credentials
from player.domain.recovery.fallback import STARTS_WITH_PREVIOUS
from player.domain.recovery.liveness import ORDER_WITHIN_SECONDS
from player.storage.store import StateStore
from tests.e2e.conftest import Shop
from tests.support.compositor import Compositor, x_server
from tests.support.menus import NOON, document, entry, item, menu_scene
from tests.support.programs import eventually, on_glass
from tests.support.supervisor import SupervisedPlayer, copy_of_the_player

BACK_WITHIN_SECONDS = 30.0
NOWHERE = "http://127.0.0.1:9"


def codes(state: dict[str, Any]) -> list[str]:
    return [part["code"] for part in state["rejections"]]


def found(state: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in state["findings"]]


def store_versions(player: SupervisedPlayer, *bodies: bytes) -> None:
    """The board has these versions on its disk; the last one runs."""
    with StateStore.open(player.state_folder) as store:
        store.credentials.keep_credentials(Credentials(service=player.service, token="t" * 43, screen_id="scr_1"))
        for body in bodies:
            manifest = read_manifest(body)
            assets = manifest.listed_assets
            store.manifests.keep_running(body=body, etag=manifest.etag, assets=assets, anchor=NOON)


@pytest.fixture
def player(tmp_path: Path) -> SupervisedPlayer:
    player = SupervisedPlayer(tmp_path, NOWHERE)
    player.folder = tmp_path / "installed"
    copy_of_the_player(player.folder)
    return player


def damage(player: SupervisedPlayer, file: str, content: str) -> None:
    assert player.folder is not None
    (player.folder / "player/display/qml" / file).write_text(content)


COFFEE = document(scenes=[menu_scene("coffee", "Coffee")], items=[item("Espresso")])


@pytest.mark.long
@pytest.mark.proves("qml-load-draws")
@pytest.mark.parametrize(
    ("file", "content", "code"),
    [
        ("widgets/ListWidget.qml", "import QtQuick\nItem { required property QtObject list; oops }", "order_refused"),
        pytest.param(
            "views/Scene.qml",
            "import QtQuick\nRectangle { color: 'navy' }",
            "frame_blank",
            marks=pytest.mark.long,
        ),
    ],
    ids=["does_not_load", "draws_nothing"],
)
def test_a_scene_that_is_not_on_the_glass_is_not_reported_and_the_house_card_shows_in_its_place(
    player: SupervisedPlayer, file: str, content: str, code: str
) -> None:
    store_versions(player, COFFEE)
    damage(player, file, f"import QtQuick\n{content}")
    with player.supervised():
        seen = player.wait_for("it is reported", lambda state: code in codes(state))
        assert seen["presented"]["kind"] == "nothing"
        assert code in found(seen)
        last = player.wait_for("the house card shows", lambda state: state["presented"]["kind"] == "house")
        assert "scene_fails" in codes(last)
        assert player.ends == [75], player.log.read_text()


@pytest.fixture
def failing(tmp_path: Path) -> SupervisedPlayer:
    """A player whose display fails over scenes that the test names."""
    player = SupervisedPlayer(tmp_path, NOWHERE)
    player.module = "tests.support.failing_player"
    return player


def two_scenes(*names: str, version: int = 1, seconds: int = 5) -> bytes:
    scenes = [menu_scene(name, "Coffee") for name in names]
    entries = [entry(name, seconds) for name in names]
    return document(version=version, scenes=scenes, entries=entries, items=[item(f"Espresso {version}")])


@pytest.mark.proves("scene-display-refuses")
@pytest.mark.long
def test_a_scene_that_the_display_refuses_is_passed_over_after_one_restart(failing: SupervisedPlayer) -> None:
    store_versions(failing, two_scenes("good", "bad"))
    failing.environment["MENU_TEST_REFUSED"] = "bad"
    with failing.supervised() as player:
        state = player.wait_for("it is passed over", lambda state: "scene_fails" in codes(state))
        state = player.wait_for("the other shows", lambda state: state["presented"]["sceneId"] == "scn_good")
        assert [part["subject"] for part in state["rejections"] if part["code"] == "scene_fails"] == ["scn_bad"]
        assert player.ends in ([], [75]), player.log.read_text()
        before = len(player.ends)
        # It stays so over a restart of the device.
        player.kill()
        player.wait_for("it is known", lambda state: len(player.ends) > before and "scene_fails" in codes(state))
        player.wait_for("the other shows", lambda state: state["presented"]["sceneId"] == "scn_good")
        assert len(player.ends) == before + 1


@pytest.mark.long
@pytest.mark.proves("version-scene-can")
def test_a_version_that_fails_gives_way_to_the_one_before_with_the_newest_items(failing: SupervisedPlayer) -> None:
    store_versions(failing, two_scenes("old"), two_scenes("new", "newer", "newest", version=2, seconds=2))
    failing.environment["MENU_TEST_REFUSED"] = "new,newer,newest"
    with failing.supervised() as player:
        state = player.wait_for("the version before", lambda state: state["presented"]["version"] == 1)
        assert "version_fails" in codes(state)
        assert "Espresso 2" in str(state["ordered"]), "items are live, whatever version plays"
        assert len(player.ends) <= 4


@pytest.mark.proves("starts-die-before")
@pytest.mark.long
def test_starts_that_die_before_a_frame_leave_out_what_came_last(failing: SupervisedPlayer) -> None:
    store_versions(failing, two_scenes("old"), two_scenes("new", version=2))
    failing.environment["MENU_TEST_DEADLY"] = "new"
    with failing.supervised() as player:
        player.wait_for("the version before", lambda state: state["presented"]["version"] == 1)
        assert player.ends == [-signal.SIGSEGV] * STARTS_WITH_PREVIOUS


@pytest.mark.proves("damaged-files-player")
@pytest.mark.long
def test_a_board_with_nothing_to_fall_back_on_shows_the_safe_card_and_a_new_version_brings_it_back(
    shop: Shop, tmp_path: Path
) -> None:
    scene = shop.scene("Coffee", "Coffee")
    playlist = shop.playlist("All day", (scene, 10))
    screen = shop.pair(playlist)
    shop.player.wait_for("the menu shows", lambda state: "Espresso" in on_glass(state))
    shop.player.end()

    player = SupervisedPlayer(tmp_path, shop.service.address)
    player.folder = tmp_path / "installed"
    whole = copy_of_the_player(player.folder) / "display/qml/Stage.qml"
    content = whole.read_text()
    damage(player, "Stage.qml", "import QtQuick\nRectangle { oops }")
    with player.supervised():
        player.wait_for("the safe card", lambda state: "safe_card" in codes(state))
        image = QImage.fromData(player.glass(), "PNG")  # type: ignore[call-overload]
        assert not is_flat(image)

        def told() -> bool:
            seen = shop.service.get(f"/screens/{screen}")
            codes = [fault["code"] for fault in seen["errors"]]
            return seen["presented"]["kind"] == "nothing" and "safe_card" in codes

        eventually(told, what="the service knows that the menu does not show")
        whole.write_text(content)
        shop.append(playlist, shop.scene("Lunch", "Lunch"), 10)
        shop.publish(playlist)
        player.wait_for("the menu is back", lambda state: on_glass(state))
        eventually(lambda: not told(), what="the service knows that it is back")


@pytest.mark.proves("server-stops-display")
@pytest.mark.long
def test_a_display_that_hangs_ends_the_process_without_it(failing: SupervisedPlayer) -> None:
    store_versions(failing, two_scenes("good", "bad", seconds=10))
    failing.environment["MENU_TEST_HANGING"] = "bad"
    began = time.monotonic()
    with failing.supervised() as player:
        player.wait_for("it is passed over", lambda state: "scene_fails" in codes(state))
        player.wait_for("the other shows", lambda state: state["presented"]["sceneId"] == "scn_good")
        assert time.monotonic() - began < BACK_WITHIN_SECONDS
        assert player.ends == [75], player.log.read_text()


class Unit:
    """The player and cage under a supervisor that hears `WATCHDOG=trigger`, as the unit of systemd is."""

    def __init__(self, player: SupervisedPlayer, compositor: Compositor, folder: Path) -> None:
        self.player = player
        self.compositor = compositor
        self.messages: list[str] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / "notify"))
        player.environment |= {"NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": "400000"}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self.messages.append(message := self._socket.recv(4096).decode())
                if message == "WATCHDOG=trigger":
                    # systemd ends the whole unit, and starts it again.
                    self.player.kill()
                    self.compositor.kill()
                    self.compositor.start()
                    self.player.environment |= self.compositor.environment

    def close(self) -> None:
        self._socket.close()
        self.compositor.close()


@pytest.fixture
def unit(tmp_path: Path) -> Iterator[Unit]:
    compositor = Compositor()
    compositor.start()
    player = SupervisedPlayer(tmp_path, NOWHERE)
    player.display = ()
    player.environment |= {**compositor.environment, "QT_QUICK_BACKEND": "software"}
    store_versions(player, COFFEE)
    unit = Unit(player, compositor, tmp_path)
    yield unit
    unit.close()


@pytest.mark.proves("compositor-stops")
@pytest.mark.long
def test_a_compositor_that_stops_is_noticed_and_the_menu_is_back_within_half_a_minute(unit: Unit) -> None:
    with unit.player.supervised() as player:
        player.wait_for("the menu shows", lambda state: "Espresso" in on_glass(state))
        eventually(lambda: "WATCHDOG=1" in unit.messages, what="the watchdog is fed")
        unit.compositor.freeze()
        frozen = time.monotonic()
        seen = player.wait_for("it is noticed", lambda state: "frames_stopped" in codes(state))
        assert seen["presented"]["kind"] == "nothing"
        unit.messages.clear()
        eventually(lambda: "WATCHDOG=trigger" in unit.messages, what="systemd is asked to restart the unit")
        assert "WATCHDOG=1" not in unit.messages, "the watchdog is not fed meanwhile"
        player.wait_for("the menu is back", lambda state: len(player.ends) == 1 and "Espresso" in on_glass(state))
        assert time.monotonic() - frozen < BACK_WITHIN_SECONDS


@pytest.mark.proves("compositor-stops")
@pytest.mark.long
def test_a_compositor_that_stops_is_noticed_although_scenes_go_on_to_fade(unit: Unit) -> None:
    """A fade begins with a picture of what leaves, which Qt reports as a frame, whether anybody takes it or not."""
    scenes = [menu_scene(name, "Coffee") for name in ("one", "two", "three", "four")]
    entries = [entry(name, 5) for name in ("one", "two", "three", "four")]
    store_versions(unit.player, document(version=2, scenes=scenes, entries=entries, items=[item("Espresso")]))
    with unit.player.supervised() as player:
        player.wait_for("a scene shows", lambda state: state["presented"]["kind"] == "scene")
        player.wait_for("the next one", lambda state: state["presented"]["sceneId"] == "scn_two")
        unit.compositor.freeze()
        frozen = time.monotonic()
        eventually(lambda: "WATCHDOG=trigger" in unit.messages, what="systemd is asked to restart the unit")
        player.wait_for("a scene is back", lambda state: player.ends and state["presented"]["kind"] == "scene")
        assert time.monotonic() - frozen < BACK_WITHIN_SECONDS


@pytest.mark.long
def test_a_compositor_ends_with_the_process_that_started_it() -> None:
    lines = (
        "from tests.support.compositor import Compositor; c = Compositor(); c.start(); print(c.process.pid); input()"
    )
    with subprocess.Popen([sys.executable, "-c", lines], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as test:
        assert test.stdout is not None
        cage = int(test.stdout.readline())
        [kept_open] = children(cage)
        test.kill()
        for process in (cage, kept_open):
            eventually(lambda process=process: not runs(process), what="it has ended")  # type: ignore[misc]


def children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def runs(process: int) -> bool:
    """Whether it exists, and not only because nobody has asked for its exit code."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


@pytest.mark.proves("server-stops-display")
@pytest.mark.long
def test_an_x_server_that_stops_is_noticed_too(failing: SupervisedPlayer) -> None:
    store_versions(failing, COFFEE)
    failing.display = ()
    with x_server() as (display, server):
        failing.environment |= {"QT_QPA_PLATFORM": "xcb", "DISPLAY": display, "QT_QUICK_BACKEND": "software"}
        with failing.supervised() as player:
            player.wait_for("the menu shows", lambda state: "Espresso" in on_glass(state))
            server.send_signal(signal.SIGSTOP)
            player.wait_for("it is noticed", lambda state: "display_hangs" in codes(state))
            eventually(lambda: player.ends, what="the process ends, though its display does not")
            server.send_signal(signal.SIGCONT)
            player.wait_for("the menu is back", lambda state: "Espresso" in on_glass(state))


def xrandr(display: str, *arguments: str) -> None:
    """Without `--fb`, it fails where no output is left, having switched it off."""
    subprocess.run(["xrandr", "--display", display, "--output", "screen", *arguments], check=False, capture_output=True)


@pytest.mark.proves("screen-unplugged-none")
@pytest.mark.long
def test_a_board_without_a_screen_goes_on_and_shows_when_one_is_connected(failing: SupervisedPlayer) -> None:
    store_versions(failing, COFFEE)
    failing.display = ()
    with x_server() as (display, _):
        failing.environment |= {"QT_QPA_PLATFORM": "xcb", "DISPLAY": display, "QT_QUICK_BACKEND": "software"}
        xrandr(display, "--off")
        with failing.supervised() as player:
            seen = player.wait_for("it says so", lambda state: "no_screen" in found(state))
            assert seen["presented"]["kind"] == "nothing"
            for _ in range(2):
                xrandr(display, "--auto")
                player.wait_for("the menu shows", lambda state: on_glass(state) and "no_screen" not in found(state))
                assert size_of(player.glass()) == (1280, 720)
                xrandr(display, "--off")
                player.wait_for("it says so", lambda state: "no_screen" in found(state))
            assert player.ends == []


def with_mode(display: str, width: int, height: int) -> None:
    """Let the screen change to a mode of this size."""
    name = f"{width}x{height}"
    timings = (0, width, 0, 0, width, height, 0, 0, height)
    for arguments in (
        ("--newmode", name, *map(str, timings)),
        ("--addmode", "screen", name),
        ("--output", "screen", "--mode", name),
    ):
        subprocess.run(["xrandr", "--display", display, *arguments], check=True, capture_output=True)


@pytest.mark.proves("screen-changes-mode")
@pytest.mark.long
def test_a_screen_that_changes_its_mode_is_filled_again(failing: SupervisedPlayer) -> None:
    store_versions(failing, COFFEE)
    failing.display = ()
    with x_server() as (display, _):
        failing.environment |= {"QT_QPA_PLATFORM": "xcb", "DISPLAY": display, "QT_QUICK_BACKEND": "software"}
        with failing.supervised() as player:
            player.wait_for("the menu shows", lambda state: "Espresso" in on_glass(state))
            for size in ((800, 600), (600, 720)):
                with_mode(display, *size)
                eventually(lambda size=size: size_of(player.glass()) == size, what=f"the glass is {size}")  # type: ignore[misc]
            player.wait_for("the menu still shows", lambda state: "Espresso" in on_glass(state))
            assert player.ends == []


def size_of(picture: bytes) -> tuple[int, int]:
    image = QImage.fromData(picture, "PNG")  # type: ignore[call-overload]
    return image.width(), image.height()


@pytest.mark.proves("screen-unplugged-none")
@pytest.mark.long
def test_a_compositor_without_a_screen_does_not_end_the_player(tmp_path: Path) -> None:
    compositor = Compositor(screens=0)
    compositor.start()
    player = SupervisedPlayer(tmp_path, NOWHERE)
    player.display = ()
    player.environment |= {**compositor.environment, "QT_QUICK_BACKEND": "software"}
    store_versions(player, COFFEE)
    try:
        with player.supervised():
            player.wait_for("it says so", lambda state: "no_screen" in found(state))
            # Longer than an order may take: where nobody could see it, it is not late.
            until = time.monotonic() + ORDER_WITHIN_SECONDS + 3
            player.wait_for("time passes", lambda state: time.monotonic() > until)
            assert player.ends == []
    finally:
        compositor.close()
