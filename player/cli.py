"""Owns the commands of `menu-player`; each imports what it needs only when called, so that a board starts fast."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from player.version import VERSION

T = TypeVar("T")

WRONG_USE = 2
"""Exit code for settings that cannot be used; systemd does not try again on it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; answers the exit code."""
    parser = build_parser()
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
        case "preview":
            return _preview(chosen)
        case _:
            return _discover(chosen)


_LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def build_parser() -> argparse.ArgumentParser:
    """Every command and its flags."""
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
    preview = commands.add_parser(
        "preview",
        help="draw a scene or a playlist from files, without a service",
        description="Draw a scene, or what a playlist shows at a time, from files, as a board would; docs/preview.md"
        " says how. Opens a window; without a screen, or with --out, writes a PNG file.",
    )
    preview.add_argument("document", type=Path, metavar="SCENE.json|PLAYLIST.json")
    preview.add_argument("--items", type=Path, metavar="FILE", help="the items, and the location, in JSON")
    preview.add_argument("--size", metavar="WxH", help="size of the picture in pixels (the scene's own)")
    preview.add_argument("--at", metavar="TIME", help="2026-11-20T08:00 or 08:00, in the location's time (now)")
    preview.add_argument("--out", type=Path, metavar="PNG", help="write the picture into this file")
    preview.add_argument("--watch", action="store_true", help="draw again whenever a file that was read changes")
    preview.add_argument("--rotate", metavar="DEGREES", help="turn the picture, as a board's --rotate")
    preview.add_argument("--overscan", metavar="PERCENT", help="keep it off each edge, as a board's --overscan")
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

    # What a start makes stays: nothing is to be found in it. The player turns it on again once the board is on.
    gc.disable()
    try:
        settings = read_settings(vars(chosen), os.environ)
    except SettingsError as error:
        count = len(error.faults)
        print(f"menu-player: {count} wrong setting{'s' if count > 1 else ''}:", file=sys.stderr)  # noqa: T201
        for fault in error.faults:
            print(f"  {fault}", file=sys.stderr)  # noqa: T201
        return WRONG_USE
    from player.display.qt.binding import load_binding

    load_binding()
    from player.app import run

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


def _preview(chosen: argparse.Namespace) -> int:
    from player.demo import has_screen
    from player.display.window.panel import Panel
    from player.preview.times import read_at
    from player.settings import read_overscan, read_rotation, read_size

    faults: list[str] = []

    def read(flag: str, reader: Callable[[str], T]) -> T | None:
        written = getattr(chosen, flag)
        try:
            return None if written is None else reader(written)
        except ValueError as error:
            faults.append(f"--{flag}: {error}")
            return None

    size, at = read("size", read_size), read("at", read_at)
    panel = Panel(rotation=read("rotate", read_rotation), overscan=read("overscan", read_overscan) or 0.0)
    if faults:
        print("\n".join(f"menu-player preview: {fault}" for fault in faults), file=sys.stderr)  # noqa: T201
        return WRONG_USE
    out = chosen.out
    if out is None and not has_screen():
        out = Path(chosen.document.stem + ".png")
        print(f"no screen here: drawing into {out}", file=sys.stderr)  # noqa: T201
    from player.display.qt.binding import load_binding

    load_binding()
    from player.preview.show import Options, run_preview

    return run_preview(
        Options(
            document=chosen.document,
            items=chosen.items,
            size=size,
            at=at,
            out=out,
            watch=chosen.watch,
            panel=panel,
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
