"""Owns what the conductor asks of the rooms: one frozen class a kind of request; plain data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from player.domain.picture import Order
from player.domain.program import LinkSettings, Program, ProgramKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """Put this on the glass."""

    order: Order


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeAt:
    """Say `TimePassed` at this instant (true time); replaces the wake-up asked for before. None: no wake-up is due."""

    instant: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """See to it that every asset of these programs is on disk and whole; replaces what was asked for before. `on_glass`
    names the one that runs: what it lacks cannot be drawn."""

    programs: tuple[Program, ...]
    on_glass: ProgramKey | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepRunning:
    """Store the program that has just begun, and the anchor of its loops; what was staged is staged no longer."""

    body: bytes
    etag: str
    anchor: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepLatest:
    """Store a newer body of the program that runs: its items and location count, its program is the same."""

    body: bytes
    etag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepStaged:
    """Store what waits for the boundary."""

    body: bytes
    etag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DropStaged:
    """What waited has been overtaken or cannot be shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPrograms:
    """The screen was unpaired: nothing of the old workspace may show again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitPairing:
    """Not paired: no manifests and no heartbeats until a code has been claimed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartLink:
    """Paired: poll for manifests and send heartbeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UseSettings:
    """The service has set how often it wants to be asked."""

    settings: LinkSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class BeatSoon:
    """The picture has changed: tell the service without waiting for the next heartbeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PollAfresh:
    """Ask for the whole manifest again, whatever is held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """End the player cleanly; what supervises it starts it anew."""


Action = (
    Show
    | WakeAt
    | Fetch
    | KeepRunning
    | KeepLatest
    | KeepStaged
    | DropStaged
    | ForgetPrograms
    | AwaitPairing
    | StartLink
    | UseSettings
    | BeatSoon
    | PollAfresh
    | Restart
)
