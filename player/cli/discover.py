"""`menu-player discover`."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from player.cli.terminal import WRONG_USE, say

if TYPE_CHECKING:
    from player.cli.terminal import Commands
    from player.link.discovery import Found


def add(commands: Commands) -> None:
    """Declare the command and its flags."""
    parser = commands.add_parser(
        "discover",
        help="find screens and menu services on this network",
        description="Find the screens and the menu services that announce themselves on this network. A result is a"
        " suggestion: anybody on the network may announce anything, and a service's TLS certificate decides whether it"
        " is genuine. The exit status is 0 if there is any, 1 if there is none.",
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="how long to listen, up to 60 (3)")
    parser.add_argument("--json", action="store_true", help="write JSON instead of a table")


def call(chosen: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    import asyncio

    from menu.text.phrase import language_of_terminal, phrase, phrases
    from player.link.discovery import MAX_SEARCH_SECONDS, discover

    if not 0 <= chosen.seconds <= MAX_SEARCH_SECONDS:
        print(f"menu-player discover: --seconds is from 0 to {MAX_SEARCH_SECONDS:g}", file=sys.stderr)  # noqa: T201
        return WRONG_USE
    try:
        found = asyncio.run(discover(seconds=chosen.seconds))
    except OSError as error:
        say(phrase("The network cannot be searched: {why}", why=error.strerror or str(error)), to=sys.stderr)
        return WRONG_USE
    if chosen.json:
        print(found.json)  # noqa: T201
    else:
        rows = _found_rows(found, language_of_terminal(os.environ))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows if len(rows) > 1 else ():
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            print("  ".join(cells).rstrip())  # noqa: T201
    if found.left_out:
        left = phrases(
            "{count} more announced itself and is not listed.",
            "{count} more announced themselves and are not listed.",
            count=found.left_out,
        )
        say(left, to=sys.stderr)
    if found.services or found.players:
        return 0
    say(phrase("No screen and no menu service announced itself on this network."), to=sys.stderr)
    return 1


def _found_rows(found: Found, locale: str) -> list[tuple[str, ...]]:
    from menu.text.phrase import in_language, phrase

    states = {
        "ok": phrase("ok"),
        "warning": phrase("warning"),
        "fault": phrase("fault"),
    }
    titles = (phrase("Name"), "ID", phrase("State"), phrase("Version"), phrase("Address"))
    rows: list[tuple[str, ...]] = [("", *(in_language(title, locale).upper() for title in titles))]
    service, screen = in_language(phrase("service"), locale), in_language(phrase("screen"), locale)
    nameless = in_language(phrase("(not paired)"), locale)
    rows += [(service, "", "", "", "", url) for url in found.services]
    rows += [
        (
            screen,
            each.name or nameless,
            each.short_id,
            in_language(states.get(each.state, each.state), locale),
            each.version,
            each.page or each.address,
        )
        for each in found.players
    ]
    return rows
