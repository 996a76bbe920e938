"""Exit codes, and sentences to the person at the terminal in their language."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, TextIO, TypeAlias

if TYPE_CHECKING:
    from menu.text.phrase import Phrase
    from player.settings import SettingsError

    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001

WRONG_USE = 2
"""Exit code for invalid settings."""


def say(words: Phrase, *, to: TextIO | None = None) -> None:
    """Tell the person at the terminal, in their language."""
    from menu.text.phrase import in_language, language_of_terminal

    print(in_language(words, language_of_terminal(os.environ)), file=to)


def tell_wrong_settings(error: SettingsError) -> int:
    """Prints the faults of settings; returns the exit code."""
    from menu.text.phrase import phrases

    count = len(error.faults)
    title = phrases("A setting of this screen is wrong", "{count} settings of this screen are wrong", count=count)
    say(title, to=sys.stderr)
    for fault in error.faults:
        say(fault, to=sys.stderr)
    return WRONG_USE
