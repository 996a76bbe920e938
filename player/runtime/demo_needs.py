"""Names what the demo lacks on this system: the service's libraries, Qt's shared libraries, fonts.

Run as a separate program, because Qt aborts where its window system cannot be used, it loads the parts of Qt that a
board uses, and prints the families of fonts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

SERVICE_LIBRARY = "fastapi"
"""A library that comes with the service alone."""
DEBIAN_PACKAGES = Path(__file__).with_name("debian_packages.txt")
LOAD_SECONDS = 60.0


def lacks_service_libraries() -> bool:
    """True if the libraries of the service are not installed beside the player."""
    return find_spec(SERVICE_LIBRARY) is None


def qt_fault(families: list[str], *, windowed: bool) -> str:
    """Explains why Qt cannot draw here; empty if it can, and `families` then has those of the fonts."""
    platform = {} if windowed else {"QT_QPA_PLATFORM": "offscreen"}
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=LOAD_SECONDS,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **platform},
        )
    except subprocess.TimeoutExpired:
        return f"it does not answer in {LOAD_SECONDS:g} s"
    if done.returncode == 0:
        families.extend(json.loads(done.stdout))
        return ""
    return "; ".join(filter(None, done.stderr.splitlines())) or f"it ended with code {done.returncode}"


def missing_families(families: list[str]) -> list[str]:
    return [family for family in ("Inter", "Noto Sans", "Noto Color Emoji") if family not in families]


def installation(*, fonts_alone: bool = False) -> str:
    """Returns the sentence on how to install what Qt and the board need."""
    wanted = {"always"}
    wanted |= {where for where, named in (("x11", "DISPLAY"), ("wayland", "WAYLAND_DISPLAY")) if os.environ.get(named)}
    rows = (line.split() for line in DEBIAN_PACKAGES.read_text(encoding="ascii").splitlines() if line[0] != "#")
    packages = [package for where, package in rows if where in wanted]
    if fonts_alone:
        packages = [package for package in packages if package.startswith("fonts-")]
    return f"On Debian and Ubuntu:  apt-get install {' '.join(packages)}"


def main() -> int:
    """Load what a board uses of Qt, and print the families of fonts; returns the exit code."""
    try:
        for module in ("QtMultimedia", "QtQuick"):
            import_module(f"PySide6.{module}")
        from PySide6.QtGui import QFontDatabase, QGuiApplication
    except ImportError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    application = QGuiApplication([])
    sys.stdout.write(json.dumps(QFontDatabase.families()))
    del application
    return 0


if __name__ == "__main__":
    sys.exit(main())
