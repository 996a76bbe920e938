"""The wheel and the sdist have what the repository has of both programs, and the programs start from the wheel."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_SECONDS

CHECKOUT = Path(__file__).parents[2]
PROGRAMS = ("player", "service")
PACKAGES = ("menu", *PROGRAMS)
BESIDE = {"LICENSE", "THIRD_PARTY.md", "README.md", "CHANGELOG.md", "MANIFEST.in", "pyproject.toml"}
"""Files that the sdist has beside the programs."""
VERSION = {f"{program}/version.py" for program in PROGRAMS}
"""Files that a build writes the version into."""


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with both files."""
    if git("rev-parse", "--is-shallow-repository").strip() == "true":
        pytest.skip("the version counts commits, and this clone lacks some")
    return build(tmp_path_factory.mktemp("built"))


def build(out: Path) -> Path:
    command = [CHECKOUT / "packaging/build-wheel", out]
    done = subprocess.run(
        command, env={"PYTHON": sys.executable, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return out


def tracked() -> dict[str, bytes]:
    """Files of both programs. Notes for developers are none of them."""
    names = [name for name in git("ls-files", *PACKAGES).splitlines() if not name.endswith(".md")]
    return {name: (CHECKOUT / name).read_bytes() for name in names if (CHECKOUT / name).exists()}


def test_the_wheel_has_the_files_of_both_programs(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        found = {name: wheel.read(name) for name in wheel.namelist()}
    ours = {name: content for name, content in found.items() if ".dist-info/" not in name}
    assert ours.keys() == tracked().keys()
    assert {name for name, content in tracked().items() if ours[name] != content} <= VERSION
    licences = {name.rpartition("/licenses/")[2] for name in found if "/licenses/" in name}
    assert licences == {"LICENSE", "THIRD_PARTY.md"}


def test_the_sdist_has_what_the_wheel_is_built_from_and_one_time(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        members = [member for member in sdist.getmembers() if member.isfile()]
    names = {member.name.partition("/")[2] for member in members}
    made = {name for name in names if name in {"PKG-INFO", "setup.cfg"} or name.startswith("menu_player.egg-info/")}
    assert names - made == tracked().keys() | BESIDE
    assert len({(member.mtime, member.uid, member.mode) for member in members}) == 1


@pytest.mark.long
def test_two_builds_are_the_same(built: Path, tmp_path: Path) -> None:
    if git("status", "--porcelain", "--untracked-files=no"):
        pytest.skip("files are changed: each build then has a time of its own")
    again = build(tmp_path)
    assert {path.name: path.read_bytes() for path in again.iterdir()} == {
        path.name: path.read_bytes() for path in built.iterdir()
    }


def test_the_demo_runs_from_the_wheel(built: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=True)
    python = tmp_path / "venv/bin/python"
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--no-compile", next(built.glob("*.whl"))], check=True)
    # The libraries of this environment, without its path to the checkout.
    libraries = "\n".join(path for path in sys.path if path.endswith("-packages"))
    (site,) = (tmp_path / "venv/lib").glob("python*/site-packages")
    (site / "libraries.pth").write_text(libraries)
    shown = subprocess.run(
        [python, "-c", "import player, service; print(player.__file__, service.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert str(CHECKOUT) not in shown.stdout, shown

    demo = subprocess.Popen(
        [tmp_path / "venv/bin/menu-player", "demo", "--offscreen", "--folder", tmp_path / "demo"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert demo.stdout is not None
    said = ""
    for line in demo.stdout:
        said += line
        if "Ctrl-C ends both" in line:
            break
    assert "The board is on." in said, said
    assert re.search(r"picture +\S+/glass\.png", said)
    demo.send_signal(signal.SIGINT)
    rest, _ = demo.communicate(timeout=PATIENCE_SECONDS)
    assert demo.returncode == 0, rest
