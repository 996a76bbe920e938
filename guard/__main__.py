"""Command line of the guard: `check` and `update`, which timers run, and `keep`, apt's hook."""

from __future__ import annotations

import argparse
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


COMMANDS = {
    "check": "see whether the board is well since its update; take the update back if it is not",
    "update": "install the updates that are due, if this is the time for it",
    "keep": "keep copies of the packages that apt is about to install, which it names on the standard input",
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="menu-player-guard",
        description="Updates of the board that come back when they fail. systemd's timers and apt run it, as root.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, effect in COMMANDS.items():
        commands.add_parser(name, help=effect, description=f"{effect[0].upper()}{effect[1:]}.")
    command = parser.parse_args(arguments).command
    logging.basicConfig(level=logging.INFO, format="menu-player-guard: %(message)s")
    match command:
        case "check":
            Guard(Machine(), Places(), _patience()).check()
        case "update":
            update(Machine())
        case "keep":
            _keep()
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
    """Returns the usual times; tests of whole machines shorten them."""
    well, fault = (os.environ.get(f"MENU_GUARD_{name}_SECONDS", "") for name in ("WELL", "FAULT"))
    usual = Patience()
    return usual._replace(well=float(well or usual.well), fault=float(fault or usual.fault))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
