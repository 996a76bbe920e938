"""`menu-player moment`."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from player.cli.terminal import Commands

TOLD, NOT_TOLD = 0, 1
"""Exit codes."""
FIRST_YEAR, LAST_YEAR = 2000, 9000


def add(commands: Commands) -> None:
    """Declare the command and its flags."""
    parser = commands.add_parser(
        "moment",
        help="tell what a board shows at an instant, and why",
        description="Tell in JSON what a board with this manifest shows at an instant, and why; see docs/preview.md.",
    )
    parser.add_argument("manifest", type=Path, metavar="MANIFEST.json")
    parser.add_argument("--screen", metavar="ID", help="the screen, which overrides may name")
    parser.add_argument(
        "--at", type=_time, metavar="TIME", help="such as 2026-11-20T08:00, in the location's time (now)"
    )
    parser.add_argument("--until", type=_time, metavar="TIME", help="tell instead what shows from then until this time")


def call(chosen: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from menu.documents.manifest_reader import MAX_BODY, ManifestError, read_manifest
    from player.plain_file import read_plain
    from player.preview.moments import instant_in, told_in_json

    try:
        manifest = read_manifest(read_plain(chosen.manifest, MAX_BODY + 1))
    except (OSError, ManifestError) as error:
        why = error.detail if isinstance(error, ManifestError) else error.strerror
        print(f"{chosen.manifest}: {why}", file=sys.stderr)  # noqa: T201
        return NOT_TOLD
    at = instant_in(chosen.at or datetime.now(UTC), manifest)
    until = None if chosen.until is None else instant_in(chosen.until, manifest)
    print(told_in_json(manifest, at, until, screen_id=chosen.screen))  # noqa: T201
    return TOLD


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 2026-11-20T08:00") from None
    if not FIRST_YEAR <= time.year <= LAST_YEAR:
        raise argparse.ArgumentTypeError(f"{text!r} is not in the years from {FIRST_YEAR} to {LAST_YEAR}")
    return time
