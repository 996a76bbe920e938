"""A player that cannot start says what to mend, on the glass, and starts once it is mended."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.compositor import x_server
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import Player, eventually

NOWHERE = "http://127.0.0.1:9"


class KeptPlayer(Player):
    """As a unit has it: everything comes from the configuration file."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, NOWHERE)
        self.config = folder / "config.toml"
        self.channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.channel.bind(str(folder / "notify"))
        self.channel.settimeout(PATIENCE_SECONDS)
        self.environment["NOTIFY_SOCKET"] = str(folder / "notify")
        self.right = f'service = "{NOWHERE}"\nmode = "offscreen"\nstate = "{self.state_folder}"\n'
        self.right += f"diagnostics_port = {self.port}\n"

    def start(self, *, snapshot: bool = False) -> None:
        self.launch(self.module, "run", "--config", str(self.config))

    def hear(self, message: str) -> str:
        """Wait for a message to the supervisor; what else it says."""
        while message not in (heard := self.channel.recv(8192).decode()):
            pass
        return heard


@pytest.fixture
def player(tmp_path: Path) -> Iterator[KeptPlayer]:
    player = KeptPlayer(tmp_path)
    yield player
    player.kill()
    player.channel.close()


@pytest.mark.long
@pytest.mark.proves("settings-wrong-missing")
def test_wrong_settings_are_told_until_they_are_right_and_then_the_player_starts(player: KeptPlayer) -> None:
    player.config.write_text(player.right.replace("service =", "servcie =") + "rotate = 45\n")
    player.start()
    why = player.hear("STATUS=cannot start")
    assert "line 1: servcie: unknown setting; did you mean service?" in why
    assert "line 5: rotate: 45 is none of 0, 90, 180, 270" in why
    # Somebody mends one of two.
    player.config.write_text(player.right.replace("service =", "servcie ="))
    assert "rotate" not in player.hear("STATUS=cannot start"), "it is told anew"
    process = player.pid
    player.config.write_text(player.right)
    state = player.wait_for("the player runs", lambda state: state["device"].get("id"))
    assert (state["presented"]["kind"], player.pid) == ("pairing", process)
    assert player.alive()


@pytest.mark.long
def test_a_state_directory_in_use_is_told_and_waited_for(player: KeptPlayer, tmp_path: Path) -> None:
    other = Player(tmp_path, NOWHERE)
    other.start()
    other.wait_for("the other one runs", lambda state: state["device"]["id"])
    player.config.write_text(player.right)
    player.start()
    try:
        assert str(player.state_folder) in player.hear("STATUS=cannot start")
    finally:
        other.kill()
    player.wait_for("the player runs", lambda state: state["device"].get("id"))


@pytest.mark.proves("package-python-player")
@pytest.mark.parametrize("missing", ["msgspec", pytest.param("httpx", marks=pytest.mark.long)])
def test_an_installation_that_is_not_whole_says_what_is_missing(player: KeptPlayer, missing: str) -> None:
    player.config.write_text(player.right)
    player.module = "tests.support.incomplete_player"
    player.environment["MENU_TEST_LACKING"] = missing
    player.start()
    said = player.hear("STATUS=cannot start")
    assert f"{missing}: This part of the program cannot be found." in said
    assert f"sudo apt install --reinstall python3-{missing}" in said
    player.hear("READY=1")


@pytest.mark.parametrize(
    "lacks", [{"MENU_TEST_LACKING": "PySide6.QtMultimedia"}, {"MENU_TEST_PYSIDE": "6.7.3"}], ids=["no films", "old Qt"]
)
def test_a_board_plays_what_it_can_with_a_qt_that_lacks_something(player: KeptPlayer, lacks: dict[str, str]) -> None:
    player.config.write_text(player.right)
    player.module = "tests.support.incomplete_player"
    player.environment |= lacks
    player.start()
    state = player.wait_for("the board shows", lambda state: state["presented"])
    assert state["presented"]["kind"] == "pairing"


def test_the_doctor_says_the_same(player: KeptPlayer) -> None:
    player.config.write_text(player.right + 'overscan = "wide"\n')
    player.start()
    player.hear("STATUS=cannot start")
    said = subprocess.run(
        [sys.executable, "-m", "player", "doctor", "--config", str(player.config)],
        env={**os.environ, "MENU_PLAYER_DIAGNOSTICS_PORT": str(player.port)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 2
    assert "'wide' is not a percentage from 0 to 10" in said.stdout


def test_in_a_terminal_a_wrong_setting_ends_the_player(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "player", "run", "--offscreen", "--size", "huge", "--service", NOWHERE],
        env={name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 2
    assert "--size: 'huge' is not a size" in done.stderr


CORNER = """
from PySide6.QtGui import QGuiApplication
application = QGuiApplication([])
screen = application.primaryScreen()
image = screen.grabWindow(0).toImage()
print(image.pixelColor(image.width() - 2, image.height() - 2).name())
"""


def corner(display: str) -> str:
    """The colour of the last pixels of what an X server shows."""
    environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
    command = [sys.executable, "-c", CORNER]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.long
def test_the_card_fills_a_screen_without_a_window_manager(player: KeptPlayer) -> None:
    player.config.write_text("rotate = 45\n")
    with x_server() as (display, _):
        assert corner(display) == "#000000"
        player.environment |= {"QT_QPA_PLATFORM": "xcb", "DISPLAY": display}
        player.start()
        eventually(lambda: corner(display) != "#000000", what="the card is in the corner of the screen")
        player.kill()
