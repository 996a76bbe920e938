"""Serves the technician's page beside a card that says what to mend. Its PIN shows on the card.

Nothing on the disk is changed: wrong PINs are counted from what the player has stored, and in memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime

from msgspec.structs import replace

from player.device.clock import SystemClock
from player.domain.access import Access, Pin
from player.domain.connection import ConnectionTest
from player.domain.documents.fields import NOT_THE_DOCUMENT
from player.domain.events import Event, PinChanged
from player.page.access import Gatekeeper
from player.page.bundle import file_name, write_bundle
from player.page.connections import DiagnosticsServer
from player.page.sections.actions import TEST
from player.page.sections.facts import Facts
from player.page.server import create_app
from player.runtime.support_bundle import stored_contents
from player.settings import PageAccess
from player.standstill.examine import test_connection
from player.standstill.stopped import StoppedPlayer, stopped_facts, stopped_state, with_test
from player.storage.checksummed import CorruptError, read_checksummed

log = logging.getLogger(__name__)

REFRESH_SECONDS = 5.0
"""Between two looks at the device, the disk and the journal."""

JOIN_SECONDS = 5.0
"""Timeout for the end of the thread."""


class PageThread:
    """Serves the page from a thread of its own until it is stopped. `stopped` says where to look now."""

    def __init__(self, stopped: Callable[[], StoppedPlayer]) -> None:
        self._place = stopped
        self._stopped = self._beside()
        self._addresses: tuple[str, ...] = ()
        self._clock = SystemClock()
        self._pin: Pin | None = None
        self._test: ConnectionTest | None = None
        self._testing: asyncio.Task[ConnectionTest] | None = None
        self._facts: Facts | None = None
        settings = self._stopped.settings
        gatekeeper = self._make_gatekeeper() if settings.page is PageAccess.NETWORK else None
        self._server = DiagnosticsServer(
            app=create_app(
                look=self._look,
                monotonic=self._clock.monotonic,
                bundle=self._bundle,
                gatekeeper=gatekeeper,
                actions={} if self._stopped.faults else {TEST.name: self._test_connection},
            ),
            port=self._stopped.port,
            on_network=gatekeeper is not None,
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._serve, name="page", daemon=True)

    def start(self) -> None:
        """Serve it."""
        if self._stopped.settings.page is not PageAccess.OFF:
            self._thread.start()

    @property
    def address(self) -> str:
        """The page's address for phones; empty while there is none."""
        return "".join(self._addresses[:1]).rstrip("/")

    @property
    def pin(self) -> str:
        """The PIN that somebody has asked for; empty if nobody has."""
        pin = self._pin
        return pin.grouped if pin is not None and time.monotonic() < pin.until else ""

    def look_anew(self) -> None:
        """Something else is wrong now."""
        self._stopped = self._beside()

    def stop(self) -> None:
        """Close it."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread.ident is not None:
            self._thread.join(JOIN_SECONDS)

    def _beside(self) -> StoppedPlayer:
        return replace(self._place(), is_beside=True)

    def _serve(self) -> None:
        try:
            asyncio.run(self._run())
        except Exception:
            # The card shows all the same.
            log.exception("the page has failed")

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._refresh()
        if await self._server.start() is None:
            return
        testing = asyncio.create_task(self._test_connection(), name="first connection test")
        while not self._stop.is_set():
            await self._refresh()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), REFRESH_SECONDS)
        testing.cancel()
        await self._server.stop()

    async def _refresh(self) -> None:
        self._facts = facts = await asyncio.to_thread(self._read, self._clock.wall(), self._clock.monotonic())
        self._addresses = self._server.addresses(facts.state.addresses)

    async def _test_connection(self) -> None:
        """Test the way to the service; if a test is under way, wait for that one."""
        if self._stopped.faults:
            return
        if self._testing is None or self._testing.done():
            self._testing = asyncio.create_task(test_connection(self._stopped.settings), name="connection test")
        self._test = await asyncio.shield(self._testing)
        await self._refresh()

    def _read(self, now: datetime, monotonic: float) -> Facts:
        state = with_test(stopped_state(self._stopped, now=now), self._test)
        return stopped_facts(self._stopped, replace(state, monotonic=monotonic, pages=self._addresses))

    def _look(self) -> Facts:
        if self._facts is None:
            raise RuntimeError("not refreshed yet")
        return replace(self._facts, state=self._facts.state.as_of(self._clock.monotonic()))

    async def _bundle(self) -> tuple[str, bytes]:
        stopped, facts = self._stopped, self._look()

        def write() -> tuple[str, bytes]:
            contents = stored_contents(stopped.settings, facts=facts, faults=stopped.faults)
            return file_name(contents), write_bundle(contents)

        return await asyncio.to_thread(write)

    def _make_gatekeeper(self) -> Gatekeeper:
        stored = Access()
        with contextlib.suppress(*NOT_THE_DOCUMENT, CorruptError):
            stored = Access.read(read_checksummed(self._stopped.folder / "access", "access"))
        fixed = self._stopped.settings.page_pin
        return Gatekeeper(stored=stored, clock=self._clock, store=_store_nothing, emit=self._show_pin, fixed=fixed)

    def _show_pin(self, event: Event) -> None:
        self._pin = event.pin if isinstance(event, PinChanged) else None


async def _store_nothing(_: bytes) -> None:
    """The state directory is the player's alone."""
