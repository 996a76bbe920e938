"""The demo, as in a checkout that was just cloned."""

from __future__ import annotations

import fcntl
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from PySide6.QtGui import QImage

from player.runtime import demo
from player.runtime.demo_needs import installation, missing_families, qt_fault
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import call, eventually, on_glass


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "demo"


def run_demo(folder: Path, *arguments: str) -> tuple[subprocess.Popen[str], str]:
    """Start it and wait until it says that the board is on; its output until then."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "player", "demo", "--offscreen", "--folder", str(folder), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if "Ctrl-C ends both" in line:
            return process, said
    raise AssertionError(f"the demo ended with {process.wait()}:\n{said}")


def ended(folder: Path) -> subprocess.CompletedProcess[str]:
    """The demo, run where it cannot go on."""
    return subprocess.run(
        [sys.executable, "-m", "player", "demo", "--offscreen", "--folder", str(folder)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def interrupt(process: subprocess.Popen[str]) -> str:
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, rest
    return rest


def test_one_command_shows_a_menu_and_the_printed_lines_work(folder: Path) -> None:
    process, said = run_demo(folder)
    try:
        desk = re.search(r"http://\S+/desk/enter\?token=\S+$", said.partition("\n")[0])
        assert desk is not None, "the first line is the address of the desk"
        assert "Harbour Street Coffee" in httpx.get(desk[0], follow_redirects=True, trust_env=False).text
        diagnostics = re.search(r"diagnostics +(http\S+)", said)
        assert diagnostics is not None
        state = call("GET", f"{diagnostics[1]}/state.json")
        assert state["presented"]["kind"] == "scene"
        glass = folder / "glass.png"
        eventually(lambda: glass.exists() and glass.stat().st_size > 50_000, what="an image of a menu is there")

        # The printed command as it stands.
        command = said.split("leave the glass:\n\n")[1].split("\n\nHave it back")[0]
        sold_out = re.search(r"Sell out “(.+?)”", said)
        assert sold_out is not None
        shown = on_glass(state)
        assert sold_out[1] in shown or not shown, "an item of the scene that shows, unless it has none"
        image = glass.read_bytes()
        subprocess.run(["bash", "-c", command.replace("curl", "curl --silent --fail")], check=True, capture_output=True)

        def gone() -> bool:
            found = call("GET", f"{diagnostics[1]}/state.json")
            return found["presented"]["revision"] > state["presented"]["revision"] and sold_out[1] not in on_glass(
                found
            )

        eventually(gone, what="the item is off the glass")
        eventually(lambda: glass.read_bytes() != image, what="the image follows")
    finally:
        rest = interrupt(process)
    assert "Both programs have ended." in rest
    with pytest.raises(OSError, match="refused"):
        call("GET", f"{diagnostics[1]}/state.json")


@pytest.mark.long
def test_the_next_demo_has_the_same_cafe_pairing_and_key(folder: Path) -> None:
    interrupt(run_demo(folder)[0])
    key = (folder / "api-key").read_text()
    process, said = run_demo(folder)
    try:
        assert "paired already" in said
        assert (folder / "api-key").read_text() == key
    finally:
        interrupt(process)


@pytest.mark.long
def test_the_next_demo_may_be_upright(folder: Path) -> None:
    """The other playlist takes over at the loop boundary, 30 s later."""
    interrupt(run_demo(folder)[0])

    process, said = run_demo(folder, "--portrait")
    try:
        assert "paired already" in said
        diagnostics = re.search(r"diagnostics +(http\S+)", said)
        assert diagnostics is not None
        scene = call("GET", f"{diagnostics[1]}/state.json")["presented"]
        assert scene["kind"] == "scene"
        eventually(lambda: QImage(str(folder / "glass.png")).height() == 1920, what="the image is upright")
    finally:
        interrupt(process)


@pytest.mark.long
def test_a_program_that_fails_ends_the_demo_and_its_log_is_shown(folder: Path) -> None:
    (folder / "player").mkdir(parents=True)
    with (folder / "player" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as another player does
        done = ended(folder)
    assert done.returncode == 1
    assert "the player ended with code 1" in done.stderr
    assert "the state directory cannot be used" in done.stderr


def test_a_window_that_cannot_be_opened_is_a_sentence_with_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM")
    monkeypatch.setenv("DISPLAY", ":4242")
    command = [sys.executable, "-m", "player", "demo", "--folder", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    [said] = done.stderr.splitlines()
    assert re.match(r"demo: Qt cannot be used here: .+ On Debian and Ubuntu:  apt-get install .*libxcb-cursor0", said)
    assert not folder.exists()


def test_missing_fonts_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    families: list[str] = []
    assert qt_fault(families, windowed=False) == ""
    assert missing_families(families) == []

    (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>")
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "fonts.conf"))
    families.clear()
    assert qt_fault(families, windowed=False) == ""
    assert missing_families(families) == ["Inter", "Noto Sans", "Noto Color Emoji"]
    assert "apt-get install fonts-inter fonts-noto-core" in installation(fonts_alone=True)


def test_a_service_without_its_libraries_is_told_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "lacks_service_libraries", lambda: True)
    monkeypatch.setenv("PATH", "/nowhere")
    assert demo.run_demo(demo.Demo(folder=folder, portrait=False, windowed=False)) == 2
    assert "pip install 'menu-player[service]'" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_named(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.touch()
    done = ended(folder)
    assert done.returncode == 1
    assert done.stderr == f"demo: {folder} cannot be made a folder: File exists\n"
