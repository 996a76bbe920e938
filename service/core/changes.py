"""Who is told, and how, that something was committed; imports no other part of the service.

A unit of work collects notices and hands them over after its commit, in the thread that wrote. Listeners are
called there and must be quick and thread-safe; those who live on the event loop pass the word on with
`call_soon_threadsafe`. The hub is fed by this process's commits, and where there are several by theirs
(`storage.relay`).
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ContentChanged:
    """What boards of this workspace show may differ: items, a publish, a location."""

    workspace: str


@dataclass(frozen=True, slots=True)
class ScreenChanged:
    """A screen was paired, changed, given a token, or removed."""

    workspace: str
    screen: str


@dataclass(frozen=True, slots=True)
class DeliveriesQueued:
    """There is something to deliver to a webhook."""


@dataclass(frozen=True, slots=True)
class KeysChanged:
    """A key of this workspace was revoked."""

    workspace: str


@dataclass(frozen=True, slots=True)
class CommandGiven:
    """A screen is to be told to do something."""

    workspace: str
    screen: str


@dataclass(frozen=True, slots=True)
class ChangesMissed:
    """Another process may have changed anything: what is kept in memory has to be looked up again."""


Change = ContentChanged | ScreenChanged | DeliveriesQueued | KeysChanged | CommandGiven | ChangesMissed
Listener = Callable[[Change], None]


class ChangeHub:
    """Passes each notice to every listener, in the order in which they joined."""

    def __init__(self) -> None:
        self._listeners: tuple[Listener, ...] = ()
        self._behind = False

    def join(self, listener: Listener) -> None:
        """Called while the application is put together, before anything is written."""
        self._listeners = (*self._listeners, listener)

    def publish(self, changes: tuple[Change, ...]) -> None:
        """Tell everyone; the same notice twice in one unit of work is told once.

        A listener that fails, as when the database is gone, keeps it from nobody else, and does not undo what is
        committed: it is told by `catch_up` that it has missed something.
        """
        for change in dict.fromkeys(changes):
            for listener in self._listeners:
                try:
                    listener(change)
                except Exception:
                    self._behind = True
                    _log.exception("a notice was not taken in; what is kept in memory will be looked up again")

    def catch_up(self) -> None:
        """Have everything looked up again if a listener has failed since the last time."""
        if self._behind:
            self._behind = False
            self.publish((ChangesMissed(),))
