"""Accepts the page's connections, and bounds how many there are, how long each may take and how much it may send.

A connection that waits (idle, or in the middle of its request) makes room for a newer one. So neither idle nor slow
ones lock anybody out.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import socket
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from player.domain.words.phrase import phrase
from player.page.refusal import whole_answer

MAX_CONNECTIONS = 64
"""Open at a time, in all."""

MAX_OF_ADDRESS = 16
"""Open at a time from one address."""

MAX_HEAD_BYTES = 16 * 1024
"""Of a request: its line and headers."""

MAX_REQUEST_BYTES = 32 * 1024
"""Of a request, with its body: forms only, no uploads."""

MAX_DISCARDED_BYTES = 1024 * 1024
"""What is still read of a request that has been refused."""

IDLE_SECONDS = 5
"""From an answer to the next request."""

REQUEST_SECONDS = 10.0
"""From the connection, or the first byte of a later request, to the end of the request."""

ANSWER_SECONDS = 60.0
"""From the end of a request to its answer, and from there to its last byte; a stream of events has as long as it
likes."""

STALLED_SECONDS = 10.0
"""How long a caller may read nothing of what waits for it."""

LINGER_SECONDS = 1.0
"""How long a refused caller may take to read why."""

DEAD_MILLISECONDS = 30_000
"""After which bytes that are not acknowledged end the connection: the phone has left."""

MOST_AT_ONCE = 60
"""Connections and requests of one address that may come at once; after that, REQUESTS_PER_SECOND."""

REQUESTS_PER_SECOND = 20.0
"""Of one address, for long."""

MOST_IN_ALL = 200
"""The same of all addresses together; after that, IN_ALL_PER_SECOND."""

IN_ALL_PER_SECOND = 100.0
"""Of all addresses together, for long: the board's frames come first."""

MOST_OF_QUIET = 10
"""What an address may still make at once when it is too much in all; after that, QUIET_PER_SECOND."""

QUIET_PER_SECOND = 1.0
"""Of one address, for long, when it is too much in all."""

OWN_ADDRESSES = frozenset({"127.0.0.1", "::1"})
"""Of programs on this device, such as `menu-player doctor`: no pace holds them up."""

MOST_ADDRESSES = 256
"""Addresses whose pace is known; the one that was quiet for longest is forgotten."""

SHORTAGE_SECONDS = 1.0
"""Until the next connection is accepted when the system has no descriptor or memory for one."""

BACKLOG = 1024
"""Connections that the kernel keeps until they are accepted, and as many that have said nothing yet."""

_EVERYBODY = ""
_BUSY = phrase("Too much is asked of this screen at once. Try again in a moment.")
_TOO_MUCH = phrase("This is more than the page takes.")
_TOO_LONG = phrase("This took too long.")
_SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Pace:
    """How many requests each address may still make: so many at once; they come back with time."""

    def __init__(self, at_once: int, per_second: float, *, monotonic: Callable[[], float]) -> None:
        self._at_once = float(at_once)
        self._per_second = per_second
        self._monotonic = monotonic
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        """How many addresses are known."""
        return len(self._left)

    def take(self, address: str, *, or_refuse: bool = False) -> float:
        """Take one; returns the seconds for which it came too early: 0 if it did not. With `or_refuse`, one that comes
        too early costs nothing: else who asks without pause had none for ever. Without, each connection may owe one.
        """
        now = self._monotonic()
        left, at = self._left.pop(address, (self._at_once, now))
        had = min(self._at_once, left + (now - at) * self._per_second)
        left = had if or_refuse and had < 1.0 else max(-float(MAX_CONNECTIONS), had - 1.0)
        self._left[address] = (left, now)
        if or_refuse and had < 1.0:
            return (1.0 - had) / self._per_second
        while len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        return max(0.0, -left / self._per_second)


class Connections:
    """The open connections: which may stay, and which give way to a new one."""

    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._pace = Pace(MOST_AT_ONCE, REQUESTS_PER_SECOND, monotonic=monotonic)
        self._pace_in_all = Pace(MOST_IN_ALL, IN_ALL_PER_SECOND, monotonic=monotonic)
        self._quiet_pace = Pace(MOST_OF_QUIET, QUIET_PER_SECOND, monotonic=monotonic)
        self._open: OrderedDict[Connection, str] = OrderedDict()

    def may_open(self, address: str) -> bool:
        """Whether a connection of this address comes not too early. Where it is too much in all, those go on that ask
        little."""
        if address in OWN_ADDRESSES:
            return True
        if self._pace.take(address, or_refuse=True):
            return False
        is_quiet = not self._quiet_pace.take(address, or_refuse=True)
        return not self._pace_in_all.take(_EVERYBODY, or_refuse=True) or is_quiet

    def wait_after(self, address: str) -> float:
        """Seconds that this connection has to wait with its next request, having made one."""
        if address in OWN_ADDRESSES:
            return 0.0
        return max(self._pace.take(address), self._pace_in_all.take(_EVERYBODY))

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

    def touch(self, connection: Connection) -> None:
        """It was used: others give way first."""
        if connection in self._open:
            self._open.move_to_end(connection)

    def _end_one(self, address: str) -> bool:
        for connection, its_address in self._open.items():
            if its_address == address and connection.waits:
                connection.give_way()
                return True
        return False


