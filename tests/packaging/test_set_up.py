"""packaging/set-up refuses what it does not know, before it makes or installs anything."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "packaging/set-up"


@pytest.mark.parametrize("purpose", ["tests", "--help"])
def test_an_unknown_purpose_is_named_and_nothing_happens(purpose: str, tmp_path: Path) -> None:
    (tmp_path / "packaging").mkdir()
    script = shutil.copy(SCRIPT, tmp_path / "packaging")
    done = subprocess.run([script, purpose], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"{purpose} is unknown" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["packaging"]


def test_a_machine_without_python_is_told_which_packages_it_needs(tmp_path: Path) -> None:
    for name in ("bash", "dirname"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    done = subprocess.run(
        [SCRIPT, "packages"], env={"PATH": str(tmp_path)}, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert {"ffmpeg", "postgresql", "python3-venv"} <= set(done.stdout.split())
