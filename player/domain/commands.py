"""Tracks the operator's commands to this screen: new, running, and their results; pure.

A command has one result, which is sent until the service confirms it. A restart is a result by itself: commands that
were running when the player ended have failed, and `restart` is done.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Struct
from msgspec.structs import replace

MAX_REMEMBERED = 64
"""Ids of commands that have come: a command that is sent twice is done once."""

MAX_RESULTS = 20
"""Commands under way, and results that the service has not heard: the oldest is forgotten."""

COMMAND_SECONDS = 120.0
"""A command that takes longer has failed."""


class Outcome(StrEnum):
    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"


class Result(Struct, frozen=True, kw_only=True):
    """Result of a command: `detail` is a sentence for the operator, `at` None while the time is not known."""

    id: str
    outcome: Outcome
    detail: str
    at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


class Begun(Struct, frozen=True, kw_only=True):
    """A running command, begun at so many seconds of the monotonic clock."""

    id: str
    type: str
    since: float


class Commands(Struct, frozen=True, kw_only=True):
    """Commands received; the newest last. `come` are the ids of all."""

    come: tuple[str, ...] = ()
    begun: tuple[Begun, ...] = ()
    results: tuple[Result, ...] = ()

    def began(self, identifier: str, kind: str, *, since: float) -> Commands:
        """Adds a running command."""
        return replace(
            self,
            come=(*self.come, identifier)[-MAX_REMEMBERED:],
            begun=(*self.begun, Begun(id=identifier, type=kind, since=since))[-MAX_RESULTS:],
        )

    def ended(self, which: Callable[[Begun], bool], outcome: Outcome, detail: str, *, at: datetime | None) -> Commands:
        """Sets the result of running commands."""
        over = tuple(one for one in self.begun if which(one))
        results = (*self.results, *(Result(id=one.id, outcome=outcome, detail=detail, at=at) for one in over))
        begun = tuple(one for one in self.begun if one not in over)
        return replace(self, begun=begun, results=results[-MAX_RESULTS:]) if over else self

    def heard(self, identifiers: Collection[str]) -> Commands:
        """Removes results that the service has received."""
        return replace(self, results=tuple(result for result in self.results if result.id not in identifiers))

    def forgotten(self) -> Commands:
        """Removes requests of another operator."""
        return Commands(come=self.come)

    def given_up(self, now: float, *, at: datetime | None) -> Commands:
        """Fails commands that take too long."""
        detail = "The player did not get it done in time."
        return self.ended(lambda one: now - one.since >= COMMAND_SECONDS, Outcome.FAILED, detail, at=at)

    def after_restart(self, *, at: datetime | None) -> Commands:
        """Returns the commands for the process after the one that stored this."""
        commands, lost = self, "The player was restarted before it was done. Send the command again."
        for one in self.begun:
            if one.type == "restart":
                commands = commands.ended(one.__eq__, Outcome.DONE, "The player runs again.", at=at)
            else:
                commands = commands.ended(one.__eq__, Outcome.FAILED, lost, at=at)
        return commands
