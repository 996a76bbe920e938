"""Listens on the port of the page. The program that answers is loaded for the first caller: it takes 4 MiB, and most
boards have no caller for weeks."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from player.page.connections import Answers

log = logging.getLogger(__name__)

BACKLOG = 1024
"""Connections that the kernel keeps until they are accepted, and as many that have said nothing yet."""


class DiagnosticsServer:
    """Serves the page until it is stopped: on loopback, and with `on_network` on every interface. If its port is taken
    there is no page, and it can be started again. Sleeps until the first call."""

    def __init__(
        self, *, make_app: Callable[[], Any], port: int, on_network: bool = False, backlog: int = BACKLOG
    ) -> None:
        self._make_app = make_app
        self._port = port
        self._on_network = on_network
        self._backlog = backlog
        self._answers: Answers | None = None
        self._servers: list[asyncio.Server] = []

    async def start(self) -> str | None:
        """Start; returns the page's address, or None if the port is not available."""
        hosts = ("0.0.0.0", "::") if self._on_network else ("127.0.0.1", "::1")  # noqa: S104 -- for phones
        try:
            await self._listen(hosts[0])
        except OSError as error:
            log.info("port %d is not available: %s", self._port, error.strerror)
            return None
        self._port = int(self._servers[0].sockets[0].getsockname()[1])
        try:
            await self._listen(hosts[1])
        except OSError as error:
            log.info("the page has no IPv6 address: %s", error.strerror)
        return f"http://127.0.0.1:{self._port}/"

    def addresses(self, own: tuple[str, ...]) -> tuple[str, ...]:
        """Returns the addresses at which phones find the page, from the device's own; none if it is closed to them."""
        if not self._servers or not self._on_network:
            return ()
        return tuple(f"http://[{one}]:{self._port}/" if ":" in one else f"http://{one}:{self._port}/" for one in own)

    async def stop(self) -> None:
        """Accepts nothing more, and gives what is being answered a moment."""
        while self._servers:
            self._servers.pop().close()
        # A connection that was accepted a moment ago is known some turns of the loop later.
        for _ in range(3):
            await asyncio.sleep(0)
        if self._answers is not None:
            await self._answers.stop()
        await asyncio.sleep(0)

    async def _listen(self, host: str) -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(self._connection, host, self._port, backlog=self._backlog)
        # In steps of the kernel's own: 15 s, with many connections 31 s.
        server.sockets[0].setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, 10)
        self._servers.append(server)

    def _connection(self) -> asyncio.Protocol:
        if self._answers is None:
            from player.page.connections import Answers

            self._answers = Answers(self._make_app, monotonic=asyncio.get_running_loop().time)
        return self._answers.connection()
