"""Packages of the board in other versions, made from those of this checkout: good ones, and ones that fail."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.kiosk.machine import run

SLOW_SECONDS = 8
"""Long enough for a test to cut the power meanwhile."""

BOARD = ("menu-player", "menu-player-core")


def variant(
    packages: Sequence[Path],
    version: str,
    folder: Path,
    change: Callable[[Path], None] | None = None,
    *,
    slow: str = "",
) -> None:
    """The two packages of the board as this version, in the folder. `change` gets the program's folder; `slow` is a
    script of menu-player-core that takes its time."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in packages:
        name = package.name.partition("_")[0]
        if name not in BOARD:
            continue
        tree = folder / "tree"
        run("dpkg-deb", "--raw-extract", package, tree)
        control = tree / "DEBIAN/control"
        text = re.sub(r"^Version: .*$", f"Version: {version}", control.read_text(), flags=re.MULTILINE)
        control.write_text(re.sub(r"menu-player-core \(= [^)]*\)", f"menu-player-core (= {version})", text))
        if slow and name == "menu-player-core":
            script = tree / "DEBIAN" / slow
            rest = script.read_text().partition("\n")[2] if script.exists() else ""
            script.write_text(f"#!/bin/sh\nsleep {SLOW_SECONDS}\n{rest}")
            script.chmod(0o755)
        program = tree / "usr/lib/menu-player/player"
        if program.exists():
            (program / "version.py").write_text(f'VERSION = "{version}"\n')
            if change is not None:
                change(program)
        (tree / "DEBIAN/md5sums").unlink(missing_ok=True)
        # The cheapest compression: of these packages many are made.
        run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", tree, folder / f"{name}_{version}_all.deb")
        shutil.rmtree(tree)


def dies_at_once(program: Path) -> None:
    """Ends with an error before it draws anything."""
    (program / "cli/__init__.py").write_text('raise SystemExit("a defect")\n')


def shows_nothing(program: Path) -> None:
    """Runs, talks to the service, and has nothing on the glass but the safe card."""
    (program / "display/qml/Stage.qml").write_text("a defect\n")


def finds_no_service(program: Path) -> None:
    """Shows what it has, and asks the service for what that does not have."""
    file = program / "link/api.py"
    text = file.read_text()
    changed = text.replace("/v1/player", "/v1/players")
    assert changed != text
    file.write_text(changed)
