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
from importlib import import_module
from typing import TYPE_CHECKING

from player.cli.terminal import WRONG_USE, tell_wrong_settings
from player.device.systemd import is_kept
from player.standstill.libraries import LibraryError, check_pyside, sentence_of

if TYPE_CHECKING:
    from player.cli.terminal import Commands
    from player.settings import Settings
    from player.standstill.hindrance import Hindrance

log = logging.getLogger(__name__)

WITHOUT_QT = (
    *("player.runtime.conductor", "player.runtime.restore", "player.storage.store"),
    *("player.device.board_file", "player.device.health", "player.device.heaps", "player.device.synchronised"),
    *("player.display.layout.menu", "player.display.layout.page_turns", "player.display.layout.text.text_fit"),
    *("player.display.media.asset_format", "player.display.typography.hyphenation"),
)
"""Imported before PySide6, which reads the source of each module that is imported after it."""


def add(commands: Commands) -> None:
    """Declare the command and its flags."""
    from player.settings import add_flags

    parser = commands.add_parser("run", help="show the board", description="Show the board of this screen.")
    add_flags(parser)


def call(chosen: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from player.settings import SettingsError
    from player.storage.durable import StorageError

    began = time.monotonic()
    _wait_for_no_reader()
    try:
        settings = _settings(chosen)
        for name in WITHOUT_QT:
            import_module(name)
        _check_pyside()
        from player.runtime.app import run

        code = run(settings, loaded_in=time.monotonic() - began)
        if code and is_kept():
            # What that thread lacks is told on the glass.
            import player.runtime.network_thread  # noqa: F401
    except SettingsError as error:
        if is_kept():
            from player.standstill.hindrance import wrong_settings

            return _mend(wrong_settings(error), chosen)
        return tell_wrong_settings(error)
    except StorageError as error:
        if is_kept():
            from player.standstill.hindrance import state_in_use

            return _mend(state_in_use(error, settings), chosen)
        log.critical("the state directory cannot be used: %s", error)
        return 1
    return code


def load() -> None:
    """Imports what a board needs to start, as `call` does. Raises whatever is raised there."""
    for name in WITHOUT_QT:
        import_module(name)
    check_pyside()
    for name in ("player.runtime.app", "player.runtime.network_thread"):
        import_module(name)


def _settings(chosen: argparse.Namespace) -> Settings:
    """Raises SettingsError."""
    from player.boot_file.note import read_note
    from player.settings import read_settings
    from player.storage.credentials import paired_with

    return read_settings(vars(chosen), os.environ, paired_with=paired_with, boot_file=read_note())


def _check_pyside() -> None:
    """Raises ImportError. A board that is kept plays what it can, with an older Qt or without films."""
    try:
        check_pyside()
    except LibraryError as error:
        if not is_kept():
            raise
        log.error("the board plays what it can: %s", error)


def _wait_for_no_reader() -> None:
    """Drops log lines that the journal does not take: one that hangs, as on a dying card, must not stop the board. This
    holds for lines of Qt and the libraries, too."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # it may be closed, or none at all
            mode = os.fstat(stream.fileno()).st_mode
            if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
                os.set_blocking(stream.fileno(), False)


def tell_not_whole(error: ImportError, chosen: argparse.Namespace | None = None) -> int:
    """Reports a module, of the player or of a library, that is missing or too old."""
    from player.standstill.hindrance import not_whole

    if is_kept() and (chosen is None or chosen.command == "run"):
        return _mend(not_whole(error.name or str(error)), chosen)
    print(f"menu-player: {sentence_of(error)}", file=sys.stderr)  # noqa: T201
    return WRONG_USE


def _mend(found: Hindrance, chosen: argparse.Namespace | None) -> int:
    """Shows what to repair until it is done, and then starts again."""
    from player.standstill.mend import mend

    gc.enable()
    mend(found, lambda: _hindrance(found, chosen))
    return 0


def _hindrance(found: Hindrance, chosen: argparse.Namespace | None) -> Hindrance | None:
    """Checks again whether the player can start; None if it can."""
    if found.settings is None or chosen is None:
        try:
            import_module(found.faults[0].where)
        except ImportError:
            return found
        return None
    from player.settings import SettingsError
    from player.standstill.hindrance import state_in_use, wrong_settings
    from player.storage.durable import StorageError
    from player.storage.lock import lock_readable

    try:
        settings = _settings(chosen)
        if (lock := lock_readable(settings.state)) is not None:
            lock.close()
    except SettingsError as error:
        return wrong_settings(error)
    except StorageError as error:
        return state_in_use(error, settings)
    return None
