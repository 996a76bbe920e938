"""The Qt binding as the player loads it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_it_loads_where_nothing_of_it_is_compiled(tmp_path: Path) -> None:
    done = subprocess.run(
        (sys.executable, "-c", "from player.display.qt.binding import load_binding; load_binding()"),
        env={**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
