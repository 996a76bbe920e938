"""Opens the page of the running player and announces it; its PIN, its actions and its support bundle."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from menu.documents.tolerant import NOT_THE_DOCUMENT
from menu.text.phrase import Phrase, phrase
from player.device.listening import listener_at
from player.device.network import networks, own_addresses
from player.domain import actions as act
from player.domain import events as ev
from player.domain.findings.rejected import PAGE_PORT_TAKEN
from player.domain.link.announcement import Announcement, announcement_of
from player.domain.pairing.access import Access
from player.domain.state import PlayerState
from player.domain.time.clock import Clock
from player.link.announcer import Announcer
from player.page.access import Gatekeeper
from player.page.collector import FactsCollector
from player.page.listener import DiagnosticsServer
from player.page.picture import Pictures
from player.runtime.tasks import Tasks
from player.runtime.uploads import PICTURE_SECONDS
from player.settings import PageAccess, Settings
from player.storage.durable import StorageError
from player.storage.state_file import StateFile
from player.storage.writer import DiskWriter

log = logging.getLogger(__name__)

AGAIN_SECONDS = 10.0
"""Between two attempts to open the page while another program has its port."""


class OpenPage:
    """Owns the page with what it needs of the other parts. `token` is the screen's, which a bundle must not hold."""

    def __init__(
        self,
        *,
        settings: Settings,
        clock: Clock,
        file: StateFile[bytes],
        writer: DiskWriter,
        collect: FactsCollector,
        snapshot: Callable[[], PlayerState],
        pictures: Pictures,
        token: Callable[[], str | None],
        tasks: Tasks,
        emit: Callable[[ev.Event], None],
    ) -> None:
        """`file` stores sign-ins, and attempts at them."""
        self._settings = settings
        self._clock = clock
        self._writer = writer
        self._collect = collect
        self._snapshot = snapshot
        self._pictures = pictures
        self._token = token
        self._tasks = tasks
        self._emit = emit
        self._address = ""
        on_network = settings.page is PageAccess.NETWORK
        self._gatekeeper = self._make_gatekeeper(file) if on_network else None
        self._server = DiagnosticsServer(make_app=self._make_app, port=settings.diagnostics_port, on_network=on_network)

    async def open(self) -> None:
        """Opens the page, as soon as its port is available, and announces the player with its address."""
        address = None if self._settings.page is PageAccess.OFF else await self._server.start()
        if self._settings.announce:
            self._tasks.start("announcer", Announcer(announcement=self._announcement, interfaces=networks).run)
        if self._settings.page is PageAccess.OFF:
            return
        if address is None:
            taken = self._settings.diagnostics_port
            log.error("no page: port %d is not available; choose another with --diagnostics-port", taken)
            detail = await asyncio.to_thread(_taken, taken)
            self._emit(ev.PartFailed(subject="page", code=PAGE_PORT_TAKEN, detail=detail))
            while address is None:
                await asyncio.sleep(AGAIN_SECONDS)
                address = await self._server.start()
            self._emit(ev.PartWell(subjects=frozenset({"page"})))
        self._address = address
        log.info("diagnostics at %s", address)

    def _announcement(self) -> Announcement | None:
        page = urlsplit(self._address if self._settings.page is PageAccess.NETWORK else "")
        return announcement_of(self._snapshot(), page=page.scheme, port=page.port or 0)

    async def read_addresses(self) -> None:
        """Report the device's addresses, and those of its page."""
        own = own_addresses()
        self._emit(ev.AddressesRead(addresses=own, pages=self._server.addresses(own)))

    def show_pin(self) -> None:
        """Issues a PIN, unless the page has none."""
        if self._gatekeeper is not None:
            # Not within the event that asks for it: the PIN is one, too.
            asyncio.get_running_loop().call_soon(self._gatekeeper.show_pin)

    async def close(self) -> None:
        await self._server.stop()

    def _make_app(self) -> Any:
        from player.page.server import create_app

        return create_app(
            look=self._collect,
            monotonic=self._clock.monotonic,
            grab=self._pictures.take,
            bundle=self._bundle,
            gatekeeper=self._gatekeeper,
            actions={action: partial(self._act_for_staff, action) for action in ev.StaffAction},
        )

    def _make_gatekeeper(self, file: StateFile[bytes]) -> Gatekeeper:
        try:
            stored = Access.read(file.load())
        except (*NOT_THE_DOCUMENT, StorageError) as error:
            log.info("the record of sign-ins cannot be read, and begins anew: %s", error)
            stored = Access()
        return Gatekeeper(
            stored=stored, clock=self._clock, store=self._store_access, emit=self._emit, fixed=self._settings.page_pin
        )

    async def _store_access(self, content: bytes) -> None:
        self._writer.later(act.StoreAccess(content=content))
        await self._writer.written()

    async def _act_for_staff(self, action: ev.StaffAction) -> None:
        self._emit(ev.StaffAsked(action=action))

    async def _bundle(self) -> tuple[str, bytes]:
        """Returns the support bundle: its file's name, and its content."""
        from player.page.bundle import file_name, write_bundle
        from player.runtime.support_bundle import live_contents

        picture = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PICTURE_SECONDS):
                picture = await self._pictures.take(1920)
        pin = self._gatekeeper.shown() if self._gatekeeper else None
        facts, token = self._collect(), self._token()

        def write() -> tuple[str, bytes]:
            contents = live_contents(facts, self._settings, picture=picture, token=token, pin=pin)
            return file_name(contents), write_bundle(contents)

        return await asyncio.to_thread(write)


def _taken(port: int) -> Phrase:
    """Names the program that has the port, as far as this user may see that."""
    listener = listener_at(port)
    if listener is not None:
        return phrase("the program {program} has port {port}", program=listener.name, port=str(port))
    return phrase("another program has port {port}; root sees which one, by: sudo ss -ltnp", port=str(port))
