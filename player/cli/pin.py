"""`menu-player pin`."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from player.cli.terminal import say, tell_wrong_settings

if TYPE_CHECKING:
    from player.cli.terminal import Commands


def add(commands: Commands) -> None:
    """Declare the command and its flags."""
    parser = commands.add_parser(
        "pin",
        help="show the PIN of this screen's page on the screen",
        description="Have the player on this device show a PIN in a corner of its screen for two minutes. With it, a"
        " browser on another machine signs in to the screen's page.",
    )
    parser.add_argument("--diagnostics-port", metavar="N", help="port of the page (as the player's settings say)")
    parser.add_argument("--config", metavar="FILE", help="the player's configuration file")


def call(chosen: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from menu.text.phrase import phrase
    from player.page.tool import NotRunningError, PageTool
    from player.settings import PageAccess, SettingsError, read_settings

    try:
        settings = read_settings(vars(chosen), os.environ, paired_with=lambda _: "http://127.0.0.1")
    except SettingsError as error:
        return tell_wrong_settings(error)
    if settings.page is not PageAccess.NETWORK:
        say(phrase("The page is closed to other machines (page in the settings), so there is no PIN."))
        return 1
    try:
        status = PageTool(settings.diagnostics_port).post("/pin")
    except NotRunningError as error:
        say(error.words, to=sys.stderr)
        return 1
    if status == 403 and settings.page_pin is not None:
        say(phrase("This screen has a PIN of its own (page_pin in its settings), and shows none."))
        return 1
    if status != 200:
        say(phrase("The player shows no PIN (its page answers {status}).", status=status), to=sys.stderr)
        return 1
    say(phrase("The PIN stands in a corner of the screen, for two minutes."))
    return 0
