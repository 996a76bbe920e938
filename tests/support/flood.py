"""Attacks the page of a player as people on its network could, and counts what is answered.

`python -m tests.support.flood PORT KIND… --host 10.9.0.1 --from 10.9.0. --seconds 10 --pin 271828` prints the counts as
JSON, earlier if it is terminated. Every kind comes from many addresses; the phones of `pages` and `pictures` sign in
first.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import re
import signal
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any
from urllib.parse import urlencode

ADDRESSES = 100
IDLE_CONNECTIONS, SLOW_SENDERS, BODIES, REQUESTS, GUESSERS, PHONES = 500, 200, 8, 500, 50, 8
PAGES_PER_SECOND = 50.0
GUESSES = 10_000
BODY_BYTES = 200_000_000
PAUSE_SECONDS = 0.01
"""Before somebody who was refused comes again."""
CONNECT_SECONDS = 5.0
UNDER_WAY = "under way"
"""Its first line, when every kind has come to something."""


class Flood:
    """One attack. Everything that is counted is in `counts`."""

    def __init__(self, host: str, port: int, network: str, pin: str) -> None:
        self.counts: Counter[str] = Counter()
        self._host, self._port, self._network, self._pin = host, port, network, pin
        self._guesses = itertools.count()
        self._cookies: dict[str, str] = {}

    async def run(self, kinds: list[str], seconds: float) -> None:
        """Attack for so long."""
        many: dict[str, tuple[int, Callable[[str], Awaitable[None]]]] = {
            "idle": (IDLE_CONNECTIONS, self._idle),
            "slow": (SLOW_SENDERS, self._slow),
            "bodies": (BODIES, self._body),
            "pins": (GUESSERS, self._guess),
            "requests": (REQUESTS, self._request_parts),
            "pages": (PHONES, self._load_pages),
            "pictures": (PHONES, self._load_pictures),
        }
        if {"pages", "pictures"} & set(kinds):
            # Before the guesses, after which nobody is let in for an hour.
            for address in self._addresses(PHONES):
                self._cookies[address] = await self._sign_in(address)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                group.create_task(self._tell(kinds))
                for kind in kinds:
                    count, attack = many[kind]
                    for address in self._addresses(count):
                        group.create_task(self._again(kind, attack, address))

    def _addresses(self, count: int) -> list[str]:
        return [f"{self._network}{2 + number % ADDRESSES}" for number in range(count)]

    async def _tell(self, kinds: list[str]) -> None:
        while {counted.partition(":")[0] for counted in self.counts} != set(kinds):  # noqa: ASYNC110 -- what is counted has no event
            await asyncio.sleep(PAUSE_SECONDS)
        sys.stdout.write(f"{UNDER_WAY}\n")
        sys.stdout.flush()

    async def _again(self, kind: str, attack: Callable[[str], Awaitable[None]], address: str) -> None:
        while True:
            try:
                await attack(address)
            except (OSError, asyncio.IncompleteReadError):
                self.counts[f"{kind}: closed"] += 1
            await asyncio.sleep(PAUSE_SECONDS)

    async def _open(self, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        async with asyncio.timeout(CONNECT_SECONDS):
            return await asyncio.open_connection(self._host, self._port, local_addr=(address, 0))

    async def _idle(self, address: str) -> None:
        reader, writer = await self._open(address)
        try:
            self.counts["idle: opened"] += 1
            await reader.read()
        finally:
            writer.close()

    async def _slow(self, address: str) -> None:
        reader, writer = await self._open(address)
        try:
            self.counts["slow: opened"] += 1
            for byte in b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 1000:
                writer.write(bytes((byte,)))
                await writer.drain()
                await asyncio.sleep(0.2)
            await reader.read()
        finally:
            writer.close()

    async def _body(self, address: str) -> None:
        _, writer = await self._open(address)
        try:
            writer.write(
                f"POST /sign-in HTTP/1.1\r\nHost: {self._host}\r\nContent-Length: {BODY_BYTES}\r\n\r\n".encode()
            )
            for _ in range(BODY_BYTES // 65_536):
                writer.write(b"x" * 65_536)
                await writer.drain()
                self.counts["bodies: MiB/16"] += 1
        finally:
            writer.close()

    async def _request_parts(self, address: str) -> None:
        status, _, _ = await self._ask(address, self._request("GET", "/parts.json"))
        self.counts[f"requests: {status}"] += 1

    async def _guess(self, address: str) -> None:
        if next(self._guesses) >= GUESSES:
            await asyncio.sleep(3600)
        cookie, csrf = await self._form(address)
        status, _, _ = await self._ask(address, self._post("/sign-in", cookie, csrf=csrf, pin="000000"))
        self.counts[f"pins: {status}"] += 1

    async def _load_pages(self, address: str) -> None:
        await self._load("pages", "/", address, PAGES_PER_SECOND / PHONES)

    async def _load_pictures(self, address: str) -> None:
        await self._load("pictures", "/glass.jpg", address, 1000.0)

    async def _load(self, kind: str, path: str, address: str, per_second: float) -> None:
        cookie = self._cookies.get(address, "")
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            status, _, _ = await self._ask(address, self._request("GET", path, cookie))
            self.counts[f"{kind}: {status}"] += 1
            due = max(due + 1 / per_second, loop.time() - 1)
            await asyncio.sleep(due - loop.time())

    async def _sign_in(self, address: str) -> str:
        cookie, csrf = await self._form(address)
        _, headers, _ = await self._ask(address, self._post("/sign-in", cookie, csrf=csrf, pin=self._pin))
        return headers.get("set-cookie", cookie).partition(";")[0]

    async def _form(self, address: str) -> tuple[str, str]:
        _, headers, body = await self._ask(address, self._request("GET", "/sign-in"))
        found = re.search(rb'name="csrf" value="(\w+)"', body)
        return headers.get("set-cookie", "").partition(";")[0], found[1].decode() if found else ""

    async def _ask(self, address: str, request: bytes) -> tuple[int, dict[str, str], bytes]:
        reader, writer = await self._open(address)
        try:
            writer.write(request)
            status, headers = await self._head(reader)
            return status, headers, await reader.read()
        finally:
            writer.close()

    async def _head(self, reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        return int(first.split()[1]), {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
        }

    def _request(self, method: str, path: str, cookie: str = "", body: str = "") -> bytes:
        head = [f"{method} {path} HTTP/1.1", f"Host: {self._host}:{self._port}", "Accept: text/html"]
        head += ["Connection: close", f"Content-Length: {len(body)}"]
        head += [f"Cookie: {cookie}"] if cookie else []
        return "\r\n".join([*head, "Content-Type: application/x-www-form-urlencoded", "", body]).encode()

    def _post(self, path: str, cookie: str, **fields: str) -> bytes:
        return self._request("POST", path, cookie, urlencode(fields))


async def _until_told(attack: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(attack)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.support.flood")
    parser.add_argument("port", type=int)
    parser.add_argument("kinds", nargs="+")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--from", dest="network", default="127.0.1.")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--pin", default="")
    asked = parser.parse_args()
    flood = Flood(asked.host, asked.port, asked.network, asked.pin)
    asyncio.run(_until_told(flood.run(asked.kinds, asked.seconds)))
    sys.stdout.write(json.dumps(flood.counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
