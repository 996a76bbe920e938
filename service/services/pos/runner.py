"""Runs the syncs of points of sale: claims the due ones, reads their feeds on the event loop, and imports them.

The feeds of one round are read concurrently, so one that does not answer delays the next round by its time-out at most.
"""

import asyncio
import contextlib
import logging

from starlette.concurrency import run_in_threadpool

from service.core.clock import Clock
from service.services.pos.connections import ClaimedSync, PosService
from service.services.pos.feed import Connector

_log = logging.getLogger(__name__)


class PosRunner:
    """Runs syncs until it is closed. Call its methods on the event loop."""

    def __init__(self, *, pos: PosService, connector: Connector, clock: Clock) -> None:
        self._pos = pos
        self._connector = connector
        self._clock = clock
        self._reading: asyncio.Task[None] | None = None

    def tick(self) -> None:
        """Starts a round unless the last one is still running."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self.run_due())

    async def run_due(self) -> None:
        """Runs one round. A fault is logged and costs its own sync only, which is due again after the lease."""
        try:
            due = await run_in_threadpool(self._pos.claim_due, self._clock.now())
            await asyncio.gather(*map(self._sync, due))
        except Exception:
            _log.exception("cannot find out which points of sale are due; trying again")

    async def close(self) -> None:
        """Stops at once. Unfinished syncs are run again by the next process."""
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reading

    async def _sync(self, claimed: ClaimedSync) -> None:
        try:
            feed = await self._connector.read(claimed.source)
            await run_in_threadpool(self._pos.finish, claimed, feed)
        except Exception:
            # Not raised: the round would end, and the other syncs go on without anybody to end them.
            _log.exception("cannot sync the point of sale %s; trying again", claimed.connection)
