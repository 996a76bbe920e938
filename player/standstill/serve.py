"""`menu-player doctor --serve`: the page of a player that does not run, until it does.

It never stands in the player's way: as soon as one locks the state directory the port is given back. If that player
dies, the page comes back; if it stays, the doctor ends. Nothing on the disk is changed: wrong PINs are counted from
what the player has stored, and in memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
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
from player.domain.state import PlayerState
from player.domain.time.clock import Clock
from player.domain.words.phrase import Phrase, in_language, language_of_terminal, phrase
from player.page.access import Gatekeeper
from player.page.bundle import file_name, write_bundle
from player.page.sections.actions import TEST
from player.page.sections.facts import Facts
from player.page.server import DiagnosticsServer, create_app
from player.page.sign_in import IN_TERMINAL, ON_SCREEN
from player.runtime.support_bundle import stored_contents
from player.settings import PageAccess
from player.standstill.ask import WELL, Examined, ask
from player.standstill.connection import test_connection
from player.standstill.examine import examined
from player.standstill.holder import holder_of
from player.standstill.stopped import Place, stopped_facts, stopped_state, with_test
from player.storage.checksummed import CorruptError, read_checksummed

log = logging.getLogger(__name__)

WATCH_SECONDS = 0.1
"""Between two looks for a player that starts; it wants its port a good second later."""

REFRESH_SECONDS = 5.0
"""Between two looks at the device, the disk and the journal."""

STAYS_SECONDS = 20.0
"""A player that has lasted so long without a page of its own runs."""

ASK_SECONDS = 1.0
"""Between two questions to a player that starts."""

_RUNS = phrase("The player runs, and serves its page itself.")


def run_serve(place: Place) -> int:
    """Serve the page until the player runs or Ctrl-C; returns the exit code."""
    return asyncio.run(_serve(place))


async def _serve(place: Place) -> int:
    language = language_of_terminal(os.environ)

    def say(words: str) -> None:
        print(in_language(words, language), flush=True)  # noqa: T201

    page = StoppedPage(place, clock=SystemClock(), say=say)
    serving = asyncio.ensure_future(page.run())
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        return await serving
    return page.exit_code


class StoppedPage:
    """The page. `say` tells the person at the terminal. With `show_pin` the PIN is shown on the glass, not said."""

    def __init__(
        self,
        place: Place,
        *,
        clock: Clock,
        say: Callable[[str], None],
        show_pin: Callable[[Pin | None], None] | None = None,
    ) -> None:
        self._place = place
        self._clock = clock
        self._say = say
        self._show_pin = show_pin
        self._test: ConnectionTest | None = None
        self._testing: asyncio.Task[ConnectionTest] | None = None
        self._facts: Facts | None = None
        self._pages: tuple[str, ...] = ()
        self._other_holder: str | None = None
        self._gatekeeper = self._make_gatekeeper() if place.settings.page is PageAccess.NETWORK else None
        self._app = create_app(
            snapshot=self._snapshot,
            monotonic=clock.monotonic,
            look=self._look,
            bundle=self._bundle,
            gatekeeper=self._gatekeeper,
            pin_place=IN_TERMINAL if show_pin is None else ON_SCREEN,
            actions={} if place.faults else {TEST.name: self._test_again},
        )

    @property
    def exit_code(self) -> int:
        """By what has been found."""
        return examined(self._snapshot()).exit_code if self._facts is not None else WELL

    async def run(self) -> int:
        """Serve until the player runs; returns the exit code."""
        answers, told = await asyncio.to_thread(ask, self._place.port, language_of_terminal(os.environ))
        if told is not None:
            return self._leave(told, _RUNS)
        self._place = replace(self._place, answers=answers)
        await self._refresh()
        if self._runs:
            return self._leave(
                examined(self._snapshot()), phrase("The player runs, so there is no page beside its own.")
            )
        standstill = self._snapshot().standstill
        if standstill is not None and standstill.in_use:
            self._other_holder = holder_of(self._place.folder, self._place.root)
        if self._place.settings.page is PageAccess.OFF:
            return self._leave(examined(self._snapshot()), phrase("Its page is switched off (page in the settings)."))
        refreshing = asyncio.create_task(self._refresh_often(), name="refresh")
        try:
            await self._serve_until_started()
        finally:
            refreshing.cancel()
        return WELL

    async def serve_beside(self, stop: asyncio.Event, found_at: Callable[[tuple[str, ...]], None]) -> None:
        """Serve until `stop` is set, beside a player that says itself that it cannot start. `found_at` is told where
        phones find the page. If its port is taken there is none."""
        self.look_at(self._place)
        await self._refresh()
        server = self._server(self._place.port)
        if await server.start() is None:
            return
        refreshing = asyncio.create_task(self._refresh_often(), name="refresh")
        try:
            while not stop.is_set():
                self._pages = server.addresses(self._snapshot().addresses)
                found_at(self._pages)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), REFRESH_SECONDS)
        finally:
            refreshing.cancel()
            await server.stop()

    def look_at(self, place: Place) -> None:
        """Look there from the next refresh on, beside the player; the port stays."""
        self._place = replace(place, is_beside=True)

    async def _serve_until_started(self) -> None:
        while True:
            await self._serve_once()
            self._say(phrase("The player starts, and has its port."))
            if await self._stays():
                self._say(_RUNS)
                return
            self._say(phrase("The player has ended again."))

    async def _serve_once(self) -> None:
        """Serve until a player starts."""
        server = await self._start()
        try:
            while not self._holds():  # noqa: ASYNC110 -- the kernel tells nobody
                await asyncio.sleep(WATCH_SECONDS)
        finally:
            await server.stop()

    async def _start(self) -> DiagnosticsServer:
        is_hidden = self._runs is None
        port = 0 if is_hidden else self._place.port
        server = self._server(port)
        address = await server.start()
        if address is None:
            self._say(phrase("Another program has the port of the page ({port}).", port=str(port)))
            server = self._server(0)
            address = await server.start()
        elif is_hidden:
            self._say(phrase("This user cannot see when the player starts, so the page's own port is left to it."))
        if address is None:
            raise OSError("no port can be had")
        own = self._snapshot().addresses
        self._pages = server.addresses(own)
        self._say(phrase("The page of this screen, while the player does not run:"))
        for one in self._pages:
            self._say(f"  {one}")
        self._say(phrase("  {address}  (on this device)", address=address))
        if self._gatekeeper is None:
            self._say(phrase("The settings open it on this device only."))
        else:
            self._gatekeeper.show_pin()
            if self._gatekeeper.asks_for_fixed_pin:
                self._say(phrase("It takes the PIN that was chosen for this screen."))
        self._say(phrase("It ends when the player runs; Ctrl-C ends it now."))
        return server

    def _server(self, port: int) -> DiagnosticsServer:
        return DiagnosticsServer(app=self._app, port=port, on_network=self._gatekeeper is not None)

    def _holds(self) -> bool:
        """Whether a player holds the directory, which another program may do all the time."""
        return holder_of(self._place.folder, self._place.root) not in (None, self._other_holder)

    async def _stays(self) -> bool:
        """Whether the player that has started goes on."""
        deadline = self._clock.monotonic() + STAYS_SECONDS
        while self._holds():
            _, told = await asyncio.to_thread(ask, self._place.port)
            if told is not None or self._clock.monotonic() >= deadline:
                return True
            await asyncio.sleep(ASK_SECONDS)
        return False

    def _leave(self, found: Examined, words: Phrase) -> int:
        self._say(f"{found.text(language_of_terminal(os.environ))}\n")
        self._say(words)
        return found.exit_code

    # What is known

    async def _refresh_often(self) -> None:
        await self._test_again()
        if not self._runs:
            self._say(f"\n{examined(self._snapshot()).text(language_of_terminal(os.environ))}\n")
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            await self._refresh()

    async def _refresh(self) -> None:
        self._facts = await asyncio.to_thread(self._read, self._clock.wall(), self._clock.monotonic())

    def _read(self, now: datetime, monotonic: float) -> Facts:
        state = with_test(stopped_state(self._place, now=now), self._test)
        return stopped_facts(self._place, replace(state, monotonic=monotonic, pages=self._pages))

    def _look(self) -> Facts:
        if self._facts is None:
            raise RuntimeError("nobody has looked yet")
        return replace(self._facts, state=self._facts.state.as_of(self._clock.monotonic()))

    def _snapshot(self) -> PlayerState:
        return self._look().state

    @property
    def _runs(self) -> bool | None:
        standstill = self._snapshot().standstill
        return standstill is not None and standstill.runs

    async def _test_again(self) -> None:
        """Test the way to the service; if a test is under way, wait for that one."""
        if self._place.faults:
            return
        if self._testing is None or self._testing.done():
            self._testing = asyncio.create_task(test_connection(self._place.settings), name="connection test")
        self._test = await asyncio.shield(self._testing)
        await self._refresh()

    async def _bundle(self) -> tuple[str, bytes]:
        place, facts = self._place, self._look()

        def write() -> tuple[str, bytes]:
            contents = stored_contents(place.settings, facts=facts, faults=place.faults)
            return file_name(contents), write_bundle(contents)

        return await asyncio.to_thread(write)

    # Who may look

    def _make_gatekeeper(self) -> Gatekeeper:
        stored = Access()
        with contextlib.suppress(*NOT_THE_DOCUMENT, CorruptError):
            stored = Access.read(read_checksummed(self._place.folder / "access", "access"))
        return Gatekeeper(
            stored=stored,
            clock=self._clock,
            store=_store_nothing,
            emit=self._tell_pin,
            fixed=self._place.settings.page_pin,
        )

    def _tell_pin(self, event: Event) -> None:
        if self._show_pin is not None:
            self._show_pin(event.pin if isinstance(event, PinIssued) else None)
        elif isinstance(event, PinIssued):
            self._say(
                phrase(
                    "PIN: {digits}, for two minutes. The page can have it written here again.", digits=event.pin.digits
                )
            )


async def _store_nothing(_: bytes) -> None:
    """The state directory is the player's alone."""
