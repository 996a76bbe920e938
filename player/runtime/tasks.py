"""Keeps the tasks of the network thread running: one that fails is reported, and begins again after a pause."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from player.domain.events import Event, PartFailed, PartWell

log = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS = 5.0
"""Until a task that failed begins again; twice as long each time in a row, up to the most."""

MOST_PAUSE_SECONDS = 60.0
"""A task that has run for so long since it failed works again."""

Work = Callable[[], Coroutine[Any, Any, None]]


class Tasks:
    """Runs the tasks of the network thread. No error of one ends it, or another. Use it on one event loop."""

    def __init__(self, *, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._tasks: set[asyncio.Task[None]] = set()
        self._failing: dict[str, tuple[int, str]] = {}
        """Failures in a row and the last one, by task."""

    def start(self, name: str, work: Work) -> asyncio.Task[None]:
        """Run `work` until it returns, again after each error."""
        task = asyncio.create_task(self._keep(name, work), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def failed(self, name: str, error: BaseException) -> float:
        """Report the error of a task, once for as long as it stays the same; returns the seconds until it should begin
        again."""
        times, before = self._failing.get(name, (0, ""))
        detail = _place_of(error)
        self._failing[name] = (times + 1, detail)
        if detail != before:
            log.error("%s failed, and begins again after a pause: %s", name, detail, exc_info=error)
            self._emit(PartFailed(subject=name, detail=detail))
        return min(FIRST_PAUSE_SECONDS * 2.0 ** min(times, 10), MOST_PAUSE_SECONDS)

    def worked(self, name: str) -> None:
        """Report that a task works, as far as it had failed."""
        if self._failing.pop(name, None) is not None:
            log.info("%s works again", name)
            self._emit(PartWell(subjects=frozenset({name})))

    async def end(self, *, within: float) -> None:
        """Cancel every task, and wait for its end for so many seconds."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            # Not gather: it would wait for a task that does not end, time-out or not.
            await asyncio.wait(tasks, timeout=within)
        if late := [task.get_name() for task in tasks if not task.done()]:
            log.warning("not ended within %g s: %s", within, ", ".join(late))

    async def _keep(self, name: str, work: Work) -> None:
        loop = asyncio.get_running_loop()
        while True:
            well = loop.call_later(MOST_PAUSE_SECONDS, self.worked, name) if name in self._failing else None
            try:
                await work()
            except (asyncio.CancelledError, Exception) as error:
                if is_end(error):
                    raise
                pause = self.failed(name, error)
            else:
                self.worked(name)
                return
            finally:
                if well is not None:
                    well.cancel()
            await asyncio.sleep(pause)


def is_end(error: BaseException) -> bool:
    """True if this is the end of the running task, and not an error: something inside of it may have been cancelled
    alone."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def _place_of(error: BaseException) -> str:
    """Names the kind of an error and where it was raised, without its message, which may hold a secret."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/player/" in frame.filename] or frames
    place = f" in {Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""
    return f"{type(error).__name__}{place}"
