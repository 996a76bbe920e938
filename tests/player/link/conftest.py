"""Every test of the link runs on virtual time, against real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest
import pytest_asyncio

from player.link.api import ServiceApi
from tests.support.hostile import Heard, HostileServer, hostile_server
from tests.support.virtual import VirtualClock, VirtualLoop


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@pytest_asyncio.fixture
async def clock() -> VirtualClock:
    return VirtualClock(asyncio.get_running_loop().time)


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest_asyncio.fixture
async def server() -> AsyncIterator[HostileServer]:
    async with hostile_server() as hostile:
        yield hostile


@pytest_asyncio.fixture
async def api(server: HostileServer) -> AsyncIterator[ServiceApi]:
    client = ServiceApi(server.url, app_version="0.1.0")
    yield client
    await client.close()


@pytest.fixture(autouse=True)
def known_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let virtual time wait for anyio's threads, in which a TLS connection with certificates of one's own begins."""

    async def run_sync(call: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(None, call, *args)

    monkeypatch.setattr("anyio.to_thread.run_sync", run_sync)
