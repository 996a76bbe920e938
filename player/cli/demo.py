"""`menu-player demo`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from player.cli.terminal import Commands


def add(commands: Commands) -> None:
    """Declare the command and its flags."""
    parser = commands.add_parser(
        "demo",
        help="start a service with a sample café, and a board",
        description="Start a service with a sample café and a board that is paired with it. Ctrl-C ends both.",
    )
    parser.add_argument("--folder", type=Path, default=Path(".demo"), help="state directory of the demo (.demo)")
    parser.add_argument("--portrait", action="store_true", help="use a portrait board")
    parser.add_argument("--offscreen", action="store_true", help="write a PNG file even if there is a screen")


def call(chosen: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from player.runtime.demo import Demo, has_screen, run_demo
    from player.standstill.libraries import LibraryError, check_pyside

    try:
        check_pyside()
    except ImportError as error:
        # A library of the system is missing, perhaps not alone: the demo names all that it needs.
        if isinstance(error, LibraryError | ModuleNotFoundError):
            raise
    return run_demo(
        Demo(
            folder=chosen.folder,
            portrait=chosen.portrait,
            windowed=has_screen() and not chosen.offscreen,
        )
    )
