"""`menu-player pin`, with a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from player.cli import main
from player.page.listener import DiagnosticsServer
from tests.player.page.test_access import Board, guess
from tests.support.programs import free_port


@contextmanager
def served(board: Board) -> Iterator[int]:
    """Another thread serves the page; its port."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    server = DiagnosticsServer(make_app=lambda: board.app, port=0)
    address = asyncio.run_coroutine_threadsafe(server.start(), loop).result()
    assert address is not None
    yield int(address.rstrip("/").rpartition(":")[2])
    asyncio.run_coroutine_threadsafe(server.stop(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_the_pin_is_shown_on_the_screen_and_not_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page, config = Board(), tmp_path / "config.toml"
    with served(page) as port:
        config.write_text(f"diagnostics_port = {port}\n")
        assert main(["pin", "--config", str(config)]) == 0
    said = capsys.readouterr()
    assert "for two minutes" in said.out
    assert page.pin not in said.out + said.err


def test_a_fixed_pin_is_not_shown_and_while_somebody_guesses_another_one_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page, config = Board(fixed="271828"), tmp_path / "config.toml"
    with served(page) as port:
        config.write_text(f'diagnostics_port = {port}\npage_pin = "271828"\n')
        assert main(["pin", "--config", str(config)]) == 1
        assert "a PIN of its own" in capsys.readouterr().out
        asyncio.run(guess(page))
        assert main(["pin", "--config", str(config)]) == 0
    said = capsys.readouterr()
    assert "for two minutes" in said.out
    assert page.pin not in said.out + said.err


def test_without_a_player_or_a_page_for_others_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = str(free_port())
    assert main(["pin", "--diagnostics-port", port]) == 1
    assert f"No player answers at 127.0.0.1:{port} (Connection refused)" in capsys.readouterr().err
    monkeypatch.setenv("MENU_PLAYER_PAGE", "device")
    assert main(["pin"]) == 1
    assert "closed to other machines" in capsys.readouterr().out
