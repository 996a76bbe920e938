"""Boards on whole machines: `make kiosk-test` runs these tests, as root. Other runs leave them out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kiosk.board import CONFIG, HEADLESS, Board
from tests.kiosk.machine import Machine
from tests.kiosk.roots import CACHE, installed_root, remove_run
from tests.support.figures import figures, pytest_terminal_summary

__all__ = ["figures", "pytest_terminal_summary"]

collect_ignore_glob = [] if os.environ.get("MENU_KIOSK") else ["test_*.py"]


@pytest.fixture(scope="session")
def pictures() -> Path:
    """Where pictures of the glass are kept."""
    folder = Path(os.environ.get("MENU_PICTURES", str(CACHE / "pictures")))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def installed() -> Iterator[Path]:
    yield Path(found) if (found := os.environ.get("MENU_KIOSK_ROOT")) else installed_root()
    remove_run()


@pytest.fixture(scope="module")
def board(installed: Path) -> Iterator[Board]:
    """A board that is installed and knows its service, on a machine that is on; nothing runs yet."""
    machine = Machine(installed)
    machine.add("etc/systemd/system/menu-player.service.d/headless.conf", HEADLESS)
    machine.add("etc/menu-player/config.toml", CONFIG)
    machine.without("menu-player", "menu-service")
    try:
        machine.boot()
        yield Board(machine)
    finally:
        machine.throw_away()