class Connection(H11Protocol):
    """One connection: uvicorn's, with a deadline for each of its phases."""

    def __init__(self, connections: Connections, streams: frozenset[str], **of_uvicorn: Any) -> None:
        super().__init__(**of_uvicorn)
        self._all = connections
        self._streams = streams
        self._address = ""
        self._received = 0
        self._begun = b""
        self._refused = False
        self._counted: object = None
        self._unread = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._paced: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether the next move is the caller's: nothing is being answered."""
        cycle = self._last
        return cycle is None or cycle.response_complete or cycle.more_body

    @property
    def _last(self) -> RequestResponseCycle | None:
        """The newest request and its answer; uvicorn's type leaves out that there is none at first."""
        return self.cycle

    def end(self) -> None:
        """Close at once, whatever is under way."""
        self._all.discard(self)
        self.transport.abort()

    def give_way(self) -> None:
        """Close for a newer connection; say so if no byte of a request has been read, as one may be on its way."""
        if not self._received:
            self.transport.write(whole_answer(503, _BUSY, b""))
        self.end()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = address_of(transport.get_extra_info("peername"))
        self._all.add(self, self._address)
        self._end_after(REQUEST_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.discard(self)
        for timer in (self._deadline, self._stalled, self._paced):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._received:
            self._begun = data[:MAX_HEAD_BYTES]
        self._received += len(data)
        if self._refused:
            if self._received > MAX_DISCARDED_BYTES:
                self.transport.pause_reading()
            return
        self._all.touch(self)
        answering = self._last is not None and not self._last.response_complete
        if self._received > MAX_REQUEST_BYTES:
            self._refuse(413, _TOO_MUCH)
            return
        if self._received == len(data) and not answering:
            self._end_after(REQUEST_SECONDS)
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        if self.conn.trailing_data[0] and not self.transport.is_closing():
            # The next request before this answer, or a body that nobody reads: browsers send neither.
            self.transport.close()
        super().on_response_complete()
        if self.transport.is_closing():
            self._end_after(LINGER_SECONDS)
        elif not self.cycle.more_body:
            self._received = 0
            unread = self.transport.get_write_buffer_size()
            self._end_after(ANSWER_SECONDS if unread else IDLE_SECONDS + LINGER_SECONDS)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look_again()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _look_again(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._stalled = self.loop.call_later(STALLED_SECONDS, self._end_if_stalled)

    def _end_if_stalled(self) -> None:
        if self.transport.get_write_buffer_size() >= self._unread:
            self.end()
        else:
            self._look_again()

    def _follow(self) -> None:
        """Note a request that has come, and give its answer its time."""
        if self.transport.is_closing():
            self._end_after(LINGER_SECONDS)
            return
        cycle = self._last
        if cycle is None or cycle.more_body or cycle.response_complete or cycle is self._counted:
            return
        self._counted = cycle
        if self._deadline is not None:
            self._deadline.cancel()
        if self.cycle.scope["path"] not in self._streams:
            self._end_after(ANSWER_SECONDS)
        if wait := self._all.wait_after(self._address):
            self.transport.pause_reading()
            self._paced = self.loop.call_later(wait, self._go_on)

    def _go_on(self) -> None:
        if not self.transport.is_closing():
            self.transport.resume_reading()

    def _end_after(self, seconds: float) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, self._expire)

    def _expire(self) -> None:
        """Say that it took too long where somebody is in the middle of a request, and close."""
        if self._refused or self.transport.is_closing() or not self._received or not self.waits:
            self.end()
        else:
            self._refuse(408, _TOO_LONG)

    def _refuse(self, status: int, words: str) -> None:
        """Answer, if nothing has been answered, and close. What still comes is read and dropped for a moment: a close
        with unread bytes would take the answer back."""
        self._refused = True
        self._unset_keepalive_if_required()
        cycle = self._last
        if cycle is not None:
            cycle.disconnected = True
            cycle.message_event.set()
        if cycle is None or not cycle.response_started:
            self.transport.write(whole_answer(status, words, self._begun))
        with contextlib.suppress(OSError):
            self.transport.write_eof()
        self.transport.resume_reading()
        self._end_after(LINGER_SECONDS)


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
            timeout_keep_alive=IDLE_SECONDS,
        )
        self._streams = streams
        self._state = ServerState()
        self._accepting: list[asyncio.Task[None]] = []
        self._sockets: list[socket.socket] = []

    @property
    def open(self) -> int:
        """How many connections are open."""
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
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, peer = await loop.sock_accept(listener)
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
    """Whom a connection is counted to: an IPv4 address, or the network of an IPv6 address, whose hosts have many."""
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
