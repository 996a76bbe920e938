"""Fixtures: the application over a fresh folder, an owner's key, a café and a paired device."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.permissions import Role
from tests.service.support import Cafe, Caller, Device, Running, VirtualClock, open_cafe, pair, running


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
async def service(tmp_path: Path, clock: VirtualClock) -> AsyncIterator[Running]:
    async with running(tmp_path / "data", clock=clock) as started:
        yield started


@pytest.fixture
def owner(service: Running) -> Caller:
    return service.caller(Role.OWNER)


@pytest.fixture
async def cafe(owner: Caller) -> Cafe:
    return await open_cafe(owner)


@pytest.fixture
async def device(service: Running, owner: Caller, cafe: Cafe) -> Device:
    return await pair(service, owner, cafe)
