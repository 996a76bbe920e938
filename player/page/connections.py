"""Accepts the page's connections, and bounds how many there are, how long each may take and how much it may send.

There is a cap in all, a cap for each address, and one deadline. A connection has one request; while it waits for the
caller (idle, in the middle of the request, or with an answer to read) it makes room for a newer one.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import socket
from collections import Counter
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from player.domain.words.phrase import phrase
from player.page.refusal import whole_answer

MAX_CONNECTIONS = 64
"""Open at a time, and new ones in a second, in all: the board's frames come first."""

MAX_OF_ADDRESS = 16
"""The same of one address. As many of the new ones in a second are kept for addresses that do not come all the time."""

DEADLINE_SECONDS = 60.0
"""From the connection to the last byte of its answer, support bundles included. A stream of events has no deadline."""

MAX_HEAD_BYTES = 16 * 1024
"""Size of a request's line and headers."""

MAX_REQUEST_BYTES = 32 * 1024
"""Size of a request with its body: forms only, no uploads."""

DEAD_MILLISECONDS = 30_000
"""After which bytes that nobody takes end the connection: the phone has left, or reads nothing."""

OWN_ADDRESSES = frozenset({"127.0.0.1", "::1"})
"""Addresses of programs on this device, such as `menu-player doctor`, which may come as often as they like."""

SHORTAGE_SECONDS = 1.0
"""Until the next connection is accepted when the system has no descriptor or memory for one."""

BACKLOG = 1024
"""Connections that the kernel keeps until they are accepted, and as many that have said nothing yet."""

_BUSY = phrase("Too much is asked of this screen at once. Try again in a moment.")
_TOO_MUCH = phrase("This is more than the page takes.")
_TOO_LONG = phrase("This took too long.")
_SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Connections:
    """The open connections: which may stay, and which give way to a new one."""

    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._open: dict[Connection, str] = {}
        self._came: dict[int, Counter[str]] = {}
        self._accepted = 0

    def may_open(self, address: str) -> bool:
        """Whether a connection of this address comes not too early."""
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

    def has_room(self, address: str) -> bool:
        """Whether a connection of this address may be opened; ends another one for it where needed."""
        held = Counter(self._open.values())
        if held[address] >= MAX_OF_ADDRESS:
            return self._end_one(address)
        if len(self._open) < MAX_CONNECTIONS:
            return True
        return any(self._end_one(other) for other, _ in held.most_common())

    def add(self, connection: Connection, address: str) -> None:
        """The connection is open."""
        self._open[connection] = address

    def discard(self, connection: Connection) -> None:
        """It is closed."""
        self._open.pop(connection, None)

    def _end_one(self, address: str) -> bool:
        for connection, its_address in self._open.items():
            if its_address == address and connection.waits:
                connection.give_way()
                return True
        return False


class Connection(H11Protocol):
    """One connection for one request: uvicorn's, with a deadline."""

    def __init__(self, connections: Connections, streams: frozenset[str], **of_uvicorn: Any) -> None:
        super().__init__(**of_uvicorn)
        self._all = connections
        self._streams = streams
        self._received = 0
        self._begun = b""
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether the next move is the caller's: nothing is being answered."""
        cycle = self._last
        return cycle is None or cycle.response_complete or cycle.more_body

    @property
    def _last(self) -> RequestResponseCycle | None:
        """The request and its answer; uvicorn's type leaves out that there is none at first."""
        return self.cycle

    def give_way(self) -> None:
        """Close for a newer connection."""
        self._refuse(503, _BUSY)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._all.add(self, address_of(transport.get_extra_info("peername")))
        self._deadline = self.loop.call_later(DEADLINE_SECONDS, self._expire)

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.discard(self)
        self._end_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._received:
            self._begun = data[:MAX_HEAD_BYTES]
        self._received += len(data)
        if self._received > MAX_REQUEST_BYTES:
            self._refuse(413, _TOO_MUCH)
            return
        super().data_received(data)
        if self._last is not None and self._last.scope["path"] in self._streams:
            self._end_deadline()

    def _end_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()

    def _expire(self) -> None:
        if self._received and self.waits:
            self._refuse(408, _TOO_LONG)
        self.transport.abort()

    def _refuse(self, status: int, words: str) -> None:
        """Answer, if nothing has been answered, and close."""
        self._all.discard(self)
        if self._last is None or not self._last.response_started:
            self.transport.write(whole_answer(status, words, self._begun))
        self.transport.close()


