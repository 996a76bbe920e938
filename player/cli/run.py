"""`menu-player run`."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import stat
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from player.cli.doctor import place_of
from player.cli.terminal import tell_wrong_settings
from player.device.systemd import is_kept

if TYPE_CHECKING:
    from player.cli.terminal import Commands
    from player.standstill.hindrance import Hindrance


def add(commands: Commands) -> None:
    """Declare the command and its flags."""
    from player.settings import add_flags

    parser = commands.add_parser("run", help="show the board", description="Show the board of this screen.")
    add_flags(parser)


def call(chosen: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from player.boot_file.note import read_note
    from player.settings import SettingsError, read_settings
    from player.standstill.hindrance import lacking, not_whole, state_in_use, wrong_settings
    from player.storage.credentials import paired_with
    from player.storage.durable import StorageError

    began = time.monotonic()
    # The objects of a start stay, so a search for garbage finds nothing. The player enables it again later.
    gc.disable()
    _wait_for_no_reader()
    if is_kept() and (missing := lacking()):
        return _mend(not_whole(missing), chosen)
    try:
        settings = read_settings(vars(chosen), os.environ, paired_with=paired_with, boot_file=read_note())
    except SettingsError as error:
        if is_kept():
            return _mend(wrong_settings(error), chosen)
        return tell_wrong_settings(error)
    try:
        from player.display.qt.binding import load_binding

        load_binding()
        from player.runtime.app import run
    except ImportError as error:
        return tell_not_whole(error, chosen)
    try:
        return run(settings, loaded_in=time.monotonic() - began)
    except StorageError as error:
        if is_kept():
            return _mend(state_in_use(error, settings), chosen)
        logging.getLogger(__name__).critical("the state directory cannot be used: %s", error)
        return 1


def _wait_for_no_reader() -> None:
    """A journal that stands still, as on a card that is dying, must not stop the board: what it does not take is lost.
    This holds for what Qt and the libraries print, too."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # it may be closed, or none at all
            mode = os.fstat(stream.fileno()).st_mode
            if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
                os.set_blocking(stream.fileno(), False)


def tell_not_whole(error: ImportError, chosen: argparse.Namespace | None = None) -> int:
    """The installation lacks parts."""
    from player.standstill.hindrance import lacking, not_whole

    hindrance = not_whole(lacking() or (error.name or str(error),))
    if is_kept():
        return _mend(hindrance, chosen)
    print(f"menu-player: {hindrance.title}: {hindrance.text}", file=sys.stderr)  # noqa: T201
    return 1


def _mend(hindrance: Hindrance, chosen: argparse.Namespace | None) -> int:
    """Show what to mend until it is, and then start again."""
    from player.standstill.mend import mend, start_again

    gc.enable()
    flags = vars(chosen) if chosen is not None else {}
    mend(hindrance, lambda: _hindrance(chosen), place=lambda: place_of(flags), again=start_again)
    return 0


def _hindrance(chosen: argparse.Namespace | None) -> Hindrance | None:
    """What keeps the player from starting now."""
    from player.standstill import hindrance

    if missing := hindrance.lacking():
        return hindrance.not_whole(missing)
    if chosen is None:
        return None
    from player.boot_file.note import read_note
    from player.settings import SettingsError, read_settings
    from player.storage.credentials import paired_with
    from player.storage.durable import StorageError
    from player.storage.lock import lock_readable

    try:
        settings = read_settings(vars(chosen), os.environ, paired_with=paired_with, boot_file=read_note())
        if (lock := lock_readable(settings.state)) is not None:
            lock.close()
    except SettingsError as error:
        return hindrance.wrong_settings(error)
    except StorageError as error:
        return hindrance.state_in_use(error, settings)
    return None
