"""Acts on what items have until or from an instant: remembers the next one and acts when it is due."""

import threading
from datetime import datetime
from typing import Protocol

from service.core.changes import Change, ChangesMissed, ContentChanged, DeliveriesQueued, ScreenChanged


class Expiring(Protocol):
    """Has things to do at instants: ends 86s and offers, or stores planned changes."""

    def next_expiry(self) -> datetime | None: ...

    def end_due(self) -> None: ...


class EightySixExpiry:
    """Does at its instant what items need. Safe to use from any thread."""

    def __init__(self, *, items: Expiring) -> None:
        self._items = items
        self._lock = threading.Lock()
        self._next: datetime | None = None
        self._stale = True

    def on_change(self, change: Change) -> None:
        """Looks up the next expiry again after items may have changed."""
        match change:
            case ContentChanged() | ChangesMissed():
                self._stale = True
            case ScreenChanged() | DeliveriesQueued():
                pass

    def tick(self, now: datetime) -> None:
        """Ends the 86s that are due. Costs no SQL while none is due and no item has changed."""
        with self._lock:
            if not self._stale and (self._next is None or self._next > now):
                return
            # Before the query: a change during it makes its result stale.
            self._stale = False
            try:
                upcoming = self._items.next_expiry()
                if upcoming is not None and upcoming <= now:
                    self._items.end_due()
                    upcoming = self._items.next_expiry()
            except BaseException:
                self._stale = True
                raise
            self._next = upcoming
