"""Connections that send half of a request, or what is no request: each has a deadline and a problem for an answer."""

import asyncio
import heapq
import itertools
import json
import random
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from service.api.http.http_rules import HttpRules
from service.api.http.request_log import MARK, RequestLogMiddleware, answer_without_application
from service.run.connections import (
    BODY_RATE,
    BODY_SECONDS,
    HEAD_SECONDS,
    KEEP_ALIVE_SECONDS,
    MAX_HEAD_BYTES,
    MAX_HELD_BYTES,
    UNREAD_BYTES,
    Connection,
    Waiting,
    Watched,
)
from service.services.operations.metrics import Metrics
from tests.service.support.processes import command
from tests.support.patience import PATIENCE_SECONDS

HEAD = b"POST /v1/playlists HTTP/1.1\r\nHost: menu.test\r\n"


class Loop:
    """A loop whose time a test moves; tasks run on the real one."""

    def __init__(self) -> None:
        self.now = 0.0
        self._numbers = itertools.count()
        self._timers: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._cancelled: set[int] = set()

    def time(self) -> float:
        return self.now

    def call_soon(self, callback: Callable[..., None]) -> None:
        asyncio.get_running_loop().call_soon(callback)

    def call_later(self, seconds: float, callback: Callable[..., None], *arguments: Any) -> "Loop.Timer":
        number = next(self._numbers)
        heapq.heappush(self._timers, (self.now + seconds, number, callback, arguments))
        return Loop.Timer(self._cancelled, number)

    class Timer:
        def __init__(self, cancelled: set[int], number: int) -> None:
            self._cancelled = cancelled
            self._number = number

        def cancel(self) -> None:
            self._cancelled.add(self._number)

    async def advance(self, seconds: float) -> None:
        target = self.now + seconds
        while self._timers and self._timers[0][0] <= target:
            self.now, number, callback, arguments = heapq.heappop(self._timers)
            if number not in self._cancelled:
                callback(*arguments)
            await settle()
        self.now = target


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


