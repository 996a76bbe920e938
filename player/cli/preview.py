"""`menu-player preview`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from player.cli.terminal import Commands

T = TypeVar("T")


def add(commands: Commands) -> None:
    """Declare the command and its flags."""
    from menu.documents.converters import language_tag
    from player.setting_values import size

    parser = commands.add_parser(
        "preview",
        help="draw a scene from files, without a service",
        description="Draw a scene from files, as a board would, into a PNG file; see docs/preview.md.",
    )
    parser.add_argument("document", type=Path, metavar="SCENE.json")
    parser.add_argument("--items", type=Path, metavar="FILE", help="the items, and the location, in JSON")
    parser.add_argument(
        "--size", type=_checked(size), metavar="WxH", help="size of the image in pixels (the scene's own)"
    )
    parser.add_argument(
        "--at",
        type=_checked(datetime.fromisoformat),
        metavar="TIME",
        help="such as 2026-11-20T08:00, in the location's time (now)",
    )
    parser.add_argument(
        "--language",
        type=_checked(language_tag),
        metavar="TAG",
        help="show every scene in this language, such as en or ar",
    )
    parser.add_argument(
        "--all-columns", action="store_true", help="draw menus and grids with each number of columns, side by side"
    )
    said = "write the image into this file, a .png or .jpg (SCENE.png here)"
    parser.add_argument("--out", type=_picture, metavar="FILE", help=said)


def call(chosen: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from player.standstill.libraries import check_pyside

    check_pyside()
    from player.preview.show import Options, run_preview

    return run_preview(
        Options(
            document=chosen.document,
            items=chosen.items,
            size=chosen.size,
            at=chosen.at or datetime.now(UTC),
            language=chosen.language,
            all_columns=chosen.all_columns,
            out=chosen.out or Path(f"{chosen.document.stem}.png"),
        )
    )


def _picture(text: str) -> Path:
    file = Path(text)
    if file.suffix.lower() not in (".png", ".jpg"):
        raise argparse.ArgumentTypeError(f"{text} does not end in .png or .jpg: images are PNG or JPEG files")
    return file


def _checked(reader: Callable[[str], T]) -> Callable[[str], T]:
    from menu.documents.converters import FieldError

    def read(text: str) -> T:
        try:
            return reader(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        except FieldError as error:
            raise argparse.ArgumentTypeError(f"{text!r} {error.detail}") from None

    return read
