"""Serves the technician's page where no player runs: for `menu-player doctor --serve`, and beside the card of a player
that cannot start.

Nothing on the disk is changed: wrong PINs are counted from what the player has stored, and in memory. The doctor leaves
the player's port to the player, and ends when that answers there.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from datetime import datetime

from msgspec.structs import replace

from player.device.clock import SystemClock
from player.domain.access import Access, Pin
from player.domain.connection import ConnectionTest
from player.domain.documents.fields import NOT_THE_DOCUMENT
from player.domain.events import Event, PinIssued
from player.domain.words.phrase import in_language, language_of_terminal, phrase
from player.page.access import Gatekeeper
from player.page.bundle import file_name, write_bundle
from player.page.sections.actions import TEST
from player.page.sections.facts import Facts
from player.page.server import DiagnosticsServer, create_app
from player.page.sign_in import IN_TERMINAL, PinPlace
from player.runtime.support_bundle import stored_contents
from player.setting_values import MAX_PORT
from player.settings import PageAccess
from player.standstill.ask import WELL, Examined, ask
from player.standstill.examine import examined, test_connection
from player.standstill.stopped import StoppedPlayer, stopped_facts, stopped_state, with_test
from player.storage.checksummed import CorruptError, read_checksummed

REFRESH_SECONDS = 5.0
"""Between two looks at the device, the disk and the journal."""

_RUNS = phrase("The player runs, and serves its page itself.")


def run_serve(stopped: StoppedPlayer) -> int:
    """Serve the page until the player runs or Ctrl-C; returns the exit code."""
    return asyncio.run(_serve(stopped))


async def _serve(stopped: StoppedPlayer) -> int:
    locale = language_of_terminal(os.environ)

    def say(words: str) -> None:
        print(in_language(words, locale), flush=True)  # noqa: T201

    def show_pin(pin: Pin | None) -> None:
        if pin is not None:
            say(phrase("PIN: {digits}, for two minutes. The page can have it written here again.", digits=pin.digits))

    answers, told = await asyncio.to_thread(ask, stopped.port, locale)
    if told is not None:
        say(f"{told.text(locale)}\n")
        say(_RUNS)
        return told.exit_code
    page = StoppedPage(replace(stopped, answers=answers), show_pin=show_pin, pin_place=IN_TERMINAL)
    await page.refresh()
    if stopped.settings.page is PageAccess.OFF:
        say(f"{page.found.text(locale)}\n")
        say(phrase("Its page is switched off (page in the settings)."))
        return page.found.exit_code
    serving = asyncio.ensure_future(_serve_until_player_runs(page, say, locale))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    try:
        await serving
    except asyncio.CancelledError:
        return page.found.exit_code
    finally:
        await page.close()
    return WELL


async def _serve_until_player_runs(page: StoppedPage, say: Callable[[str], None], locale: str) -> None:
    # The player's own port is left to it.
    address = await page.open(page.stopped.port + 1) or await page.open(0)
    say(phrase("The page of this screen, while the player does not run:"))
    for one in page.addresses:
        say(f"  {one}")
    say(phrase("  {address}  (on this device)", address=address))
    if page.gatekeeper is None:
        say(phrase("The settings open it on this device only."))
    else:
        page.gatekeeper.show_pin()
        if page.gatekeeper.asks_for_fixed_pin:
            say(phrase("It takes the PIN that was chosen for this screen."))
    say(phrase("It ends when the player runs; Ctrl-C ends it now."))
    await page.test()
    say(f"\n{page.found.text(locale)}\n")
    while True:
        answers, told = await asyncio.to_thread(ask, page.stopped.port, locale)
        if told is not None:
            say(_RUNS)
            return
        page.stopped = replace(page.stopped, answers=answers)
        await page.refresh()
        await asyncio.sleep(REFRESH_SECONDS)


class StoppedPage:
    """The page. `stopped` is where it looks from the next refresh on; `show_pin` tells the PIN to whoever is there."""

    def __init__(self, stopped: StoppedPlayer, *, show_pin: Callable[[Pin | None], None], pin_place: PinPlace) -> None:
        self.stopped = stopped
        self.addresses: tuple[str, ...] = ()
        """Addresses for phones."""
        self._clock = SystemClock()
        self._show_pin = show_pin
        self._test: ConnectionTest | None = None
        self._testing: asyncio.Task[ConnectionTest] | None = None
        self._facts: Facts | None = None
        self._server: DiagnosticsServer | None = None
        self.gatekeeper = self._make_gatekeeper() if stopped.settings.page is PageAccess.NETWORK else None
        self._app = create_app(
            snapshot=lambda: self._look().state,
            monotonic=self._clock.monotonic,
            look=self._look,
            bundle=self._bundle,
            gatekeeper=self.gatekeeper,
            pin_place=pin_place,
            actions={} if stopped.faults else {TEST.name: self.test},
        )

    @property
    def found(self) -> Examined:
        """All that has been found."""
        return examined(self._look().state)

    async def open(self, port: int) -> str | None:
        """Serve it at this port; returns its address on this device, None if the port cannot be had."""
        await self.refresh()
        server = DiagnosticsServer(app=self._app, port=port, on_network=self.gatekeeper is not None)
        address = await server.start() if port <= MAX_PORT else None
        if address is not None:
            self._server = server
            await self.refresh()
        return address

    async def close(self) -> None:
        """Serve it no more."""
        if self._server is not None:
            await self._server.stop()

    async def refresh(self) -> None:
        """Look again."""
        self._facts = await asyncio.to_thread(self._read, self._clock.wall(), self._clock.monotonic())
        if self._server is not None:
            self.addresses = self._server.addresses(self._facts.state.addresses)

    async def test(self) -> None:
        """Test the way to the service; if a test is under way, wait for that one."""
        if self.stopped.faults:
            return
        if self._testing is None or self._testing.done():
            self._testing = asyncio.create_task(test_connection(self.stopped.settings), name="connection test")
        self._test = await asyncio.shield(self._testing)
        await self.refresh()

    def _read(self, now: datetime, monotonic: float) -> Facts:
        state = with_test(stopped_state(self.stopped, now=now), self._test)
        return stopped_facts(self.stopped, replace(state, monotonic=monotonic, pages=self.addresses))

    def _look(self) -> Facts:
        if self._facts is None:
            raise RuntimeError("not refreshed yet")
        return replace(self._facts, state=self._facts.state.as_of(self._clock.monotonic()))

    async def _bundle(self) -> tuple[str, bytes]:
        stopped, facts = self.stopped, self._look()

        def write() -> tuple[str, bytes]:
            contents = stored_contents(stopped.settings, facts=facts, faults=stopped.faults)
            return file_name(contents), write_bundle(contents)

        return await asyncio.to_thread(write)

    def _make_gatekeeper(self) -> Gatekeeper:
        stored = Access()
        with contextlib.suppress(*NOT_THE_DOCUMENT, CorruptError):
            stored = Access.read(read_checksummed(self.stopped.folder / "access", "access"))
        fixed = self.stopped.settings.page_pin
        return Gatekeeper(stored=stored, clock=self._clock, store=_store_nothing, emit=self._tell_pin, fixed=fixed)

    def _tell_pin(self, event: Event) -> None:
        self._show_pin(event.pin if isinstance(event, PinIssued) else None)


async def _store_nothing(_: bytes) -> None:
    """The state directory is the player's alone."""
