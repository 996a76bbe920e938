"""`menu-player pin`, with a real server."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from player.cli import main
from player.diagnostics.server import DiagnosticsServer
from tests.player.diagnostics.test_access import Board


@pytest.fixture
def board() -> Iterator[tuple[Board, int]]:
    """A page that is served by another thread, and its port."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    board = Board()
    server = DiagnosticsServer(app=board.app, port=0)
    address = asyncio.run_coroutine_threadsafe(server.start(), loop).result()
    assert address is not None
    yield board, int(address.rstrip("/").rpartition(":")[2])
    asyncio.run_coroutine_threadsafe(server.stop(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_the_pin_is_shown_on_the_screen_and_not_printed(
    board: tuple[Board, int], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page, port = board
    config = tmp_path / "config.toml"
    config.write_text(f"diagnostics_port = {port}\n")
    assert main(["pin", "--config", str(config)]) == 0
    said = capsys.readouterr()
    assert "for two minutes" in said.out
    assert page.pin not in said.out + said.err


def test_without_a_player_or_a_page_for_others_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    assert main(["pin", "--diagnostics-port", port]) == 1
    assert f"No player answers at 127.0.0.1:{port} (Connection refused)" in capsys.readouterr().err
    monkeypatch.setenv("MENU_PLAYER_PAGE", "device")
    assert main(["pin"]) == 1
    assert "closed to other machines" in capsys.readouterr().out