class Transport(asyncio.Transport):
    """The bytes sent to the caller, and whether the connection is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = b""
        self.closed = False
        self.reading = True

    def write(self, data: Any) -> None:
        self.sent += data

    def close(self) -> None:
        self.closed = True

    abort = close

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


class Line:
    """One connection to an application that answers with the length of the body, or, at /early, before it."""

    def __init__(self, loop: Loop, waiting: Waiting, http: str) -> None:
        self.heard = 0
        self.headers: dict[str, str] = {}
        self.transport = Transport()
        app = RequestLogMiddleware(HttpRules(self._app), metrics=Metrics(gauges=()))
        config = uvicorn.Config(
            Watched(app), http=http, log_config=None, access_log=False, ws="none", interface="asgi3"
        )
        config.load()
        inner: Any = config.http_protocol_class
        self.protocol = Connection(
            inner(config=config, server_state=ServerState(), app_state={}),
            waiting=waiting,
            answer_to=answer_without_application,
            loop=cast("asyncio.AbstractEventLoop", loop),
        )
        self.protocol.connection_made(self.transport)

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/never":
            await asyncio.Event().wait()
        body = b"" if scope["path"] == "/early" else await Request(scope, receive).body()
        self.heard += 1
        self.headers = dict(Request(scope).headers)
        await Response(str(len(body)))(scope, receive, send)

    async def send(self, data: bytes) -> None:
        self.protocol.data_received(data)
        await settle()

    def problem(self) -> dict[str, Any]:
        """The problem that was sent."""
        head, _, body = self.transport.sent.rpartition(b"\r\n\r\n")
        headers = httpx.Headers([tuple(line.split(b": ", 1)) for line in head.split(b"\r\n")[1:]])
        assert headers["Content-Type"] == "application/problem+json"
        assert headers["Content-Length"] == str(len(body))
        assert headers[MARK] == "1"
        assert headers["X-Request-Id"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Connection"] == "close"
        found: dict[str, Any] = json.loads(body)
        assert head.startswith(f"HTTP/1.1 {found['status']} ".encode())
        return found


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture(params=["h11", "httptools"])
def http(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def line(loop: Loop, http: str) -> Line:
    return Line(loop, Waiting(most=10), http)


@pytest.mark.proves("callers-send-half")
async def test_headers_have_a_deadline_that_more_of_them_do_not_move(loop: Loop, line: Line) -> None:
    await line.send(HEAD)
    for _ in range(HEAD_SECONDS - 1):
        await loop.advance(1)
        await line.send(b"X: y\r\n")
    assert not line.transport.closed
    await loop.advance(1)
    assert line.transport.closed
    assert (line.problem()["status"], line.problem()["code"]) == (408, "request_timeout")


async def test_a_connection_that_says_nothing_is_closed_without_a_word(loop: Loop, line: Line) -> None:
    await loop.advance(HEAD_SECONDS)
    assert (line.transport.closed, line.transport.sent) == (True, b"")


async def test_a_body_that_stops_has_a_deadline(loop: Loop, line: Line) -> None:
    await line.send(HEAD + b"Content-Length: 100\r\n\r\n" + b"x" * 99)
    await loop.advance(BODY_SECONDS + 99 / BODY_RATE + 0.1)
    assert line.transport.closed
    assert line.problem()["code"] == "request_timeout"
    assert line.heard == 0


async def test_a_body_that_drips_has_a_deadline(loop: Loop, line: Line) -> None:
    await line.send(HEAD + b"Content-Length: 1000000\r\n\r\n")
    for _ in range(2 * BODY_SECONDS):
        if not line.transport.closed:
            await line.send(b"x")
        await loop.advance(1)
    assert line.transport.closed


async def test_a_slow_upload_takes_as_long_as_it_takes(loop: Loop, line: Line) -> None:
    await line.send(HEAD + b"Content-Length: %d\r\n\r\n" % (600 * BODY_RATE))
    for _ in range(600):
        await loop.advance(1)
        await line.send(b"x" * BODY_RATE)
    assert line.transport.sent.endswith(str(600 * BODY_RATE).encode())


async def test_a_body_that_the_service_does_not_read_yet_is_no_fault_of_the_caller(loop: Loop, line: Line) -> None:
    await line.send(b"POST /never HTTP/1.1\r\nHost: menu.test\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 200_000)
    await loop.advance(600 + 200_000 / BODY_RATE)
    assert not line.transport.closed


async def test_an_answer_that_takes_its_time_has_no_deadline(loop: Loop, line: Line) -> None:
    await line.send(b"GET /never HTTP/1.1\r\nHost: menu.test\r\n\r\n")
    await loop.advance(3600)
    assert not line.transport.closed


async def test_the_rest_of_a_body_that_is_answered_already_has_a_deadline(loop: Loop, line: Line) -> None:
    await line.send(b"POST /early HTTP/1.1\r\nHost: menu.test\r\nContent-Length: 100\r\n\r\nx")
    answered = line.transport.sent
    await line.send(b"x")
    await loop.advance(BODY_SECONDS + 1)
    assert (line.transport.closed, line.transport.sent) == (True, answered)


async def test_a_later_request_has_its_deadline_as_well(loop: Loop, line: Line) -> None:
    await line.send(b"GET / HTTP/1.1\r\nHost: menu.test\r\n\r\n")
    line.transport.sent = b""
    await loop.advance(4)
    await line.send(HEAD)
    await loop.advance(HEAD_SECONDS - 1)
    assert not line.transport.closed
    await loop.advance(1)
    assert line.problem()["code"] == "request_timeout"


async def test_requests_in_a_row_are_answered(loop: Loop, line: Line) -> None:
    for number in range(1, 20):
        await line.send(HEAD + b"Content-Length: 3\r\n\r\nab")
        await line.send(b"c")
        assert line.heard == number
        await loop.advance(4)
    assert not line.transport.closed


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"GET /v1/screens\r\n\r\n", 400),
        (HEAD + b"bad header\r\n\r\n", 400),
        (HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (HEAD + b"Content-Length: -1\r\n\r\n", 400),
        (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (HEAD + b"Host: other.test\r\n\r\n", 400),
        (b"GET /\xc3\xa4 HTTP/1.1\r\nHost: menu.test\r\n\r\n", 400),
        (HEAD + b"".join(b"X-%d: y\r\n" % number for number in range(20_000)), 431),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nno chunk\r\n", 400),
        (HEAD + b"X: " + b"y" * 100_000, 431),
    ],
)
async def test_what_is_no_request_is_answered_with_a_problem(line: Line, raw: bytes, status: int) -> None:
    await line.send(raw)
    problem = line.problem()
    assert (problem["status"], problem["code"]) == (status, "malformed_request")
    assert "b'" not in problem["detail"]
    assert line.transport.closed
    assert line.heard == 0


async def test_trailers_are_no_headers(line: Line) -> None:
    await line.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Late: 1\r\n\r\n")
    assert line.transport.sent.endswith(b"\r\n\r\n3")
    assert "x-late" not in line.headers


@pytest.mark.parametrize(
    "endless",
    [b"0\r\n" + b"X: y\r\n" * UNREAD_BYTES, b"0\r\nX: " + b"y" * 2 * UNREAD_BYTES, b"1;" + b"y" * 2 * UNREAD_BYTES],
    ids=["trailers", "a trailer", "a chunk's extension"],
)
async def test_what_a_body_has_beside_its_content_has_a_bound(line: Line, endless: bytes) -> None:
    await line.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    await line.send(endless)
    assert line.transport.closed
    assert line.problem()["code"] == "malformed_request"


async def test_a_body_may_come_in_chunks_of_a_byte(line: Line) -> None:
    await line.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    for _ in range(100):
        await line.send(b"1\r\nx\r\n" * 100)
    await line.send(b"0\r\n\r\n")
    assert line.transport.sent.endswith(b"\r\n\r\n10000")


async def test_a_request_follows_the_rest_of_a_body_that_is_answered_already(line: Line) -> None:
    await line.send(b"POST /early HTTP/1.1\r\nHost: menu.test\r\nContent-Length: 70000\r\n\r\nx")
    assert line.heard == 1
    await line.send(b"x" * 69_998)
    await line.send(b"xGET / HTTP/1.1\r\nHost: menu.test\r\n\r\n")
    assert line.heard == 2
    assert line.transport.sent.count(b"HTTP/1.1 200") == 2
    assert not line.transport.closed


@pytest.mark.parametrize("pipelined", [False, True])
@pytest.mark.parametrize("seed", range(20))
async def test_every_request_of_a_connection_is_answered_however_its_bytes_are_cut(
    line: Line, seed: int, *, pipelined: bool
) -> None:
    """Answers before their bodies, as of a call that is refused, and others; each request follows the answer to the one
    before it, or comes while that is made. Several pieces may come in one turn of the loop."""
    dice = random.Random(seed)
    asked = 0
    for _ in range(40):
        requests = b"".join(request_with(dice) for _ in range(dice.randint(2, 4) if pipelined else 1))
        asked += requests.count(HEAD_MARK)
        while requests:
            size = dice.choice((1, 7, 64, 1000, 20_000, len(requests)))
            line.protocol.data_received(requests[:size])
            requests = requests[size:]
            for _ in range(dice.choice((0, 0, 1, 2, 5))):
                await asyncio.sleep(0)
        await settle()
        await settle()
        statuses = re.findall(rb"HTTP/1.1 (\d+)", line.transport.sent)
        assert statuses == [b"200"] * asked
    assert not line.transport.closed


async def test_a_caller_that_sends_on_and_waits_for_no_answer_is_not_read(line: Line) -> None:
    await line.send(HEAD.replace(b"/v1/playlists", b"/never") + b"Content-Length: 0\r\n\r\n")
    await line.send(b"x" * MAX_HELD_BYTES)
    assert line.transport.reading
    await line.send(b"x")
    assert not line.transport.reading


async def test_after_requests_that_came_together_the_connection_is_read_again(line: Line) -> None:
    one = HEAD + b"Content-Length: 1000\r\n\r\n" + bytes(1000)
    count = 2 * MAX_HELD_BYTES // len(one)
    await line.send(one * count)
    for _ in range(count):
        await settle()
    assert len(re.findall(rb"HTTP/1.1 200", line.transport.sent)) == count
    assert line.transport.reading


HEAD_MARK = b"X-Mark: request\r\n"


def request_with(dice: random.Random) -> bytes:
    """A request; its body, of any length, is no head and holds the end of one."""
    path = dice.choice((b"/early", b"/early", b"/read"))
    length = dice.choice((0, 1, 5000, 40_000))
    head = b"POST %s HTTP/1.1\r\nHost: menu.test\r\n%bContent-Length: %d\r\n\r\n" % (path, HEAD_MARK, length)
    return head + (b"\r\n\r\n" + b"x" * length)[:length]


async def test_an_endless_head_after_the_rest_of_a_body_has_a_bound(line: Line) -> None:
    await line.send(b"POST /early HTTP/1.1\r\nHost: menu.test\r\nContent-Length: 2\r\n\r\nx")
    await line.send(b"xGET / HTTP/1.1\r\n" + b"X: y\r\n" * MAX_HEAD_BYTES)
    assert line.transport.closed


async def test_a_body_in_chunks_that_is_answered_before_its_end_ends_the_connection(line: Line) -> None:
    await line.send(b"POST /early HTTP/1.1\r\nHost: menu.test\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
    assert b"connection: close" in line.transport.sent.lower()
    assert line.transport.closed


async def test_a_connection_without_requests_is_closed_without_a_word(loop: Loop, line: Line) -> None:
    await line.send(b"GET / HTTP/1.1\r\nHost: menu.test\r\n\r\n")
    answered = line.transport.sent
    await loop.advance(KEEP_ALIVE_SECONDS)
    assert (line.transport.closed, line.transport.sent) == (True, answered)


async def test_where_requests_run_in_a_context_of_their_own_they_are_answered_and_the_log_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await Response("here")(scope, receive, send)

    transport = httpx.ASGITransport(app=Watched(app))
    async with httpx.AsyncClient(transport=transport, base_url="http://menu.test") as client:
        assert [(await client.get("/")).text for _ in range(2)] == ["here", "here"]
    assert [record.getMessage() for record in caplog.records] == [
        "this uvicorn runs requests in a context of their own: their bodies have no deadline"
    ]


async def test_the_connection_that_waits_longest_makes_room(loop: Loop, http: str) -> None:
    waiting = Waiting(most=3)
    busy, *lines = [Line(loop, waiting, http) for _ in range(3)]
    await busy.send(b"GET /never HTTP/1.1\r\nHost: menu.test\r\n\r\n")
    await lines[0].send(HEAD)
    lines += [Line(loop, waiting, http) for _ in range(3)]
    assert [one.transport.closed for one in lines] == [True, True, False, False, False]
    assert not busy.transport.closed


@contextmanager
def serving_with_few_files(data: Path) -> Iterator[str]:
    limited = ["prlimit", "--nofile=96:96", *command("serve", "--data", str(data), "--port", "0")]
    with subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1]
        finally:
            process.kill()


@pytest.mark.long
@pytest.mark.proves("callers-send-half")
async def test_more_half_sent_requests_than_files_do_not_lock_anybody_out(tmp_path: Path) -> None:
    with serving_with_few_files(tmp_path / "data") as address:
        port = int(address.rpartition(":")[2])
        streams = [await asyncio.open_connection("127.0.0.1", port) for _ in range(110)]
        for _, writer in streams:
            writer.write(HEAD)
        async with httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client:
            assert (await client.get("/healthz")).status_code == 200
        with suppress(ConnectionError):
            # It was closed for others, not by its deadline, which would be told.
            assert await streams[0][0].read() == b""
        for _, writer in streams:
            writer.close()
