"""Runs the syncs of points of sale: claims the due ones, reads their feeds on the event loop, imports them, and fetches
the pictures that they name.

Each sync runs by itself, and what is due is claimed in fair shares: a feed that does not answer delays no other
workspace's.
"""

import asyncio
import logging
from collections import Counter

from starlette.concurrency import run_in_threadpool

from service.core.clock import Clock
from service.services.pos.connections import ClaimedSync, PosService
from service.services.pos.connector import Connector
from service.services.pos.pictures import Pictures
from service.storage.full_disk import is_full_disk

_log = logging.getLogger(__name__)


class PosRunner:
    """Runs syncs until it is closed. Call its methods on the event loop."""

    def __init__(self, *, pos: PosService, connector: Connector, pictures: Pictures, clock: Clock) -> None:
        self._pos = pos
        self._pictures = pictures
        self._connector = connector
        self._clock = clock
        self._claiming: asyncio.Task[None] | None = None
        self._again = False
        """Whether a sync has ended, or more may be due, since the claiming began."""
        self._running: dict[asyncio.Task[None], str] = {}
        """The workspace of each sync."""
        self._closed = False

    def tick(self) -> None:
        """Starts due syncs; a call during the search for them repeats it once."""
        self._again = True
        if not self._closed and (self._claiming is None or self._claiming.done()):
            self._claiming = asyncio.create_task(self._start_due())

    async def close(self) -> None:
        """Stops at once. Unfinished syncs are run again by the next process."""
        self._closed = True
        tasks = [*self._running, *([] if self._claiming is None else [self._claiming])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _start_due(self) -> None:
        while self._again and not self._closed:
            self._again = False
            await self._start_some()

    async def _start_some(self) -> None:
        try:
            due = await run_in_threadpool(self._pos.claim_due, self._clock.now(), Counter(self._running.values()))
        except Exception as fault:
            if not is_full_disk(fault):
                _log.exception("cannot find out which points of sale are due; trying again")
            return
        for claimed in due:
            task = asyncio.create_task(self._sync(claimed))
            self._running[task] = claimed.workspace
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        self.tick()

    async def _sync(self, claimed: ClaimedSync) -> None:
        """Runs one sync. A fault is logged and affects this sync only, which is due again after the lease."""
        try:
            if claimed.source.feed:
                feed = await self._connector.read(claimed.source)
                await run_in_threadpool(self._pos.finish, claimed, feed)
            await self._pictures.fetch_for(claimed)
        except Exception as fault:
            if not is_full_disk(fault):
                _log.exception("cannot sync the point of sale %s; trying again", claimed.connection)
