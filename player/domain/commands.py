"""The operator's commands to this screen: which of them are new; pure."""

from __future__ import annotations

from msgspec import Struct

KNOWN_COMMANDS = frozenset({"identify", "reload", "restart", "screenshot", "sendLogs"})

MAX_REMEMBERED = 64
"""Ids of commands done: a command that is sent twice is done once."""


class Commands(Struct, frozen=True, kw_only=True):
    """What is known of the commands that have come; the newest last."""

    done: tuple[str, ...] = ()

    def with_done(self, identifier: str) -> Commands:
        """The same with one more."""
        return Commands(done=(*self.done, identifier)[-MAX_REMEMBERED:])
