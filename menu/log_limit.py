"""Bounds the log: repeated messages, or many of one kind, are cut to a few a minute, and the rest is counted."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

WINDOW_SECONDS = 60.0
MAX_REPEATS = 5
"""Times that one message is logged in a window; numbers in it do not make it another."""
MAX_OF_ONE_KIND = 120
"""Messages of one place in the code that are logged in a window, whatever they say."""
MAX_TRACKED = 512
"""Messages that are counted at a time; those not heard for longest are forgotten first."""
MAX_MESSAGE = 4000
"""Characters of a message; the rest is cut. A trace is never cut."""

_DECIDED = "log_limit"
"""The attribute of a record that says which filter has decided on it, and how."""

_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+")


class LogLimit(logging.Filter):
    """Filter for handlers: those that share one log the same lines. Safe to use from any thread; `monotonic` is the
    time in seconds. Lines below the level `least` are not counted."""

    def __init__(self, *, least: int = logging.NOTSET, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._least = least
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._heard: OrderedDict[object, tuple[float, int]] = OrderedDict()
        """When the window of a message began, and how often it came in it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged; a logged one may state what was left out."""
        decided, logged = getattr(record, _DECIDED, (None, True))
        if decided is not self:
            logged = self._decide(record)
            setattr(record, _DECIDED, (self, logged))
        return bool(logged)

    def _decide(self, record: logging.LogRecord) -> bool:
        if record.levelno < self._least:
            return True
        try:
            text = record.getMessage()
        except (TypeError, ValueError):
            return True  # the handler says what is wrong with it
        kind = (record.name, record.levelno, record.msg if isinstance(record.msg, str) else None)
        with self._lock:
            of_kind, _ = self._count(kind)
            times, before = self._count((kind, _NUMBER.sub("#", text)))
        if times > MAX_REPEATS or of_kind > MAX_OF_ONE_KIND:
            return False
        text = text[:MAX_MESSAGE]
        if before > MAX_REPEATS:
            text += f" (the same {before - MAX_REPEATS} times more before)"
        if times == MAX_REPEATS or of_kind == MAX_OF_ONE_KIND:
            text += f" (more like this is not logged for up to {WINDOW_SECONDS:g} s)"
        record.msg, record.args = text, None
        return True

    def _count(self, key: object) -> tuple[int, int]:
        """Counts a message: its occurrences in its window, and, when it starts a new one, in the previous one."""
        now = self._monotonic()
        begun, times = self._heard.pop(key, (now, 0))
        before = 0
        if now - begun >= WINDOW_SECONDS:
            begun, times, before = now, 0, times
        self._heard[key] = (begun, times + 1)
        if len(self._heard) > MAX_TRACKED:
            self._heard.popitem(last=False)
        return times + 1, before
