"""`menu-player doctor`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from player.cli.terminal import Commands
    from player.standstill.stopped import StoppedPlayer


def add(commands: Commands) -> None:
    """Declare the command and its flags."""
    from player.settings import add_flags

    parser = commands.add_parser(
        "doctor",
        help="say what is wrong with this device's player, and what to do",
        description="Say what is wrong with the player of this device, why, and what to do: as the running player finds"
        " it, or, if it does not run or cannot start, from its settings, its state directory and this device. Changes"
        " nothing. The exit status is 0 if nothing is wrong or there are only notes, 1 if there are warnings, 2 if"
        " there are faults. docs/field-guide.md lists the findings.",
    )
    add_flags(parser)
    parser.add_argument("--json", action="store_true", help="write the findings as JSON")


def call(chosen: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from menu.text.phrase import language_of_terminal
    from menu.text.wording import FALLBACK_LOCALE
    from player.standstill.examine import examine

    stopped = place_of(vars(chosen))
    locale = FALLBACK_LOCALE if chosen.json else language_of_terminal(os.environ)
    found = examine(stopped, locale=locale)
    print(found.document().decode() if chosen.json else found.text(locale))  # noqa: T201
    return found.exit_code


def place_of(flags: Mapping[str, Any]) -> StoppedPlayer:
    """Finds the settings and the environment of the player."""
    from player.boot_file.note import read_note
    from player.settings import SettingsError, read_settings
    from player.standstill.stopped import StoppedPlayer
    from player.standstill.unit import unit_environment
    from player.storage.credentials import paired_with

    # The player's settings may be in its unit, which a shell knows nothing of.
    environment = {**unit_environment(), **os.environ}
    faults: tuple[str, ...] = ()
    try:
        settings = read_settings(flags, environment, paired_with=paired_with, boot_file=read_note())
    except SettingsError as error:
        settings, faults = error.settings, error.faults
    return StoppedPlayer(settings=settings, faults=faults, environment=environment)
