"""Publishes committed changes to the parts of the service; imports no other part of it.

A unit of work collects its changes and publishes them after its commit, in the thread that wrote. Listeners run in that
thread: they must be quick and thread-safe, and reach the event loop with `call_soon_threadsafe`. The hub also gets the
changes of other processes on the same database (`storage.relay`).
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

import msgspec

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ContentChanged:
    """Content of boards of this workspace may have changed: of all, or of those in the other fields. `location` and
    `group` restrict it to boards there."""

    workspace: str
    items: tuple[tuple[str, str], ...] = ()
    """The id and the category of each changed item: boards that show it or its category."""
    playlist: str | None = None
    """Boards that play it, or whose location has had it."""
    location: str | None = None
    group: str | None = None
    """Boards at the locations of this group."""

    @property
    def whole(self) -> bool:
        """Whether it concerns every board of its places."""
        return not self.items and self.playlist is None


@dataclass(frozen=True, slots=True)
class ScreenChanged:
    """A screen was paired, changed, given a token, or removed."""

    workspace: str
    screen: str


@dataclass(frozen=True, slots=True)
class ScreenReported:
    """A screen went online or offline, presents something else, reports other findings, or has sent a screenshot."""

    workspace: str
    screen: str


@dataclass(frozen=True, slots=True)
class RolloutsChanged:
    """A rollout of this workspace was created, changed, stopped or removed."""

    workspace: str


@dataclass(frozen=True, slots=True)
class DeliveriesQueued:
    """Deliveries to webhooks were queued."""


@dataclass(frozen=True, slots=True)
class KeysChanged:
    """A key of this workspace was revoked."""

    workspace: str


@dataclass(frozen=True, slots=True)
class CommandGiven:
    """A command for a screen was queued, or a setting changed that its heartbeats bring: the next one is wanted now."""

    workspace: str
    screen: str


@dataclass(frozen=True, slots=True)
class CodeClaimed:
    """A pairing code was claimed; `digest` is that of its device code."""

    digest: str


@dataclass(frozen=True, slots=True)
class ChangesMissed:
    """Changes may have been missed: reload everything that is cached in memory."""


Change = (
    ContentChanged
    | ScreenChanged
    | ScreenReported
    | RolloutsChanged
    | DeliveriesQueued
    | KeysChanged
    | CommandGiven
    | CodeClaimed
    | ChangesMissed
)
Listener = Callable[[Change], None]

_KINDS: dict[str, type[Change]] = {kind.__name__: kind for kind in get_args(Change)}


def read_change(kind: str, fields: object) -> Change:
    """Parses a change from the name of its class and its fields in JSON. Raises ValueError and KeyError."""
    try:
        return msgspec.convert(fields, _KINDS[kind])
    except msgspec.ValidationError as fault:
        raise ValueError(f"not a {kind}") from fault


class ChangeHub:
    """Passes each change to every listener, in the order of subscription."""

    def __init__(self) -> None:
        self._listeners: tuple[Listener, ...] = ()
        self._missed = False

    def subscribe(self, listener: Listener) -> None:
        """Adds a listener. Called while the application is built, before the first write."""
        self._listeners = (*self._listeners, listener)

    def publish(self, changes: tuple[Change, ...]) -> None:
        """Calls all listeners; equal changes of one unit of work are published once.

        A listener that fails, for example because the database is gone, does not stop the others. It gets
        `ChangesMissed` from the next `catch_up`.
        """
        for change in dict.fromkeys(changes):
            for listener in self._listeners:
                try:
                    listener(change)
                except Exception:
                    self._missed = True
                    _log.exception("a listener failed on a change; caches will be reloaded")

    def catch_up(self) -> None:
        """Publishes `ChangesMissed` if a listener has failed since the last call."""
        if self._missed:
            self._missed = False
            self.publish((ChangesMissed(),))
