"""Serves the technician's page of the doctor beside a card that says what to mend. Its PIN shows on the card."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable

from msgspec.structs import replace

from player.domain.access import Pin
from player.page.sign_in import ON_SCREEN
from player.standstill.serve import REFRESH_SECONDS, StoppedPage
from player.standstill.stopped import StoppedPlayer

log = logging.getLogger(__name__)

JOIN_SECONDS = 5.0
"""Timeout for the end of the thread."""


class PageThread:
    """Serves the page from a thread of its own until it is stopped. `stopped` says where to look now."""

    def __init__(self, stopped: Callable[[], StoppedPlayer]) -> None:
        self._place = stopped
        self._page = StoppedPage(self._beside(), show_pin=self._show_pin, pin_place=ON_SCREEN)
        self._pin: Pin | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._serve, name="page", daemon=True)

    def start(self) -> None:
        """Serve it."""
        self._thread.start()

    @property
    def address(self) -> str:
        """The page's address for phones; empty while there is none."""
        return "".join(self._page.addresses[:1]).rstrip("/")

    @property
    def pin(self) -> str:
        """The PIN that somebody has asked for; empty if nobody has."""
        pin = self._pin
        return pin.grouped if pin is not None and time.monotonic() < pin.until else ""

    def look_anew(self) -> None:
        """Something else is wrong now."""
        self._page.stopped = self._beside()

    def stop(self) -> None:
        """Close it."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(JOIN_SECONDS)

    def _serve(self) -> None:
        try:
            asyncio.run(self._run())
        except Exception:
            # The card shows all the same.
            log.exception("the page has failed")

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        if await self._page.open(self._page.stopped.port) is None:
            return
        testing = asyncio.create_task(self._page.test(), name="first connection test")
        while not self._stop.is_set():
            await self._page.refresh()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), REFRESH_SECONDS)
        testing.cancel()
        await self._page.close()

    def _beside(self) -> StoppedPlayer:
        return replace(self._place(), is_beside=True)

    def _show_pin(self, pin: Pin | None) -> None:
        self._pin = pin
