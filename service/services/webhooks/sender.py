"""Making deliveries: asks the queue what to send, sends it on the event loop, and hands back what came of it.

One delivery is under way to an endpoint at a time, so a receiver that is slow or dead holds up nobody else. What has
come back since the last turn is kept, and what is next is claimed, in one transaction.
"""

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from datetime import datetime

from starlette.concurrency import run_in_threadpool

from service.core.changes import Change, ChangesMissed, ContentChanged, DeliveriesQueued, ScreenChanged
from service.core.clock import Clock
from service.services.shared.outbound import Outbound, Outcome, Unanswered
from service.services.webhooks.deliveries import Attempt, DeliveryQueue, Job
from service.services.webhooks.signatures import signed_headers

CONCURRENCY = 200
"""Deliveries under way at the same time, each to another endpoint."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Running:
    """What there is between `open` and `close`."""

    loop: asyncio.AbstractEventLoop
    wake: asyncio.Event
    task: "asyncio.Task[None]"


class DeliverySender:
    """Delivers until it is closed. `heed` may be called in any thread, everything else on the event loop."""

    def __init__(
        self, *, queue: DeliveryQueue, outbound: Outbound, clock: Clock, concurrency: int = CONCURRENCY
    ) -> None:
        self._queue = queue
        self._outbound = outbound
        self._clock = clock
        self._concurrency = concurrency
        self._running: _Running | None = None
        self._sending: dict[asyncio.Task[None], Job] = {}
        self._done: list[Attempt] = []
        self._upcoming: datetime | None = None

    def open(self) -> None:
        """Begin with what is left from before."""
        wake = asyncio.Event()
        wake.set()
        self._running = _Running(asyncio.get_running_loop(), wake, asyncio.create_task(self._run(wake)))

    def heed(self, notice: Change) -> None:
        """Something was queued."""
        match notice:
            case DeliveriesQueued() | ChangesMissed():
                running = self._running
                if running is not None:
                    with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                        running.loop.call_soon_threadsafe(running.wake.set)
            case ContentChanged() | ScreenChanged():
                pass

    def tick(self, now: datetime) -> None:
        """Look whether the time of a delivery has come; costs no SQL while it has not."""
        if self._running is not None and self._upcoming is not None and self._upcoming <= now:
            self._running.wake.set()

    async def close(self) -> None:
        """Stop at once: what is under way is given up and made again by whoever comes next."""
        running, self._running = self._running, None
        if running is None:
            return
        running.wake.set()
        await running.task
        for task in self._sending:
            task.cancel()
        given_up = tuple(self._sending.values())
        await asyncio.gather(*self._sending, return_exceptions=True)
        await self._outbound.close()
        if given_up or self._done:
            await run_in_threadpool(self._queue.release, tuple(self._done), given_up)

    async def _run(self, wake: asyncio.Event) -> None:
        await wake.wait()
        while self._running is not None:
            wake.clear()
            try:
                await self._batch()
            except Exception:
                # What came back is still there; the next tick tries again.
                self._upcoming = self._clock.now()
                _log.exception("deliveries could not be kept or claimed; it is tried again")
            await wake.wait()

    async def _batch(self) -> None:
        done = tuple(self._done)
        room = self._concurrency - len(self._sending)
        batch = await run_in_threadpool(lambda: self._queue.batch(done, room=room))
        del self._done[: len(done)]
        self._upcoming = batch.upcoming
        for job in batch.jobs:
            task = asyncio.create_task(self._deliver(job))
            self._sending[task] = job
            task.add_done_callback(self._sent)

    def _sent(self, task: "asyncio.Task[None]") -> None:
        del self._sending[task]
        if self._running is not None:
            self._running.wake.set()

    async def _deliver(self, job: Job) -> None:
        at = self._clock.now()
        loop = asyncio.get_running_loop()
        begun = loop.time()
        headers = {
            "Content-Type": "application/json",
            **signed_headers(job.event, job.body, secrets=job.secrets, at=at),
        }
        try:
            outcome: Outcome = await self._outbound.post(job.url, job.body, headers)
        except Exception:
            # Counted as an attempt, or it would be made for ever.
            _log.exception("delivery %s could not be sent", job.delivery)
            outcome = Unanswered("internal_error")
        took = round((loop.time() - begun) * 1000)
        self._done.append(Attempt(job=job, made_at=at, outcome=outcome, milliseconds=took))
