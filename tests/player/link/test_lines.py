"""Detects dead TCP connections, and counts what connections move and lose, from TCP_INFO."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from player.domain.events import ServiceSilent
from player.link.api import MAX_SOCKETS, ServiceApi
from player.link.lines import Traffic, traffic_of, watch_lines

WELL, RESENT, PROBED = bytes(8), bytes((1, 0, 2, 0, 0, 0, 0, 0)), bytes((1, 0, 0, 1, 0, 0, 0, 0))
CLOSING = bytes((8, 0, 3, 3, 0, 0, 0, 0))
"""The first fields of tcp_info: state, …, how often bytes were sent again, how often the kernel has probed."""


class FakeLine:
    def __init__(self, known: bytes = WELL) -> None:
        self.known = known
        self.is_open = True

    def fileno(self) -> int:
        return 7 if self.is_open else -1

    def getsockopt(self, level: int, option: int, size: int, /) -> bytes:
        if not self.known:
            raise OSError
        return self.known[:size]


@pytest.mark.parametrize(
    ("looks", "told_after"),
    [
        ([WELL, RESENT, WELL, RESENT, RESENT, RESENT, WELL, PROBED, RESENT], [5, 9]),
        ([CLOSING, CLOSING, b"", b"", bytes(4), bytes(4)], []),
    ],
    ids=["silent in two looks", "closing, or unknown"],
)
async def test_silence_is_told_once_after_two_looks_and_again_later(
    monkeypatch: pytest.MonkeyPatch, looks: list[bytes], told_after: list[int]
) -> None:
    line, heard, looked = FakeLine(), list[int](), 0

    async def sleep(_: float) -> None:
        nonlocal looked
        if looked == len(looks):
            raise asyncio.CancelledError
        line.known, looked = looks[looked], looked + 1

    emit: Callable[[ServiceSilent], None] = lambda _: heard.append(looked)  # noqa: E731
    monkeypatch.setattr(asyncio, "sleep", sleep)
    with contextlib.suppress(asyncio.CancelledError):
        await watch_lines([FakeLine(), line], emit)  # type: ignore[list-item]
    assert heard == told_after


def test_a_kernel_that_does_not_tell_has_counted_nothing() -> None:
    assert traffic_of(FakeLine(b"")) == traffic_of(FakeLine()) == Traffic()


@pytest.mark.goes_beyond("MAX_SOCKETS")
async def test_the_newest_open_connections_are_counted(api: ServiceApi) -> None:
    closed = FakeLine()
    for line in (*(FakeLine() for _ in range(2 * MAX_SOCKETS)), closed):
        await connect(api, line)
    closed.is_open = False
    assert len(api.traffic()) == MAX_SOCKETS - 1


async def test_a_connection_that_stays_open_is_watched_however_many_come_and_go(api: ServiceApi) -> None:
    held = FakeLine()
    await connect(api, held)
    for _ in range(2 * MAX_SOCKETS):
        await connect(api, line := FakeLine())
        line.is_open = False
    assert held in api.sockets


async def connect(api: ServiceApi, line: FakeLine) -> None:
    stream = SimpleNamespace(get_extra_info=lambda _: line)
    await api._trace("connection.connect_tcp.complete", {"return_value": stream})


def test_a_connection_of_the_kernel_s_own_is_read() -> None:
    """Its first bytes are where they are expected."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as line:
        known = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)
        assert (len(known), known[0]) == (8, 1), "established"
        taken, _ = server.accept()
        with taken:
            taken.sendall(b"menu")
            assert line.recv(9) == b"menu"
            traffic = traffic_of(line)
        assert (traffic.resent, traffic.received) == (0, 4)
        known = traffic_of(line)
        assert known.since(traffic).received <= 1, "the end of the connection"
        assert known.since(Traffic()) == known
