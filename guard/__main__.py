"""The command line of the guard: `check` and `update`, which timers run, and `keep`, apt's hook."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__":
    # Run as a file, by a Python that looks for nothing but its own library.
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from guard.guard import Guard, Patience, Places
from guard.machine import Machine, is_guard
from guard.updates import update

log = logging.getLogger("menu-player-guard")


def main(arguments: Sequence[str]) -> int:
    """Run one of the commands."""
    logging.basicConfig(level=logging.INFO, format="menu-player-guard: %(message)s")
    match list(arguments):
        case ["check"]:
            Guard(Machine(), Places(), _patience()).check()
        case ["update"]:
            update(Machine())
        case ["keep"]:
            _keep()
        case _:
            sys.stderr.write("menu-player-guard: check | update | keep\n")
            return 2
    return 0


def _keep() -> None:
    """Never fails: apt would install nothing at all."""
    logging.getLogger().setLevel(logging.WARNING)
    files = [Path(line) for line in sys.stdin.read().splitlines() if line.endswith(".deb")]
    if is_guard():
        return
    try:
        Guard(Machine()).keep(files)
    except Exception as error:
        log.warning("the packages of the board are not kept: %s", error)


def _patience() -> Patience:
    """The usual one; tests of whole machines shorten it."""
    well, fault = (os.environ.get(f"MENU_GUARD_{name}_SECONDS", "") for name in ("WELL", "FAULT"))
    usual = Patience()
    return usual._replace(well=float(well or usual.well), fault=float(fault or usual.fault))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
