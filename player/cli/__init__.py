"""The command line of `menu-player`. Each command imports its modules when called, so that a board starts fast."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from menu.log_limit import LogLimit
from player.cli.terminal import WRONG_USE
from player.recent_log import RECENT_LOG
from player.version import VERSION

__all__ = ["WRONG_USE", "build_parser", "main"]

COMMANDS = ("run", "demo", "preview", "moment", "pin", "doctor", "discover", "support-bundle")

_LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    chosen = None
    given = sys.argv[1:] if arguments is None else arguments
    if "run" in given[:1]:
        # The objects of a start stay, so a search for garbage finds nothing. The player enables it again later.
        gc.disable()
    try:
        chosen = build_parser([name for name in COMMANDS if name in given[:1]] or COMMANDS).parse_args(given)
        _log_to_terminal(is_verbose=chosen.verbose)
        code: int = _module(chosen.command).call(chosen)
        if sys.stdout is not None and chosen.command != "run":
            sys.stdout.flush()
    except ImportError as error:
        if "support-bundle" in given[:1] or (error.name or "").partition(".")[0] == "player":
            # What is broken is no library, or a file tells of it.
            raise
        from player.cli.run import tell_not_whole

        return tell_not_whole(error, chosen)
    except KeyboardInterrupt:
        return 130  # As of shells after Ctrl-C.
    except BrokenPipeError:
        # The reader has gone, as `head` does.
        return 1
    finally:
        _drop_what_no_reader_took()
    return code


def _log_to_terminal(*, is_verbose: bool) -> None:
    logging.basicConfig(
        level=logging.DEBUG if is_verbose else logging.INFO,
        format="%(levelname)s %(name)s: %(message)s" if "JOURNAL_STREAM" in os.environ else _LOG_FORMAT,
        stream=sys.stderr,
    )
    logging.getLogger().addHandler(RECENT_LOG)
    limit = LogLimit()
    for handler in logging.getLogger().handlers:
        handler.addFilter(limit)
    for chatty in ("httpx", "httpcore", "apscheduler", "asyncio"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def build_parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="menu-player", description="The device runtime of a digital menu board.")
    parser.add_argument("--version", action="version", version=f"menu-player {VERSION}")
    parser.add_argument("--verbose", action="store_true", help="log details")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in names:
        _module(name).add(commands)
    return parser


def _module(command: str) -> ModuleType:
    return import_module(f"player.cli.{command.replace('-', '_')}")


def _drop_what_no_reader_took() -> None:
    """Discards output that cannot be written: at its end Python tries again, and ends with a status of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (BlockingIOError, BrokenPipeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
