"""A version that dies at its start: the commands that look for faults say what is broken, and what comes of it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import player
from player import broken
from tests.support.patience import PATIENCE_SECONDS

WHOLE = Path(player.__file__).parent
BREAKS: dict[str, tuple[str, str]] = {
    "the command line": ("cli/__init__.py", 'raise SystemExit("a defect")\n'),
    "a name": ("display/window/window.py", "not_defined\n"),
    "a syntax": ("runtime/app.py", "def (:\n"),
    "an import": ("display/views/scene.py", "from player.display.views import no_such\n"),
    "the domain": ("domain/state.py", "1 / 0\n"),
    "a lost file": ("domain/time/clock.py", ""),
    "the documents": ("../menu/documents/scene.py", "1 / 0\n"),
}
"""The file, and what stands in it; empty where it is gone."""


@pytest.fixture
def breaking(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a copy of the program with a break; returns the folder for PYTHONPATH."""

    def make(name: str) -> Path:
        file, text = BREAKS[name]
        for package in ("menu", "player"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(WHOLE.parent / package, tmp_path / "program" / package, ignore=ignored)
        (tmp_path / "program/player" / file).write_text(text)
        if not text:
            (tmp_path / "program/player" / file).unlink()
        return tmp_path / "program"

    return make


def run(program: Path, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    start = f"import sys; sys.path[:0] = [{str(program)!r}]; from player.__main__ import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-I", "-c", start, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen"},
    )


@pytest.mark.parametrize("name", BREAKS)
def test_the_doctor_says_what_is_broken_and_what_comes_of_it(
    breaking: Callable[[str], Path], tmp_path: Path, name: str
) -> None:
    done = run(breaking(name), "doctor", "--state", str(tmp_path / "state"), "--diagnostics-port", "0", folder=tmp_path)

    said = " ".join(done.stdout.split())
    assert done.returncode == 2, done.stderr
    assert "This version of the player cannot start: a part of its program is broken." in said
    assert any(part in said for part in (BREAKS[name][0].removeprefix("../"), "no_such", "player.domain.time.clock"))
    assert "install --reinstall menu-player-core" in said
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["the command line", "the domain", "a name", "a lost file"])
def test_a_support_bundle_is_written(breaking: Callable[[str], Path], tmp_path: Path, name: str) -> None:
    program = breaking(name)
    done = run(
        program, "support-bundle", "--state", str(tmp_path / "state"), "--diagnostics-port", "0", folder=tmp_path
    )

    [file] = tmp_path.glob("menu-player-*.zip")
    with zipfile.ZipFile(file) as bundle:
        held = b"".join(bundle.read(each) for each in bundle.namelist()).decode(errors="replace")
    assert "a part of its program is broken" in held
    assert BREAKS[name][0] in held or "player.domain.time.clock" in held
    assert file.name in done.stdout


def test_a_moment_of_a_version_whose_display_is_broken_is_told(breaking: Callable[[str], Path], tmp_path: Path) -> None:
    manifest = WHOLE.parent / "tests/data/manifest.json"
    done = run(breaking("a name"), "moment", str(manifest), folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)


@pytest.mark.parametrize("name", ["the command line", "the domain"])
def test_a_moment_that_cannot_be_told_says_why(breaking: Callable[[str], Path], tmp_path: Path, name: str) -> None:
    manifest = WHOLE.parent / "tests/data/manifest.json"
    done = run(breaking(name), "moment", str(manifest), folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert BREAKS[name][0] in done.stderr


def test_the_board_dies_as_before_so_that_the_guard_sees_it(breaking: Callable[[str], Path], tmp_path: Path) -> None:
    done = run(breaking("the command line"), "run", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "a defect\n")


@pytest.mark.parametrize(
    ("notes", "said"),
    [
        (None, "Install the player again"),
        ({"good": {"menu-player-core": "0.8.1"}, "trial": {}}, "brings version 0.8.1 back by itself"),
        ({"good": {"menu-player-core": "0.8.1"}}, "After an update, wait ten minutes"),
        ([], "After an update, wait ten minutes"),
    ],
)
def test_what_the_guard_does_is_told(tmp_path: Path, notes: object, said: str) -> None:
    if notes is not None:
        (tmp_path / "guard").mkdir()
        (tmp_path / "guard/state.json").write_text(json.dumps(notes))
    assert said in broken.what_to_do(tmp_path / "guard")
