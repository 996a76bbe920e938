"""Publishes committed changes to the parts of the service; imports no other part of it.

A unit of work collects its changes and publishes them after its commit, in the thread that wrote. Listeners run in that
thread: they must be quick and thread-safe, and reach the event loop with `call_soon_threadsafe`. The hub also gets the
changes of other processes on the same database (`storage.relay`).
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ContentChanged:
    """The content of boards of this workspace may have changed: items, a publish, a location."""

    workspace: str


@dataclass(frozen=True, slots=True)
class ScreenChanged:
    """A screen was paired, changed, given a token, or removed."""

    workspace: str
    screen: str


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
    """A pairing code was claimed; `digest` is of its device code."""

    digest: str


@dataclass(frozen=True, slots=True)
class ChangesMissed:
    """Changes may have been missed: reload everything that is cached in memory."""


Change = ContentChanged | ScreenChanged | DeliveriesQueued | KeysChanged | CommandGiven | CodeClaimed | ChangesMissed
Listener = Callable[[Change], None]


class ChangeHub:
    """Passes each change to every listener, in the order of subscription."""

    def __init__(self) -> None:
        self._listeners: tuple[Listener, ...] = ()
        self._missed = False

    def subscribe(self, listener: Listener) -> None:
        """Add a listener. Called while the application is built, before the first write."""
        self._listeners = (*self._listeners, listener)

    def publish(self, changes: tuple[Change, ...]) -> None:
        """Call all listeners; equal changes of one unit of work are published once.

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
        """Publish `ChangesMissed` if a listener has failed since the last call."""
        if self._missed:
            self._missed = False
            self.publish((ChangesMissed(),))
