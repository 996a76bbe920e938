"""The bounds of the page's server, with real sockets in virtual time: nobody can lock the others out."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from player.page import connections
from player.page.connections import address_of
from player.page.listener import DiagnosticsServer
from tests.support.virtual import VirtualLoop

GET = b"GET / HTTP/1.1\r\nHost: board\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: board\r\nContent-Length: 200000000\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nHost: board\r\nTransfer-Encoding: chunked\r\n\r\n"
BIG = b"x" * 20_000_000


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        yield runner


class Served:
    """The server with a small application: `/` answers, with the body that it got, `/big` much, `/never` and `/long`
    not to the end; `/broken` fails."""

    def __init__(self) -> None:
        self.server = DiagnosticsServer(make_app=lambda: self._answer, port=0)
        self.answers = 0

    async def start(self) -> None:
        address = await self.server.start()
        assert address is not None
        self.port = int(address.rstrip("/").rpartition(":")[2])

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"]
        if path == "/broken":
            raise ValueError("a fault of the page")
        given, more = b"", True
        while more:
            message = await receive()
            given, more = given + message["body"], message.get("more_body")
        if path == "/never":
            await receive()
            return
        body = BIG if path == "/big" else given or b"seen"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": body, "more_body": path == "/long"})
        self.answers += 1
        if path == "/long":
            await receive()

    async def open(self, address: str = "127.0.0.1") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))

    async def ask(self, address: str = "127.0.0.1", request: bytes = GET) -> bytes:
        """The answer to this address; empty if the connection is closed instead."""
        reader, writer = await self.open(address)
        try:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            head = b""
        finally:
            writer.close()
        return head.partition(b"\r\n")[0]


@asynccontextmanager
async def served() -> AsyncIterator[Served]:
    page = Served()
    await page.start()
    try:
        yield page
    finally:
        await page.server.stop()


async def closed(reader: asyncio.StreamReader) -> bytes:
    """Reads until the end of the connection."""
    try:
        return await reader.read()
    except ConnectionError:
        return b""


@pytest.mark.proves("hundreds-idle-slow")
def test_500_idle_connections_lock_out_neither_others_nor_their_own_address(runner: asyncio.Runner) -> None:
    async def work() -> None:
        async with served() as page:
            held = [await page.open("127.0.0.2") for _ in range(500)]
            assert await page.ask("127.0.0.1") == b"HTTP/1.1 200 OK"
            await asyncio.sleep(1)
            assert await page.ask("127.0.0.2") == b"HTTP/1.1 200 OK"
            for _, writer in held:
                writer.close()

    runner.run(work())


@pytest.mark.proves("hundreds-idle-slow")
def test_200_slow_senders_of_many_addresses_give_way_and_are_told_that_it_took_too_long(runner: asyncio.Runner) -> None:
    async def work() -> list[bytes]:
        async with served() as page:
            held = []
            for number in range(200):
                reader, writer = await page.open(f"127.0.1.{number % 20 + 1}")
                writer.write(GET[:30])
                held.append((reader, writer))
            await asyncio.sleep(1)
            for address in ("127.0.0.1", "127.0.0.9", "127.0.1.1"):
                assert await page.ask(address) == b"HTTP/1.1 200 OK"
            answers = [await closed(reader) for reader, _ in held]
            assert asyncio.get_running_loop().time() < connections.DEADLINE_SECONDS + 2
            for _, writer in held:
                writer.close()
            return answers

    said = [answer.partition(b"\r\n")[0] for answer in runner.run(work())]
    assert 40 < said.count(b"HTTP/1.1 408 Refused") <= connections.MAX_CONNECTIONS
    assert set(said) == {b"HTTP/1.1 408 Refused", b"HTTP/1.1 503 Refused"}


def test_an_idle_connection_of_a_browser_is_closed_without_a_word(runner: asyncio.Runner) -> None:
    async def work() -> tuple[bytes, float]:
        async with served() as page:
            reader, writer = await page.open()
            answer = await closed(reader)
            writer.close()
            return answer, asyncio.get_running_loop().time()

    answer, after = runner.run(work())
    assert (answer, round(after)) == (b"", connections.DEADLINE_SECONDS)


@pytest.mark.proves("hundreds-idle-slow")
@pytest.mark.parametrize("head", [POST, CHUNKED])
def test_a_body_of_200_mb_is_refused_and_not_read(runner: asyncio.Runner, head: bytes) -> None:
    async def work() -> tuple[bytes, int]:
        async with served() as page:
            reader, writer = await page.open()
            writer.write(head)
            sent = 0
            piece = b"x" * 65536
            try:
                while sent < 200_000_000:
                    writer.write(b"10000\r\n" + piece + b"\r\n" if head is CHUNKED else piece)
                    await writer.drain()
                    sent += len(piece)
            except ConnectionError:
                pass
            assert await page.ask("127.0.0.3") == b"HTTP/1.1 200 OK"
            writer.close()
            return await closed(reader), sent

    _, sent = runner.run(work())
    assert sent < 40_000_000, "the kernel's buffers and little more"


def test_a_body_that_is_too_long_is_told_so(runner: asyncio.Runner) -> None:
    async def work() -> bytes:
        async with served() as page:
            reader, writer = await page.open()
            writer.write(POST + b"x" * (connections.MAX_REQUEST_BYTES + 1))
            answer = await closed(reader)
            writer.close()
            return answer

    assert runner.run(work()).startswith(b"HTTP/1.1 413")


def test_headers_without_end_are_refused(runner: asyncio.Runner) -> None:
    async def work() -> bytes:
        async with served() as page:
            reader, writer = await page.open()
            writer.write(b"GET / HTTP/1.1\r\nX: " + b"x" * (connections.MAX_HEAD_BYTES + 1000))
            answer = await closed(reader)
            writer.close()
            return answer

    assert runner.run(work()).startswith(b"HTTP/1.1 400")


@pytest.mark.long
@pytest.mark.proves("hundreds-idle-slow")
def test_whoever_reads_nothing_is_closed(runner: asyncio.Runner) -> None:
    async def work() -> int:
        async with served() as page:
            reader, writer = await asyncio.open_connection("127.0.0.1", page.port, limit=1)
            writer.write(GET.replace(b"/ ", b"/big ", 1))
            await asyncio.sleep(connections.DEADLINE_SECONDS + 1)
            received = len(await reader.read())
            writer.close()
            return received

    assert 0 < runner.run(work()) < len(BIG)


def test_an_answer_has_its_time(runner: asyncio.Runner) -> None:
    async def work() -> float:
        async with served() as page:
            reader, writer = await page.open()
            writer.write(GET.replace(b"/ ", b"/never ", 1))
            await closed(reader)
            writer.close()
            return asyncio.get_running_loop().time()

    assert runner.run(work()) == pytest.approx(connections.DEADLINE_SECONDS, abs=0.1)


def test_whoever_comes_when_it_is_too_much_is_told_so(runner: asyncio.Runner) -> None:
    async def work() -> bytes:
        async with served() as page:
            callers = []
            for _ in range(connections.MAX_OF_ADDRESS + 1):
                caller = socket.socket()
                caller.bind(("127.0.0.2", 0))
                caller.connect(("127.0.0.1", page.port))
                caller.sendall(GET)
                caller.setblocking(False)
                callers.append(caller)
            last = await asyncio.get_running_loop().sock_recv(callers[-1], 65536)
            for caller in callers:
                caller.close()
            return last

    last = runner.run(work())
    assert last.startswith(b"HTTP/1.1 503")
    assert b"Try again in a moment." in last


def test_the_next_request_before_the_answer_is_not_served(runner: asyncio.Runner) -> None:
    async def work() -> int:
        async with served() as page:
            reader, writer = await page.open()
            writer.write(GET * 100)
            await closed(reader)
            writer.close()
            return page.answers

    assert runner.run(work()) == 1


def test_a_connection_has_one_request(runner: asyncio.Runner) -> None:
    async def work() -> bytes:
        async with served() as page:
            reader, writer = await page.open()
            writer.write(GET)
            answer = await closed(reader)
            writer.close()
            assert asyncio.get_running_loop().time() < 1
            return answer

    answer = runner.run(work())
    assert b"connection: close" in answer
    assert answer.endswith(b"seen\r\n0\r\n\r\n")


@pytest.mark.long
@pytest.mark.proves("hundreds-idle-slow")
@pytest.mark.parametrize("addresses", [1, 50])
def test_a_flood_of_requests_is_answered_up_to_the_caps_and_a_phone_meanwhile(
    runner: asyncio.Runner, addresses: int
) -> None:
    async def flood(page: Served, address: str) -> None:
        while True:
            await page.ask(address)
            await asyncio.sleep(0.2)

    async def work() -> int:
        async with served() as page:
            held = [asyncio.create_task(flood(page, f"127.0.2.{number % addresses + 1}")) for number in range(50)]
            for _ in range(3):
                await asyncio.sleep(3.1)
                page_with_all_that_belongs_to_it = [await page.ask("127.0.0.9") for _ in range(7)]
                assert page_with_all_that_belongs_to_it == [b"HTTP/1.1 200 OK"] * 7
            for task in held:
                task.cancel()
            await asyncio.gather(*held, return_exceptions=True)
            return page.answers

    most = connections.MAX_OF_ADDRESS if addresses == 1 else connections.MAX_CONNECTIONS
    assert runner.run(work()) <= (10 + 1) * most + 21


async def asked(page: Served, request: bytes) -> bytes:
    """The whole answer to a request."""
    reader, writer = await page.open()
    writer.write(request)
    answer = await closed(reader)
    writer.close()
    return answer


def test_a_fault_of_the_page_is_answered_and_logged(runner: asyncio.Runner, caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> bytes:
        async with served() as page:
            return await asked(page, GET.replace(b"/ ", b"/broken ", 1))

    answer = runner.run(work())
    assert answer.startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
    assert "a fault of the page" in caplog.text


def test_a_question_for_the_head_gets_no_body(runner: asyncio.Runner) -> None:
    async def work() -> bytes:
        async with served() as page:
            return await asked(page, b"HEAD / HTTP/1.1\r\nHost: board\r\n\r\n")

    head, _, body = runner.run(work()).partition(b"\r\n\r\n")
    assert (head.partition(b"\r\n")[0], body) == (b"HTTP/1.1 200 OK", b"")


def test_a_body_in_parts_reaches_the_page_whole(runner: asyncio.Runner) -> None:
    async def work() -> bytes:
        async with served() as page:
            reader, writer = await page.open()
            writer.write(b"POST / HTTP/1.1\r\nHost: board\r\nContent-Length: 6\r\nExpect: 100-continue\r\n\r\n")
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 \r\n\r\n"
            for part in (b"abc", b"def"):
                writer.write(part)
                await asyncio.sleep(1)
            answer = await closed(reader)
            writer.close()
            return answer

    assert b"abcdef" in runner.run(work())


def test_what_is_no_request_is_told_so(runner: asyncio.Runner) -> None:
    async def work() -> bytes:
        async with served() as page:
            return await asked(page, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS client\r\n\r\n")

    assert runner.run(work()).startswith(b"HTTP/1.1 400")


def test_programs_on_this_device_come_as_often_as_they_like() -> None:
    known = connections.Connections(monotonic=lambda: 0.0)
    assert all(known.may_open("127.0.0.1") for _ in range(1000))
    assert not all(known.may_open("192.168.1.9") for _ in range(1000))


def test_a_flood_from_ever_new_addresses_takes_no_more_room_than_of_a_few_seconds() -> None:
    now = [0.0]
    known = connections.Connections(monotonic=lambda: now[0])
    for number in range(20_000):
        now[0] += 0.001
        known.may_open(f"10.{number // 65536}.{number // 256 % 256}.{number % 256}")
    assert sum(map(len, known._came.values())) <= 3000


def test_answers_under_way_are_not_cut_for_newer_callers(runner: asyncio.Runner) -> None:
    async def work() -> bool:
        async with served() as page:
            reader, writer = await page.open("127.0.0.2")
            writer.write(GET.replace(b"/ ", b"/long ", 1))
            await reader.readuntil(b"seen")
            held = [await page.open("127.0.0.2") for _ in range(50)]
            still_open = not reader.at_eof()
            for _, other in (*held, (reader, writer)):
                other.close()
            return still_open

    assert runner.run(work())


@pytest.mark.parametrize(
    ("peer", "counted_to"),
    [
        (("192.168.1.7", 5), "192.168.1.7"),
        (("::ffff:192.168.1.7", 5, 0, 0), "192.168.1.7"),
        (("2001:db8:1:2:3:4:5:6", 5, 0, 0), "2001:db8:1:2::/64"),
        (("fe80::1%eth0", 5, 0, 2), "fe80::1"),
        (("::1", 5, 0, 0), "::1"),
        (None, ""),
    ],
)
def test_the_hosts_of_one_network_share_their_bounds_where_each_has_many_addresses(peer: Any, counted_to: str) -> None:
    assert address_of(peer) == counted_to
