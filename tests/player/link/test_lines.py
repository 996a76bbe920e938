"""Detects dead TCP connections from TCP_INFO."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable

import pytest

from player.domain.events import ServiceSilent
from player.link.lines import MAX_LINES, Lines, Traffic, traffic_of

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


def test_a_kernel_that_does_not_tell_has_counted_nothing() -> None:
    assert traffic_of(FakeLine(b"")) == traffic_of(FakeLine()) == Traffic()


def lines(*of: FakeLine) -> Lines:
    made = Lines()
    for line in of:
        made.add(line)
    return made


def test_a_connection_is_silent_when_bytes_or_probes_are_not_acknowledged() -> None:
    assert lines(FakeLine(), FakeLine(RESENT)).are_silent()
    assert lines(FakeLine(PROBED)).are_silent()
    assert not lines(FakeLine(), FakeLine(CLOSING), FakeLine(b""), FakeLine(bytes(4))).are_silent()


def test_a_connection_that_is_closed_is_forgotten() -> None:
    line = FakeLine(RESENT)
    watched = lines(line)
    line.is_open = False
    assert not watched.are_silent()
    line.is_open = True
    assert not watched.are_silent()


def test_the_newest_connections_are_watched() -> None:
    watched = lines(FakeLine(RESENT), *[FakeLine() for _ in range(MAX_LINES)])
    watched.add(None)
    assert not watched.are_silent()


async def test_silence_is_told_once_after_two_looks_and_again_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = FakeLine()
    seen, heard = [WELL, RESENT, WELL, RESENT, RESENT, RESENT, WELL, RESENT, RESENT], list[int]()
    looks = iter(seen)
    looked = 0

    async def sleep(_: float) -> None:
        nonlocal looked
        known = next(looks, None)
        if known is None:
            raise asyncio.CancelledError
        line.known, looked = known, looked + 1

    emit: Callable[[ServiceSilent], None] = lambda _: heard.append(looked)  # noqa: E731
    monkeypatch.setattr(asyncio, "sleep", sleep)
    with contextlib.suppress(asyncio.CancelledError):
        await lines(line).watch(emit)
    assert heard == [5, 9]


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
        watched = Lines()
        watched.add(line)
        assert not watched.are_silent()
        (known,) = watched.traffic().values()
        assert known.since(traffic).received <= 1, "the end of the connection"
        assert known.since(None) == known
