"""Owns how many videos are decoded at a time: those that ask first, and the next as soon as one has left."""

from __future__ import annotations

from collections.abc import Callable

MOST_DECODERS = 2
"""What a Pi decodes beside its own drawing; each full HD decoder takes some 50 MB."""


class Decoders:
    """A turn is named by what begins it: `ask` calls it, now or when another turn has ended."""

    def __init__(self) -> None:
        self._asked: list[Callable[[], None]] = []

    def ask(self, begin: Callable[[], None]) -> None:
        """Call `begin` as soon as a decoder is free."""
        self._asked.append(begin)
        if len(self._asked) <= MOST_DECODERS:
            begin()

    def leave(self, begin: Callable[[], None]) -> None:
        """The turn of `begin` has ended, or it no longer waits for one."""
        if begin not in self._asked:
            return
        at = self._asked.index(begin)
        del self._asked[at]
        if at < MOST_DECODERS <= len(self._asked):
            self._asked[MOST_DECODERS - 1]()
