"""Sends webhook deliveries: claims jobs from the queue, sends them on the event loop, and returns the attempts.

An endpoint has one delivery in flight at a time, so a slow or dead receiver delays no other. Each round records the
finished attempts and claims the next jobs in one transaction.
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
from service.services.webhooks.deliveries import Attempt, DeliveryJob, DeliveryQueue
from service.services.webhooks.signatures import signed_headers
from service.storage.full_disk import is_full_disk

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _SendLoop:
    """Task that sends, between `open` and `close`."""

    loop: asyncio.AbstractEventLoop
    wake: asyncio.Event
    task: "asyncio.Task[None]"


class DeliverySender:
    """Delivers until it is closed. Call its methods on the event loop; `on_change` is safe from any thread."""

    def __init__(self, *, queue: DeliveryQueue, outbound: Outbound, clock: Clock, concurrency: int = 200) -> None:
        self._queue = queue
        self._outbound = outbound
        self._clock = clock
        self._concurrency = concurrency
        self._running: _SendLoop | None = None
        self._sending: dict[asyncio.Task[None], DeliveryJob] = {}
        self._done: list[Attempt] = []
        self._upcoming: datetime | None = None

    def open(self) -> None:
        """Starts to deliver, first the deliveries that an earlier process left."""
        wake = asyncio.Event()
        wake.set()
        self._running = _SendLoop(asyncio.get_running_loop(), wake, asyncio.create_task(self._run(wake)))

    def on_change(self, change: Change) -> None:
        """Wakes the sender when deliveries were queued."""
        match change:
            case DeliveriesQueued() | ChangesMissed():
                running = self._running
                if running is not None:
                    with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                        running.loop.call_soon_threadsafe(running.wake.set)
            case ContentChanged() | ScreenChanged():
                pass

    def tick(self, now: datetime) -> None:
        """Wakes the sender when a delivery is due. Costs no SQL."""
        if self._running is not None and self._upcoming is not None and self._upcoming <= now:
            self._running.wake.set()

    async def close(self) -> None:
        """Stops at once. Deliveries in flight are cancelled, and made again by the next process."""
        running, self._running = self._running, None
        if running is None:
            return
        running.wake.set()
        await running.task
        for task in self._sending:
            task.cancel()
        cancelled = tuple(self._sending.values())
        await asyncio.gather(*self._sending, return_exceptions=True)
        await self._outbound.close()
        if cancelled or self._done:
            await run_in_threadpool(self._queue.release, tuple(self._done), cancelled)

    async def _run(self, wake: asyncio.Event) -> None:
        await wake.wait()
        while self._running is not None:
            wake.clear()
            try:
                await self._batch()
            except Exception as fault:
                # The attempts are still in `_done`; the next tick tries again.
                self._upcoming = self._clock.now()
                if not is_full_disk(fault):
                    _log.exception("cannot record or claim deliveries; trying again")
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

    async def _deliver(self, job: DeliveryJob) -> None:
        at = self._clock.now()
        loop = asyncio.get_running_loop()
        begun = loop.time()
        headers = {
            "Content-Type": "application/json",
            **signed_headers(job.event, job.body, secrets=job.secrets, at=at),
        }
        try:
            # A receiver would take one without a signature for somebody else's.
            outcome: Outcome = (
                await self._outbound.post(job.url, job.body, headers)
                if job.secrets
                else Unanswered("unreadable_secret")
            )
        except Exception:
            # Recorded as an attempt, or it would be repeated for ever.
            _log.exception("cannot send delivery %s", job.delivery)
            outcome = Unanswered("internal_error")
        took = round((loop.time() - begun) * 1000)
        self._done.append(Attempt(job=job, made_at=at, outcome=outcome, milliseconds=took))
