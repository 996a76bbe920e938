"""`menu-player support-bundle`."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from player.cli.doctor import place_of
from player.cli.terminal import WRONG_USE, say

if TYPE_CHECKING:
    from player.cli.terminal import Commands


def add(commands: Commands) -> None:
    """Declare the command and its flags."""
    parser = commands.add_parser(
        "support-bundle",
        help="write a file for support",
        description="Write one zip file with what somebody far away needs to understand a board: findings, state, log,"
        " settings and pictures, without passwords, tokens and codes. It comes from the running player, or from the"
        " disk where none runs; then run this as root, who may read the log.",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="the file (menu-player-….zip in this folder)")
    parser.add_argument("--state", metavar="DIR", help="state directory of the player")
    parser.add_argument("--diagnostics-port", metavar="N", help="port of its diagnostics page")
    parser.add_argument("--config", metavar="FILE", help="its configuration file")


def call(chosen: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from menu.text.phrase import phrase
    from player.page.bundle import write_bundle
    from player.runtime.support_bundle import fetch_bundle, stored_contents
    from player.standstill.examine import look

    place = place_of({name: getattr(chosen, name) for name in ("state", "diagnostics_port", "config")})
    content = fetch_bundle(place.port) if place.port else None
    if content is None:
        content = write_bundle(stored_contents(place.settings, facts=look(place), faults=place.faults))
        say(phrase("The player does not answer: the bundle has what can be found without it."), to=sys.stderr)
    out = chosen.out or Path(f"menu-player-{datetime.now(UTC):%Y%m%d-%H%M}.zip")
    try:
        # Readable by whoever writes it, and nobody else.
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        say(phrase("{file} cannot be written: {why}", file=str(out), why=error.strerror or str(error)), to=sys.stderr)
        return WRONG_USE
    print(out)  # noqa: T201
    return 0
