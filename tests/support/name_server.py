"""A name server (DNS) on loopback that tells the truth, lies, fails or is silent."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

SERVFAIL, NXDOMAIN, REFUSED = 2, 3, 5


class NameServer(asyncio.DatagramProtocol):
    """`answer` is an address, a code of RFC 1035, or None for silence."""

    def __init__(self, answer: str | int | None) -> None:
        self.answer = answer
        self.asked: list[str] = []
        self.port = 0
        self.more = b""
        """Sent after each answer, in the same packet."""
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Not isinstance: asyncio's own is no DatagramTransport in Python 3.11.
        self._transport = cast("asyncio.DatagramTransport", transport)
        self.port = transport.get_extra_info("sockname")[1]

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        labels, at = [], 12
        while length := data[at]:
            labels.append(data[at + 1 : at + 1 + length].decode())
            at += 1 + length
        self.asked.append(".".join(labels))
        question = data[12 : at + 5]
        is_a = data[at + 1 : at + 3] == b"\0\1"
        if self.answer is None or self._transport is None:
            return
        code = self.answer if isinstance(self.answer, int) else 0
        body = b""
        if isinstance(self.answer, str) and is_a:
            body = b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4" + socket.inet_aton(self.answer)
        head = data[:2] + bytes([0x81, 0x80 | code]) + b"\0\1" + (b"\0\1" if body else b"\0\0") + b"\0\0\0\0"
        self._transport.sendto(head + question + body + self.more, addr)


@asynccontextmanager
async def name_server(answer: str | int | None, *, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[NameServer]:
    """Serve on a port of this address (0: any free port) until the block is left."""
    transport, server = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: NameServer(answer), local_addr=(host, port)
    )
    try:
        yield server
    finally:
        transport.close()
