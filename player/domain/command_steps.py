"""Carries out the operator's commands: each once, stored before it is begun, and with one result."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from player.domain import actions as act
from player.domain.commands import KNOWN_COMMANDS, Commands, Outcome
from player.domain.events import Command, FramePresented, StaffAction

log = logging.getLogger(__name__)

Change = tuple[Commands, tuple[act.Action, ...]]

_WORK: Mapping[str, Callable[[str], act.Action]] = {
    "identify": lambda _: act.ShowPin(),
    "reload": lambda _: act.RefetchManifest(),
    "restart": lambda _: act.Restart(),
    "screenshot": lambda identifier: act.SendScreenshot(command=identifier),
    "sendLogs": lambda identifier: act.SendLogs(command=identifier),
}


STAFF: Mapping[StaffAction, act.Action] = {
    StaffAction.RELOAD: act.RefetchManifest(),
    StaffAction.FETCH: act.RecheckAssets(),
    StaffAction.RESTART: act.Restart(),
    StaffAction.PAIR: act.PairAgain(),
}
"""Actions of the page; the conductor identifies the screen and tests the connection itself."""


def begin(commands: Commands, command: Command, *, now: float, at: datetime | None) -> Change:
    """A command has come. `now` is on the monotonic clock, `at` the time, None where it is unknown."""
    if command.id in commands.come:
        return commands, ()
    commands = commands.began(command.id, command.type, since=now)
    if command.type not in KNOWN_COMMANDS:
        log.warning("unknown command received: %r", command.type)
        detail = f"This player does not know the command {command.type!r}. Update the player."
        return end(commands, command.id, Outcome.REFUSED, detail, at=at)
    log.info("command received: %s", command.type)
    return commands, (act.StoreCommands(commands=commands), _WORK[command.type](command.id))


def heard(commands: Commands, identifiers: Iterable[str]) -> Change:
    """The service has heard the results of these."""
    after = commands.heard(frozenset(identifiers))
    return after, () if after is commands else (act.StoreCommands(commands=after),)


def end(commands: Commands, identifier: str, outcome: Outcome, detail: str, *, at: datetime | None) -> Change:
    """A command has ended: the service hears of it at once."""
    after = commands.ended(identifier, outcome, detail, at=at)
    return after, () if after is commands else (act.StoreCommands(commands=after), act.SendHeartbeat())


def end_all(commands: Commands, kind: str, outcome: Outcome, detail: str, *, at: datetime | None) -> Change:
    """All commands of this type have ended."""
    return _ended(commands, [one.id for one in commands.under_way(kind)], outcome, detail, at)


def identified(commands: Commands, frame: FramePresented | None = None, *, at: datetime | None) -> Change:
    """The banner of `identify` is on the glass: once a frame that was asked for after it has been swapped."""
    shown = [one.id for one in commands.under_way("identify") if frame is None or frame.at >= one.since]
    return _ended(commands, shown, Outcome.DONE, "The screen shows its name.", at)


def give_up(commands: Commands, *, now: float, at: datetime | None) -> Change:
    """Fails the commands that take too long."""
    late = [one.id for one in commands.overdue(now)]
    return _ended(commands, late, Outcome.FAILED, "The player did not get it done in time.", at)


def _ended(commands: Commands, identifiers: list[str], outcome: Outcome, detail: str, at: datetime | None) -> Change:
    actions: tuple[act.Action, ...] = ()
    for identifier in identifiers:
        commands, more = end(commands, identifier, outcome, detail, at=at)
        actions += more
    return commands, actions
