"""Keeps receipts of what was on the display: on the disk in batches, and at the service as soon as it takes them."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import msgspec

from player.domain.receipts import Receipts, batch
from player.domain.state import PlayerState
from player.domain.time.clock import Clock, Trust
from player.link.api import ServiceApi
from player.link.outcomes import Failed, Fresh
from player.storage.durable import StorageError
from player.storage.receipts import CLOCK, STOPPED, Pending, ReceiptLog
from player.storage.writer import DiskWriter, off_loop

log = logging.getLogger(__name__)

UNKNOWN_SECONDS = 24 * 3600.0
"""Until a service that does not know the call is asked again."""
MOST_SENT = 100
"""Receipts in one report."""
MOST_BODY_BYTES = 200 * 1024

_NOT_TAKEN = {HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY}
"""The service will not take it later either."""

FILES = frozenset({"receipts"})


class Recorder:
    """Records receipts from the player's snapshots. `token` is that of the screen, None if there is none."""

    def __init__(
        self,
        *,
        store: ReceiptLog,
        writer: DiskWriter,
        api: ServiceApi,
        token: Callable[[], str | None],
        snapshot: Callable[[], PlayerState],
        clock: Clock,
    ) -> None:
        self._store = store
        self._writer = writer
        self._api = api
        self._token = token
        self._snapshot = snapshot
        self._clock = clock
        self._receipts = Receipts()
        self._is_marked = False
        """Whether the disk knows that this run does not know the time."""
        self._unknown_until = 0.0

    def look(self, state: PlayerState) -> None:
        """Follows another snapshot."""
        self._receipts = self._receipts.look(state)

    async def run(self) -> float:
        """Stores a batch, and sends what the service does not have; returns the seconds until the next one."""
        await self._record()
        await self._send()
        return 300.0  # A power cut loses what is newer, and a card wears out.

    def close(self) -> None:
        """Stores what is left, at the end of the player."""
        told = self._told()
        if self._receipts.stretches:
            with contextlib.suppress(StorageError):
                self._store.keep(told, mark=STOPPED if told else CLOCK)

    def forget(self) -> None:
        """Deletes the log, because the screen was unpaired: none of it belongs to the next workspace."""
        self._receipts = Receipts()
        self._store.disown()

    def _told(self) -> dict[int, dict[str, Any]]:
        """Returns the receipts that are not stored, once the time is known."""
        state = self._snapshot()
        self.look(state)
        if state.clock.trust is Trust.UNKNOWN:
            return {}
        self._receipts = self._receipts.telling()
        return batch(self._receipts.stretches, now=state.at, monotonic=state.monotonic)

    async def _record(self) -> None:
        told = self._told()
        if not told:
            unknown = self._receipts.stretches and self._snapshot().clock.trust is Trust.UNKNOWN
            if unknown and not self._is_marked:
                self._is_marked = await self._writer.write(lambda: self._store.keep({}, mark=CLOCK), FILES)
            return
        if await self._writer.write(lambda: self._store.keep(told), FILES):
            self._receipts = self._receipts.stored(max(told))

    async def _send(self) -> None:
        while (token := self._token()) is not None and self._clock.monotonic() >= self._unknown_until:
            try:
                pending = await off_loop(self._store.pending, MOST_SENT)
            except StorageError as error:
                log.warning("%s", error)
                return
            body, until = _body(pending)
            if until is None:
                return
            outcome = await self._api.receipts(token=token, body=body)
            if isinstance(outcome, Failed) and outcome.status == HTTPStatus.NOT_FOUND:
                log.info("the service takes no receipts; they stay on the disk")
                self._unknown_until = self._clock.monotonic() + UNKNOWN_SECONDS
            taken = isinstance(outcome, Fresh)
            if isinstance(outcome, Failed) and outcome.status in _NOT_TAKEN:
                log.warning("the service does not take some receipts: %s", outcome.detail)
                taken = True
            if not taken:
                return
            await off_loop(self._store.acknowledge, pending.log, min(until, pending.last - 1))
            if until >= pending.last:
                return


def _body(pending: Pending) -> tuple[bytes, int | None]:
    """Returns as many as fit into one report, and the number of the last; None if there are none."""
    receipts: list[dict[str, Any]] = []
    size, until = 0, None
    for number, one in pending.receipts.items():
        size += len(msgspec.json.encode(one))
        if receipts and size > MOST_BODY_BYTES:
            break
        receipts.append(one)
        until = number
    return msgspec.json.encode({"log": pending.log, "receipts": receipts}), until
