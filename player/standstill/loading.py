"""Checks that all that a board needs to start can be loaded; in a process of its own, which may die of it."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import player

_PROGRAM = """
import sys
sys.path[:0] = sys.argv[1:]
from player import broken
from player.standstill.libraries import sentence_of
try:
    from player.cli.run import load
    load()
except ImportError as error:
    print(sentence_of(error))
    sys.exit(2)
except BaseException as error:
    print(broken.what_broke(error))
    sys.exit(2)
"""


@cache
def broken_part() -> str:
    """Names the part that cannot be loaded, and why; empty if all can, or if it takes too long to know."""
    root = str(Path(player.__file__).parents[1])
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _PROGRAM, root],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60.0,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    if done.returncode == 0:
        return ""
    return done.stdout.strip() or f"loading it ends with status {done.returncode}"
