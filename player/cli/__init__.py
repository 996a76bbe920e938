"""The command line of `menu-player`. Each command imports its modules when called, so that a board starts fast."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from player.cli import demo, discover, doctor, pin, preview, run, support_bundle
from player.cli.terminal import WRONG_USE
from player.log_limit import LogLimit
from player.recent_log import RECENT_LOG
from player.version import VERSION

__all__ = ["WRONG_USE", "build_parser", "main"]

COMMANDS: dict[str, ModuleType] = {
    "run": run,
    "demo": demo,
    "preview": preview,
    "pin": pin,
    "doctor": doctor,
    "discover": discover,
    "support-bundle": support_bundle,
}

INTERRUPTED = 130
"""Exit code after Ctrl-C, as of shells."""

_LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    chosen = None
    try:
        chosen = build_parser().parse_args(arguments)
        _log_to_terminal(is_verbose=chosen.verbose)
        code: int = COMMANDS[chosen.command].call(chosen)
        if sys.stdout is not None and chosen.command != "run":
            sys.stdout.flush()
    except ImportError as error:
        return run.tell_not_whole(error, chosen)
    except KeyboardInterrupt:
        return INTERRUPTED
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
    for chatty in ("httpx", "httpcore", "apscheduler", "uvicorn", "asyncio"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def build_parser() -> argparse.ArgumentParser:
    """Every command and its flags."""
    parser = argparse.ArgumentParser(prog="menu-player", description="The device runtime of a digital menu board.")
    parser.add_argument("--version", action="version", version=f"menu-player {VERSION}")
    parser.add_argument("--verbose", action="store_true", help="log details")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in COMMANDS.values():
        module.add(commands)
    return parser


def _drop_what_no_reader_took() -> None:
    """Python writes it once more at its end, and where that fails, ends with a status of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (BlockingIOError, BrokenPipeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
