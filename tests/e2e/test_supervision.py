"""The player under a supervisor with sd_notify, as systemd is."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from player.device.systemd import START_SECONDS
from player.storage.store import StateStore
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import Player, eventually

STOPS_WITHIN_SECONDS = 4.0
"""Well below what the player waits for a thread that does not end; an idle machine needs half a second."""


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(str(tmp_path / "notify"))
        channel.settimeout(PATIENCE_SECONDS)
        yield channel


def receive(channel: socket.socket, message: str) -> None:
    """Wait for a message; others before it are skipped."""
    eventually(lambda: message in channel.recv(8192).decode().splitlines(), what=message)


@pytest.mark.long
def test_it_notifies_ready_watchdog_and_stopping(supervisor: socket.socket, tmp_path: Path) -> None:
    environment = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "200000", "WATCHDOG_PID": "1"}
    player = Player(tmp_path, "http://127.0.0.1:9")
    player.environment.update(environment)
    player.start()
    try:
        receive(supervisor, f"EXTEND_TIMEOUT_USEC={round(START_SECONDS * 1e6)}")
        receive(supervisor, "READY=1")
        for _ in range(3):
            receive(supervisor, "WATCHDOG=1")
        assert player.end() == 0
        receive(supervisor, "STOPPING=1")
    finally:
        player.kill()


@pytest.mark.long
def test_a_second_player_on_the_same_state_names_the_first(tmp_path: Path) -> None:
    first = Player(tmp_path, "http://127.0.0.1:9")
    first.start()
    try:
        first.wait_for("the first one runs", lambda state: state["device"]["id"])
        second = Player(tmp_path, "http://127.0.0.1:9")
        second.log = tmp_path / "second.log"
        second.start()
        assert second.process is not None
        assert second.process.wait(PATIENCE_SECONDS) == 1
        assert f"another player (process {first.pid}) uses this state directory" in second.log.read_text()
    finally:
        first.kill()


@pytest.mark.first_case
@pytest.mark.proves("stop-first-second")
@pytest.mark.parametrize(
    "milliseconds",
    [
        0,
        pytest.param(150, marks=pytest.mark.long),
        300,
        pytest.param(500, marks=pytest.mark.long),
        pytest.param(900, marks=pytest.mark.long),
    ],
)
def test_a_stop_at_any_instant_of_the_first_second_is_honoured_at_once(tmp_path: Path, milliseconds: int) -> None:
    player = Player(tmp_path, "http://127.0.0.1:9")
    player.start(snapshot=True)
    try:
        # The first frame is drawn, so signals are taken; the network thread is about to start, or being set up.
        eventually(player.snapshot.exists, what="the first frame is drawn")
        time.sleep(milliseconds / 1000)
        began = time.monotonic()
        assert player.end() == 0, player.log.read_text()
        assert time.monotonic() - began < STOPS_WITHIN_SECONDS
        assert "does not end" not in player.log.read_text()
        with StateStore.open(player.state_folder):
            pass
    finally:
        player.kill()


@pytest.mark.long
@pytest.mark.proves("journal-whatever-reads")
def test_a_log_that_nobody_reads_any_more_stops_nothing(tmp_path: Path) -> None:
    """As a journal that waits for a worn card."""
    os.mkfifo(tmp_path / "journal")
    journal = os.open(tmp_path / "journal", os.O_RDWR | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(journal, b"an older line\n" * 4)
    player = Player(tmp_path, "http://127.0.0.1:9")
    player.prefix = ("sh", "-c", f'exec "$@" >"{tmp_path}/journal" 2>&1', "sh")
    player.start(snapshot=True)
    try:
        eventually(player.snapshot.exists, what="the first frame is drawn")
        eventually(lambda: player.state() and player.state()["device"]["id"], what="its page answers")
        assert player.end() == 0
    finally:
        player.kill()
        os.close(journal)


@pytest.mark.long
def test_it_runs_without_standard_streams(tmp_path: Path) -> None:
    player = Player(tmp_path, "http://127.0.0.1:9")
    player.prefix = ("sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh")
    player.start()
    try:
        player.wait_for("its page answers", lambda state: state["device"]["id"])
        assert player.end() == 0
    finally:
        player.kill()
