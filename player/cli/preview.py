"""`menu-player preview`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from player.cli.terminal import WRONG_USE

if TYPE_CHECKING:
    from player.cli.terminal import Commands

T = TypeVar("T")


def add(commands: Commands) -> None:
    """Declare the command and its flags."""
    parser = commands.add_parser(
        "preview",
        help="draw a scene or a playlist from files, without a service",
        description="Draw a scene, or what a playlist shows at a given time, from files, as a board would; see"
        " docs/preview.md. Opens a window; without a screen, or with --out, writes a PNG file.",
    )
    parser.add_argument("document", type=Path, metavar="SCENE.json|PLAYLIST.json")
    parser.add_argument("--items", type=Path, metavar="FILE", help="the items, and the location, in JSON")
    parser.add_argument("--size", metavar="WxH", help="size of the image in pixels (the scene's own)")
    parser.add_argument("--at", metavar="TIME", help="2026-11-20T08:00 or 08:00, in the location's time (now)")
    parser.add_argument("--language", metavar="TAG", help="show every scene in this language, such as en or ar")
    parser.add_argument("--out", type=Path, metavar="PNG", help="write the image into this file")
    parser.add_argument("--watch", action="store_true", help="draw again whenever a file that was read changes")
    parser.add_argument("--rotate", metavar="DEGREES", help="rotate the image, as a board's --rotate")
    parser.add_argument("--overscan", metavar="PERCENT", help="leave a margin at each edge, as a board's --overscan")


def call(chosen: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from player.settings import SETTINGS

    faults: list[str] = []
    # After the domain, which loads msgspec without what it does not need.
    from player.display.window.panel import Panel

    def read(flag: str, reader: Callable[[Any], T]) -> T | None:
        written = getattr(chosen, flag)
        try:
            return None if written is None else reader(written)
        except ValueError as error:
            faults.append(f"--{flag}: {error}")
            return None

    from player.preview.times import read_at, read_language
    from player.runtime.demo import has_screen

    size, rotation, overscan = (read(flag, SETTINGS[flag].read) for flag in ("size", "rotate", "overscan"))
    at, language = read("at", read_at), read("language", read_language)
    panel = Panel(rotation=rotation, overscan=overscan)
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
            language=language,
            out=out,
            watch=chosen.watch,
            panel=panel,
        )
    )
