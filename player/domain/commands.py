"""The operator's commands to this screen: which are new, which are under way, and what has become of them; pure.

A command has one result, which is told until the service has heard it. A restart is a result by itself: what was under
way when the player ended has failed, and `restart` is done.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Struct
from msgspec.structs import replace

KNOWN_COMMANDS = frozenset({"identify", "reload", "restart", "screenshot", "sendLogs"})

MAX_REMEMBERED = 64
"""Ids of commands that have come: a command that is sent twice is done once."""

MAX_RESULTS = 20
"""Commands under way, and results that the service has not heard: the oldest is forgotten."""

COMMAND_SECONDS = 120.0
"""A command that takes longer has failed."""

IDENTIFY_WITHIN_SECONDS = 15.0
"""The same for `identify`."""

_LONGEST: Mapping[str, float] = {"identify": IDENTIFY_WITHIN_SECONDS}


class Outcome(StrEnum):
    """The outcome of a command."""

    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"


class Result(Struct, frozen=True, kw_only=True):
    """The result of a command: `detail` is a sentence for the operator, `at` None while nobody knows the time."""

    id: str
    outcome: Outcome
    detail: str
    at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


class Begun(Struct, frozen=True, kw_only=True):
    """A command that is under way, since so many seconds of the monotonic clock."""

    id: str
    type: str
    since: float


class Commands(Struct, frozen=True, kw_only=True):
    """The commands that have come; the newest last. `come` are the ids of all."""

    come: tuple[str, ...] = ()
    begun: tuple[Begun, ...] = ()
    results: tuple[Result, ...] = ()

    def began(self, identifier: str, kind: str, *, since: float) -> Commands:
        """The same with one more, which is under way."""
        return replace(
            self,
            come=(*self.come, identifier)[-MAX_REMEMBERED:],
            begun=(*self.begun, Begun(id=identifier, type=kind, since=since))[-MAX_RESULTS:],
        )

    def ended(self, identifier: str, outcome: Outcome, detail: str, *, at: datetime | None) -> Commands:
        """The same with the result of one that is under way."""
        if all(one.id != identifier for one in self.begun):
            return self
        result = Result(id=identifier, outcome=outcome, detail=detail, at=at)
        return replace(
            self,
            begun=tuple(one for one in self.begun if one.id != identifier),
            results=(*self.results, result)[-MAX_RESULTS:],
        )

    def heard(self, identifiers: Collection[str]) -> Commands:
        """The same without these results: the service has them."""
        kept = tuple(result for result in self.results if result.id not in identifiers)
        return self if kept == self.results else replace(self, results=kept)

    def forgotten(self) -> Commands:
        """The same without what another operator has asked for."""
        return Commands(come=self.come)

    def under_way(self, kind: str) -> tuple[Begun, ...]:
        """The commands of this type."""
        return tuple(one for one in self.begun if one.type == kind)

    def overdue(self, now: float) -> tuple[Begun, ...]:
        """The commands that have taken too long."""
        return tuple(one for one in self.begun if now - one.since >= _LONGEST.get(one.type, COMMAND_SECONDS))

    def after_restart(self, *, at: datetime | None) -> Commands:
        """The commands as the process after the one that stored this has them."""
        commands = self
        for one in self.begun:
            if one.type == "restart":
                commands = commands.ended(one.id, Outcome.DONE, "The player runs again.", at=at)
            else:
                detail = "The player was restarted before it was done. Send the command again."
                commands = commands.ended(one.id, Outcome.FAILED, detail, at=at)
        return commands
