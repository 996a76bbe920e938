"""Reading points of sale in time: asks which are due, reads their feeds on the event loop, hands on what was read.

The feeds of one turn are read side by side, so one that does not answer holds up the others for its time-out at most.
"""

import asyncio
import contextlib
import logging

from starlette.concurrency import run_in_threadpool

from service.core.clock import Clock
from service.services.pos.connections import DueSync, PosService
from service.services.pos.feed import Connector

_log = logging.getLogger(__name__)


class PosRunner:
    """Runs syncs until it is closed. Everything here happens on the event loop."""

    def __init__(self, *, pos: PosService, connector: Connector, clock: Clock) -> None:
        self._pos = pos
        self._connector = connector
        self._clock = clock
        self._reading: asyncio.Task[None] | None = None

    def tick(self) -> None:
        """Begin a turn, unless the last one is not over."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self.run_due())

    async def run_due(self) -> None:
        """One turn. A fault is logged; what it left undone is due again after the lease."""
        try:
            due = await run_in_threadpool(self._pos.claim_due, self._clock.now())
            await asyncio.gather(*map(self._sync, due))
        except Exception:
            _log.exception("a point of sale could not be read; it is tried again")

    async def close(self) -> None:
        """Stop at once: what is being read is read again by whoever comes next."""
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reading

    async def _sync(self, due: DueSync) -> None:
        menu = await self._connector.read(due.source)
        await run_in_threadpool(self._pos.take, due, menu)
