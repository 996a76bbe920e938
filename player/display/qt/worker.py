"""Threads for work that would delay a frame.

Not Qt's pool: the binding leaks a QRunnable that ends before `QThreadPool.start` returns, with all that it refers to.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_log = logging.getLogger(__name__)


class Worker:
    """Makes calls on at most `threads` threads of its own, in the order given. The threads start with the first calls
    and stay until `close`."""

    def __init__(self, *, threads: int = 1) -> None:
        self._threads = threads
        self._executor: ThreadPoolExecutor | None = None
        self._pending: set[Future[None]] = set()

    def start(self, call: Callable[[], None]) -> None:
        """Make the call as soon as a thread is free. An exception in it is logged."""
        from concurrent.futures import ThreadPoolExecutor  # A board that needs no thread does not load it.

        if self._executor is None:
            self._executor = ThreadPoolExecutor(self._threads, thread_name_prefix="display-worker")
        pending = self._executor.submit(_make, call)
        self._pending.add(pending)
        pending.add_done_callback(self._pending.discard)

    @property
    def is_busy(self) -> bool:
        """Whether a queued call has not been made."""
        return bool(self._pending)

    def wait(self) -> None:
        for pending in tuple(self._pending):
            pending.result()

    def close(self) -> None:
        """Wait for the calls and end the threads. A later call starts them again."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown()


def _make(call: Callable[[], None]) -> None:
    try:
        call()
    except Exception:
        _log.exception("work on a display thread has failed")
