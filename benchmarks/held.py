"""Players with held polls, as a load: one socket each, all read by one epoll.

It shares the cores of the service, so it has to cost little: its own processor time is told with each measurement.
"""

from __future__ import annotations

import contextlib
import select
import socket
import time
from dataclasses import dataclass, field

HELD_SECONDS = 30
RETRY_SECONDS = 1.0


@dataclass(eq=False, slots=True)
class _Player:
    token: str
    connection: socket.socket
    received: bytearray = field(default_factory=bytearray)


class Players:
    """Players that have the manifest with this entity tag, each with a poll."""

    def __init__(self, port: int, etag: str, tokens: list[str]) -> None:
        self._port = port
        self._etag = etag
        self._epoll = select.epoll()
        self._players: dict[int, _Player] = {}
        for token in tokens:
            self._open(token)

    def answered(self) -> list[float]:
        """Waits until each has a new manifest, and polls again where an answer has none; returns when each had it."""
        at: list[float] = []
        retries: list[tuple[float, str]] = []
        while self._players or retries:
            for number, _ in self._epoll.poll(RETRY_SECONDS):
                player = self._players[number]
                status = self._read(player)
                if status == 304:
                    player.received.clear()
                    player.connection.sendall(self._poll(player.token))
                elif status is not None:
                    del self._players[number]
                    self._epoll.unregister(number)
                    player.connection.close()
                    if status == 200:
                        at.append(time.monotonic())
                    else:
                        # The proxy could not reach the service, which a player tries again.
                        retries.append((time.monotonic() + RETRY_SECONDS, player.token))
            while retries and retries[0][0] <= time.monotonic():
                self._open(retries.pop(0)[1])
        return at

    def _open(self, token: str) -> None:
        connection = socket.create_connection(("127.0.0.1", self._port))
        connection.sendall(self._poll(token))
        connection.settimeout(0)
        self._players[connection.fileno()] = _Player(token, connection)
        self._epoll.register(connection.fileno(), select.EPOLLIN)

    def _poll(self, token: str) -> bytes:
        lines = (
            "GET /v1/player/manifest HTTP/1.1",
            "Host: 127.0.0.1",
            f"Authorization: Bearer {token}",
            f"If-None-Match: {self._etag}",
            f"Prefer: wait={HELD_SECONDS}",
            "Accept-Encoding: gzip, deflate",
        )
        return "\r\n".join((*lines, "", "")).encode()

    @staticmethod
    def _read(player: _Player) -> int | None:
        """The status of the answer; None while it is not whole, and 0 if there is none."""
        with contextlib.suppress(ConnectionError):
            part = player.connection.recv(1 << 18)
            player.received += part
            head, end, body = player.received.partition(b"\r\n\r\n")
            if not end:
                return None if part else 0
            lines = head.lower().split(b"\r\n")
            length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
            if len(body) >= length:
                return int(head.split(b" ", 2)[1])
            return None if part else 0
        return 0
