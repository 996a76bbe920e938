"""`menu-player preview`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime
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
        help="draw a scene from files, without a service",
        description="Draw a scene from files, as a board would, into a PNG file; see docs/preview.md.",
    )
    parser.add_argument("document", type=Path, metavar="SCENE.json")
    parser.add_argument("--items", type=Path, metavar="FILE", help="the items, and the location, in JSON")
    parser.add_argument("--size", metavar="WxH", help="size of the image in pixels (the scene's own)")
    parser.add_argument("--at", metavar="TIME", help="such as 2026-11-20T08:00, in the location's time (now)")
    parser.add_argument("--language", metavar="TAG", help="show every scene in this language, such as en or ar")
    parser.add_argument("--out", type=Path, metavar="PNG", help="write the image into this file (SCENE.png here)")


def call(chosen: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from player.domain.documents.converters import FieldError, language_tag
    from player.setting_values import size

    faults: list[str] = []

    def read(flag: str, reader: Callable[[Any], T]) -> T | None:
        written = getattr(chosen, flag)
        try:
            return None if written is None else reader(written)
        except ValueError as error:
            faults.append(f"--{flag}: {error}")
        except FieldError as error:
            faults.append(f"--{flag}: {written!r} {error.detail}")
        return None

    pixels, at, language = read("size", size), read("at", _time), read("language", language_tag)
    if faults:
        print("\n".join(f"menu-player preview: {fault}" for fault in faults), file=sys.stderr)  # noqa: T201
        return WRONG_USE
    from player.display.qt.binding import load_binding

    load_binding()
    from player.preview.show import Options, run_preview

    return run_preview(
        Options(
            document=chosen.document,
            items=chosen.items,
            size=pixels,
            at=at or datetime.now(UTC),
            language=language,
            out=chosen.out or Path(f"{chosen.document.stem}.png"),
        )
    )


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a time like 2026-11-20T08:00") from None
