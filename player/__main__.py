"""Starts `menu-player`. Where a part of the program is broken, the commands that look for faults still say so."""

from __future__ import annotations

import sys

__all__ = ["main"]

TELLING = ("doctor", "moment", "support-bundle")
"""Commands that say what is broken. The others end with the error: what starts the player sees that it has died."""


def main() -> int:
    """Runs one command; returns the exit code."""
    command = next((each for each in sys.argv[1:] if not each.startswith("-")), "")
    try:
        from player.cli import main as run_command
    except BaseException as error:
        if command not in TELLING or isinstance(error, KeyboardInterrupt):
            raise
        return _tell(error, command)
    try:
        return run_command()
    except Exception as error:
        if command not in TELLING:
            raise
        return _tell(error, command)


def _tell(error: BaseException, command: str) -> int:
    from player.broken import tell

    return tell(error, command)


if __name__ == "__main__":
    sys.exit(main())
