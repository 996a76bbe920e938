"""Bringing items back when their 86 ends: keeps the next such instant in mind and acts when the clock is past it."""

import threading
from datetime import datetime

from service.core.changes import Change, ChangesMissed, ContentChanged, DeliveriesQueued, ScreenChanged
from service.services.content.items import ItemService


class EightySixExpiry:
    """Restores items in time. Safe to use from any thread."""

    def __init__(self, *, items: ItemService) -> None:
        self._items = items
        self._lock = threading.Lock()
        self._next: datetime | None = None
        self._stale = True

    def heed(self, notice: Change) -> None:
        """Items may have changed: the next instant has to be looked up."""
        match notice:
            case ContentChanged() | ChangesMissed():
                self._stale = True
            case ScreenChanged() | DeliveriesQueued():
                pass

    def tick(self, now: datetime) -> None:
        """Bring back what is due and look up what is next; costs no SQL while nothing is and nothing has changed."""
        with self._lock:
            if not self._stale and (self._next is None or self._next > now):
                return
            # Before the look-up: a change that comes in meanwhile has to be looked up again.
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
