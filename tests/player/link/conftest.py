"""Every test of the link runs on virtual time, against real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

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