StartTask = Callable[[str, Callable[[], Coroutine[Any, Any, None]]], "asyncio.Task[None]"]


def start_task(name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
    """Run it once."""
    return asyncio.create_task(work(), name=name)


class Listeners:
    """Serves an application on listening sockets, until it is stopped. Sleeps until somebody comes: uvicorn's own
    server wakes ten times a second, which was most of the CPU time of an idle board."""

    def __init__(self, app: Any, *, streams: frozenset[str] = frozenset(), start: StartTask = start_task) -> None:
        self._start = start
        self._config = uvicorn.Config(
            app,
            http=H11Protocol,
            interface="asgi3",
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            # uvicorn's loop would keep it, and a device's clock may be wrong (RFC 9110, section 6.6.1).
            date_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            headers=[("connection", "close")],
        )
        self._streams = streams
        self._state = ServerState()
        self._accepting: list[asyncio.Task[None]] = []
        self._sockets: list[socket.socket] = []

    @property
    def open(self) -> int:
        """The number of open connections."""
        return len(self._state.connections)

    def serve(self, sockets: list[socket.socket]) -> None:
        """Begin to accept."""
        loop = asyncio.get_running_loop()
        self._config.load()
        self._state.default_headers = self._config.encoded_headers
        self._connections = Connections(monotonic=loop.time)
        self._sockets = sockets
        for listener in sockets:
            listener.settimeout(0)
            listener.listen(BACKLOG)
            self._accepting.append(self._start("visitors", partial(self._accept, listener)))

    async def stop(self, *, within: float) -> None:
        """Accept nothing more, and give what is being answered a moment."""
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        for listener in self._sockets:
            listener.close()
        for connection in tuple(self._state.connections):
            connection.shutdown()
        tasks = tuple(self._state.tasks)
        if tasks:
            await asyncio.wait(tasks, timeout=within)
        for task in tasks:
            task.cancel()
        for connection in tuple(self._state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)

    def _connection(self) -> Connection:
        return Connection(self._connections, self._streams, config=self._config, server_state=self._state, app_state={})

    async def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                accepted, peer = listener.accept()
                accepted.settimeout(0)
            except BlockingIOError:
                await _someone_calls(listener)
                continue
            except OSError as error:
                # The process has no descriptor left, or the caller has gone already.
                await asyncio.sleep(SHORTAGE_SECONDS if error.errno in _SHORTAGES else 0)
                continue
            address = address_of(peer)
            if not self._connections.may_open(address) or not self._connections.has_room(address):
                _decline(accepted)
            else:
                await self._take_up(accepted)
            # A flood must not keep the loop from everything else.
            await asyncio.sleep(0)

    async def _take_up(self, accepted: socket.socket) -> None:
        try:
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, DEAD_MILLISECONDS)
            await asyncio.get_running_loop().connect_accepted_socket(self._connection, accepted)
        except OSError:
            accepted.close()


async def _someone_calls(listener: socket.socket) -> None:
    """Not by sock_accept(): cancelled as a caller comes, it loses the connection."""
    loop = asyncio.get_running_loop()
    called = asyncio.Event()
    loop.add_reader(listener, called.set)
    try:
        await called.wait()
    finally:
        loop.remove_reader(listener)


def _decline(accepted: socket.socket) -> None:
    """Say that it is too much, and close; waits for nothing. What was sent is read first, as a close with unread bytes
    would take the answer back."""
    request = b""
    with contextlib.suppress(OSError):
        request = accepted.recv(MAX_HEAD_BYTES)
    with contextlib.suppress(OSError):
        accepted.send(whole_answer(503, _BUSY, request))
    accepted.close()


def address_of(peer: Any) -> str:
    """The address that a connection counts for: an IPv4 address, or the network of an IPv6 address, whose hosts have
    many."""
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
