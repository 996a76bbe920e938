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
