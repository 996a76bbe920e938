"""Connects to the first of several addresses that answers, more patiently than the kernel does."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import Sequence

from player.domain.link.fault import Fault
from player.link.probe.exchange import Line, StepFailed

MAX_ROUNDS = 5
"""In which an address is tried; once more as many where the line moves bytes of other connections."""


class Dial:
    """Tries addresses in rounds; `by_proxy` if they are a proxy's."""

    def __init__(self, *, by_proxy: bool) -> None:
        self._by_proxy = by_proxy
        self.rounds = 0
        self.most_rounds = MAX_ROUNDS

    async def connect(self, addresses: Sequence[str], port: int) -> Line:
        """Returns the first connection made; if none is, raises the most telling error: StepFailed or TimeoutError."""
        errors: list[OSError] = []
        tries: dict[asyncio.Future[Line], str] = {}
        done, pending, open_ones = set[asyncio.Future[Line]](), set[asyncio.Future[Line]](), set(addresses)
        self.rounds = 0
        try:
            while open_ones:
                if not done and self.rounds < self.most_rounds:
                    self.rounds += 1
                    tries.update({_connection(each, port): each for each in open_ones})
                    pending = {attempt for attempt in tries if not attempt.done()}
                # Once more after 0.7 s, beside the first time: the kernel repeats what was lost after 1 and 3 s, too
                # seldom to tell a line that loses half from one that is dead.
                done, pending = await asyncio.wait(pending, timeout=0.7, return_when=asyncio.FIRST_COMPLETED)
                for attempt in done:
                    if (error := attempt.exception()) is None:
                        del tries[attempt]
                        return attempt.result()
                    if not isinstance(error, OSError):
                        raise error
                    errors.append(error)
                    open_ones.discard(tries[attempt])
                pending = {attempt for attempt in pending if tries[attempt] in open_ones}
        finally:
            await _drop(list(tries))
        refused = next((error for error in errors if isinstance(error, ConnectionRefusedError)), None)
        if refused is not None:
            raise StepFailed(Fault.PROXY_SILENT if self._by_proxy else Fault.REFUSED, ", ".join(addresses))
        if any(error.errno == errno.ETIMEDOUT for error in errors):
            raise TimeoutError
        seen = "; ".join(dict.fromkeys(os.strerror(error.errno) if error.errno else str(error) for error in errors))
        raise StepFailed(Fault.PROXY_SILENT if self._by_proxy else Fault.SILENT, seen)


async def connect_with(address: str, port: int, *options: tuple[int, int]) -> Line:
    """Opens a connection with these TCP options, by their number and value, set from its first packet on."""
    line = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        line.settimeout(0)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * 1024)  # Only the beginning of the answer is wanted.
        for option, value in options:
            line.setsockopt(socket.IPPROTO_TCP, option, value)
        await asyncio.get_running_loop().sock_connect(line, (address, port))
        return await asyncio.open_connection(sock=line)
    except BaseException:
        line.close()
        raise


def _connection(address: str, port: int) -> asyncio.Future[Line]:
    return asyncio.ensure_future(asyncio.open_connection(address, port))


async def _drop(tries: Sequence[asyncio.Future[Line]]) -> None:
    """Cancels these attempts, and closes connections that have been made."""
    for attempt in tries:
        attempt.cancel()
    for made in await asyncio.gather(*tries, return_exceptions=True):
        if not isinstance(made, BaseException):
            made[1].transport.abort()
