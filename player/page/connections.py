"""Answers the connections to the page, and bounds how many there are, how long each may take and how much it may send.

There is a cap in all, a cap for each address, and one deadline. A connection has one request; while it waits for the
caller (idle, in the middle of the request, or with an answer to read) it makes room for a newer one.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
from collections import Counter
from collections.abc import Callable
from typing import Any

from player.page.exchange import Application, Exchange, NoRequestError

MAX_CONNECTIONS = 64
"""Open at a time, and new ones in a second, in all: the board's frames come first."""

MAX_OF_ADDRESS = 16
"""The same of one address. As many of the new ones in a second are kept for addresses that do not come all the time."""

DEADLINE_SECONDS = 60.0
"""From the connection to the last byte of its answer, support bundles included."""

MAX_HEAD_BYTES = 16 * 1024
"""Size of a request's line and headers."""

MAX_REQUEST_BYTES = 32 * 1024
"""Size of a request with its body: forms only, no uploads."""

OWN_ADDRESSES = frozenset({"127.0.0.1", "::1"})
"""Addresses of programs on this device, such as `menu-player doctor`, which may come as often as they like."""

_BUSY = "Too much is asked of this screen at once. Try again in a moment."
_TOO_MUCH = "This is more than the page takes."
_NO_REQUEST = "This is no request that the page can read."
_TOO_LONG = "This took too long."


class Connections:
    """Open connections: which may stay, and which give way to a new one."""

    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._open: dict[Connection, str] = {}
        self._came: dict[int, Counter[str]] = {}
        self._accepted = 0

    def may_open(self, address: str) -> bool:
        """False if connections of this address come too fast."""
        if address in OWN_ADDRESSES:
            return True
        second = int(self._monotonic())
        if second not in self._came:
            self._accepted = 0
            self._came = {at: came for at, came in self._came.items() if at >= second - 2} | {second: Counter()}
        self._came[second][address] += 1
        comes_all_the_time = all(address in self._came.get(second - ago, ()) for ago in (1, 2))
        most = MAX_CONNECTIONS - (MAX_OF_ADDRESS if comes_all_the_time else 0)
        if self._accepted >= most or self._came[second][address] > MAX_OF_ADDRESS:
            return False
        self._accepted += 1
        return True

    def open(self, connection: Connection, address: str) -> bool:
        """True if the connection may stay; ends another one for it if needed."""
        if not self.may_open(address) or not self._has_room(address):
            return False
        self._open[connection] = address
        return True

    def _has_room(self, address: str) -> bool:
        held = Counter(self._open.values())
        if held[address] >= MAX_OF_ADDRESS:
            return self._end_one(address)
        if len(self._open) < MAX_CONNECTIONS:
            return True
        return any(self._end_one(other) for other, _ in held.most_common())

    def discard(self, connection: Connection) -> None:
        """Removes a closed connection."""
        self._open.pop(connection, None)

    def _end_one(self, address: str) -> bool:
        for connection, its_address in self._open.items():
            if its_address == address and connection.waits:
                connection.give_way()
                return True
        return False


class Connection(asyncio.Protocol):
    """One connection for one request, with a deadline."""

    _transport: asyncio.Transport
    _deadline: asyncio.TimerHandle
    _exchange: Exchange

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._all = answers.connections
        self._received = 0

    @property
    def waits(self) -> bool:
        """True if the next move is the caller's: nothing is being answered."""
        return not self._exchange.is_answering

    def give_way(self) -> None:
        """Closes for a newer connection."""
        self._refuse(503, _BUSY)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        self._exchange = Exchange(self._answers.app, transport, max_head_bytes=MAX_HEAD_BYTES)
        self._answers.open.add(self)
        self._deadline = asyncio.get_running_loop().call_later(DEADLINE_SECONDS, self._expire)
        if not self._all.open(self, address_of(transport.get_extra_info("peername"))):
            # A close with unread bytes would take the answer back.
            with contextlib.suppress(OSError):
                os.read(transport.get_extra_info("socket").fileno(), MAX_HEAD_BYTES)
            self.give_way()

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.discard(self)
        self._answers.open.discard(self)
        self._deadline.cancel()
        self._exchange.caller_has_gone()

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        if self._received > MAX_REQUEST_BYTES:
            self._refuse(413, _TOO_MUCH)
            return
        try:
            self._exchange.receive(data)
        except NoRequestError:
            self._refuse(400, _NO_REQUEST)
        if (task := self._exchange.task) is not None:
            self._answers.tasks.add(task)
            task.add_done_callback(self._answers.tasks.discard)

    def pause_writing(self) -> None:
        self._exchange.pause_writing()

    def resume_writing(self) -> None:
        self._exchange.resume_writing()

    def close(self, *, at_once: bool = False) -> None:
        """Closes; `at_once` without what the caller has not read."""
        if at_once:
            self._transport.abort()
        else:
            self._transport.close()

    def _expire(self) -> None:
        if self._received and self.waits:
            self._refuse(408, _TOO_LONG)
        self._transport.abort()

    def _refuse(self, status: int, words: str) -> None:
        """Answers, if nothing has been answered, and closes."""
        self._all.discard(self)
        if not self._exchange.has_answer:
            head = f"HTTP/1.1 {status} Refused\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
            self._transport.write(f"{head}{words}\n".encode())
        self._transport.close()


class Answers:
    """Answers connections with an application."""

    def __init__(self, make_app: Callable[[], Application], *, monotonic: Callable[[], float]) -> None:
        self.connections = Connections(monotonic=monotonic)
        self.app = make_app()
        self.open = set[Connection]()
        """Connections that are closing, too."""
        self.tasks = set[asyncio.Task[None]]()
        """Run the application; some outlast their connection."""

    def connection(self) -> Connection:
        return Connection(self)

    async def stop(self) -> None:
        """Closes, after a moment for what is being answered."""
        for connection in tuple(self.open):
            if connection.waits:
                connection.close()
        tasks = tuple(self.tasks)
        if tasks:
            await asyncio.wait(tasks, timeout=1)
        for task in tasks:
            task.cancel()
        for connection in tuple(self.open):
            connection.close(at_once=True)


def address_of(peer: Any) -> str:
    """Returns the address that a connection counts for: an IPv4 address, or the network of an IPv6 address, whose hosts
    have many."""
    try:
        address = ipaddress.ip_address(str(peer[0]).partition("%")[0])
    except (ValueError, TypeError, IndexError):
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        if not address.is_loopback and not address.is_link_local:
            return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
