"""Owns the commands of `menu-player`; each imports what it needs only when called, so that a board starts fast."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from player.version import VERSION

WRONG_USE = 2
"""Exit code for settings that cannot be used; systemd does not try again on it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; answers the exit code."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    logging.basicConfig(
        level=logging.DEBUG if chosen.verbose else logging.INFO,
        format="%(levelname)s %(name)s: %(message)s" if "JOURNAL_STREAM" in os.environ else _LOG_FORMAT,
        stream=sys.stderr,
    )
    for chatty in ("httpx", "httpcore", "apscheduler", "uvicorn", "asyncio"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    match chosen.command:
        case "run":
            return _run(chosen)
        case "demo":
            return _demo(chosen)
        case _:
            return _discover(chosen)


_LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def _parser() -> argparse.ArgumentParser:
    from player.settings import add_flags

    parser = argparse.ArgumentParser(prog="menu-player", description="The device runtime of a digital menu board.")
    parser.add_argument("--version", action="version", version=f"menu-player {VERSION}")
    parser.add_argument("--verbose", action="store_true", help="log what is done, not only what went wrong")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="show the board", description="Show the board of this screen.")
    add_flags(run)
    demo = commands.add_parser(
        "demo",
        help="a service, a sample café and a board, with one command",
        description="Start a service with a sample café and a board that is paired with it. Ctrl-C ends both.",
    )
    demo.add_argument("--folder", type=Path, default=Path(".demo"), help="where the demo keeps its state (.demo)")
    demo.add_argument("--portrait", action="store_true", help="a board that stands upright")
    demo.add_argument("--offscreen", action="store_true", help="draw into a PNG file even if there is a screen")
    discover = commands.add_parser(
        "discover",
        help="look for a menu service on this network",
        description="Look for menu services that announce themselves on this network. What is found is a suggestion:"
        " whether it is the right one, TLS decides.",
    )
    discover.add_argument("--seconds", type=float, default=3.0, help="how long to listen (3)")
    return parser


def _run(chosen: argparse.Namespace) -> int:
    from player.settings import SettingsError, read_settings

    try:
        settings = read_settings(vars(chosen), os.environ)
    except SettingsError as error:
        count = len(error.faults)
        print(f"menu-player: {count} wrong setting{'s' if count > 1 else ''}:", file=sys.stderr)  # noqa: T201
        for fault in error.faults:
            print(f"  {fault}", file=sys.stderr)  # noqa: T201
        return WRONG_USE
    from player.compose import run

    return run(settings)


def _demo(chosen: argparse.Namespace) -> int:
    from player.demo import Demo, has_screen, run_demo

    return run_demo(
        Demo(
            folder=chosen.folder,
            portrait=chosen.portrait,
            windowed=has_screen() and not chosen.offscreen,
        )
    )


def _discover(chosen: argparse.Namespace) -> int:
    import asyncio

    from player.link.discovery import discover

    found = asyncio.run(discover(seconds=chosen.seconds))
    for service in found:
        print(service)  # noqa: T201
    if not found:
        print("No menu service announced itself on this network.", file=sys.stderr)  # noqa: T201
    return 0 if found else 1
