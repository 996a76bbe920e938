"""Syncs of points of sale, waited for."""

import asyncio
from typing import Any

from tests.service.support.application import Caller, Service, body_of, until

SYNC_SECONDS = 30
"""More than a sync that is due waits to begin."""


async def sync_now(service: Service, caller: Caller, connection: str) -> Any:
    """Requests a sync of the connection at this path, and returns its result."""
    before = body_of(await caller.get(connection))["lastSync"]
    asked = await caller.post(f"{connection}/sync")
    assert (asked.status_code, asked.headers["Location"]) == (202, connection)
    return await next_sync(service, caller, connection, before)


async def next_sync(service: Service, caller: Caller, connection: str, before: Any) -> Any:
    """The result of a sync that is due. Time stands still while threads read the feed and import it."""
    for _ in range(SYNC_SECONDS):
        await service.pass_seconds(1)
        await until(lambda: not _is_syncing())
        last = body_of(await caller.get(connection))["lastSync"]
        if last != before:
            return last
    raise AssertionError("nobody has read the feed")


def _is_syncing() -> bool:
    coroutines = (task.get_coro() for task in asyncio.all_tasks())
    return any(getattr(one, "__qualname__", "").startswith("PosRunner.") for one in coroutines)
