"""Counts what TCP connections move and lose, from TCP_INFO."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import pytest

from player.link.api import MAX_SOCKETS, ServiceApi
from player.link.lines import Traffic, traffic_of


class FakeLine:
    def __init__(self, known: bytes = bytes(8)) -> None:
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


@pytest.mark.goes_beyond("MAX_SOCKETS")
async def test_the_newest_open_connections_are_counted(api: ServiceApi) -> None:
    closed = FakeLine()
    for line in (*(FakeLine() for _ in range(2 * MAX_SOCKETS)), closed):
        stream = SimpleNamespace(get_extra_info=lambda _, line=line: line)
        await api._trace("connection.connect_tcp.complete", {"return_value": stream})
    closed.is_open = False
    assert len(api.traffic()) == MAX_SOCKETS - 1


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
        assert known.since(None) == known
