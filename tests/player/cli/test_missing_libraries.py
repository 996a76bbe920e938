"""A library that is missing, or too old: one sentence that says what to install, and never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from player.standstill.libraries import LEAST_PYSIDE, installing

ROOT = Path(__file__).parents[3]
RUN = ("run", "--offscreen", "--service", "http://127.0.0.1:9", "--state", "state")
PREVIEW = ("preview", "scene.json", "--out", "scene.png")


def told(folder: Path, *command: str, lacking: str = "", pyside: str = "") -> tuple[int, list[str]]:
    """The exit code and the lines of a player in a terminal, that lacks something."""
    own = {name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"}
    (folder / "scene.json").write_text('{"widgets": []}')
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.incomplete_player", *command],
        env={**own, "MENU_TEST_LACKING": lacking, "MENU_TEST_PYSIDE": pyside, "PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr).splitlines()


@pytest.mark.parametrize("command", [RUN, PREVIEW, ("demo",)], ids=["run", "preview", "demo"])
@pytest.mark.parametrize(
    ("lacking", "pyside", "sentence"),
    [
        ("PySide6", "", "PySide6 is not installed: "),
        ("PySide6.QtQuick", "", "PySide6.QtQuick is not installed: "),
        ("PySide6.QtMultimedia", "", "PySide6.QtMultimedia, which plays films, is not installed: "),
        ("", "6.7.3", "PySide6 6.7.3 is too old, 6.8.2 is the oldest that works: "),
    ],
    ids=["no PySide6", "no QtQuick", "no QtMultimedia", "too old"],
)
def test_a_qt_that_does_not_do_is_one_sentence(
    tmp_path: Path, command: tuple[str, ...], lacking: str, pyside: str, sentence: str
) -> None:
    code, lines = told(tmp_path, *command, lacking=lacking, pyside=pyside)

    assert code == 2
    [line] = lines
    assert line.startswith(f"menu-player: {sentence}")
    assert "pip install" in line or "apt install" in line


def test_any_other_library_is_one_sentence(tmp_path: Path) -> None:
    code, lines = told(tmp_path, *RUN, lacking="msgspec")

    assert (code, len(lines)) == (2, 1)
    assert lines[0].startswith("menu-player: msgspec is not installed: ")


def test_what_needs_no_qt_runs_without(tmp_path: Path) -> None:
    code, lines = told(tmp_path, "--version", lacking="PySide6")

    assert code == 0
    assert lines[0].startswith("menu-player ")


@pytest.mark.parametrize(
    ("module", "in_venv", "command"),
    [
        ("PySide6", False, "sudo apt install python3-pyside6.qtquick"),
        ("PySide6.QtMultimedia", False, "sudo apt install python3-pyside6.qtmultimedia"),
        ("starlette.routing", False, "sudo apt install python3-starlette"),
        ("player.runtime.app", False, "sudo apt install menu-player-core"),
        ("PySide6.QtMultimedia", True, "pip install --upgrade 'pyside6>=6.8.2'"),
        ("starlette.routing", True, "pip install --upgrade starlette"),
        ("player.runtime.app", True, "pip install --upgrade menu-player"),
    ],
)
def test_the_command_fits_the_installation(
    monkeypatch: pytest.MonkeyPatch, module: str, in_venv: bool, command: str
) -> None:
    monkeypatch.setattr(sys, "prefix", "/venv" if in_venv else sys.base_prefix)

    assert installing(module) == command


def test_the_oldest_pyside_is_the_one_of_the_package() -> None:
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]

    floors = {name: floor for each in needs for name, _, floor in [each.partition(">=")] if name.startswith("pyside6-")}
    assert floors.keys() >= {"pyside6-essentials", "pyside6-addons"}
    assert all(floor.startswith(LEAST_PYSIDE) for floor in floors.values() if floor)
