"""A name server (DNS) on loopback that tells the truth, lies, fails or is silent."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import cast

SERVFAIL, NXDOMAIN, REFUSED = 2, 3, 5


class NameServer(asyncio.DatagramProtocol):
    """`answer` is an address, a code of RFC 1035, or None for silence; `answer6` the IPv6 address beside it. `others`
    are names with addresses of their own. Each answer comes `late` seconds after its question."""

    def __init__(self, answer: str | int | None, *, others: Mapping[str, str | int] | None = None) -> None:
        self.answer = answer
        self.answer6 = ""
        self.others = dict(others or {})
        self.late = 0.0
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
        kind = data[at + 1 : at + 3]
        answer = self.others.get(self.asked[-1], self.answer)
        if answer is None or self._transport is None:
            return
        code = answer if isinstance(answer, int) else 0
        body = b""
        if isinstance(answer, str) and answer and kind == b"\0\1":
            body = b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4" + socket.inet_aton(answer)
        elif not code and self.answer6 and kind == b"\0\x1c" and self.asked[-1] not in self.others:
            body = b"\xc0\x0c\0\x1c\0\1\0\0\0\1\0\x10" + socket.inet_pton(socket.AF_INET6, self.answer6)
        head = data[:2] + bytes([0x81, 0x80 | code]) + b"\0\1" + (b"\0\1" if body else b"\0\0") + b"\0\0\0\0"
        packet = head + question + body + self.more
        asyncio.get_running_loop().call_later(self.late, self._transport.sendto, packet, addr)


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
