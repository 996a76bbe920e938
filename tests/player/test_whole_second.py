from __future__ import annotations

import asyncio

from player.whole_second import pause
from tests.support.virtual import VirtualLoop


def test_tasks_that_began_apart_share_a_wake_up() -> None:
    """Of an idle board, whose clock, display and connections are looked at."""
    loop = VirtualLoop()

    async def look(after: float, every: float) -> None:
        await asyncio.sleep(after)
        while True:
            await pause(every)

    async def idle() -> int:
        looks = [
            asyncio.ensure_future(look(after, every)) for after, every in ((0.1, 1), (0.35, 1), (0.6, 2), (0.85, 1))
        ]
        await asyncio.sleep(1)
        begun = loop.jumps
        await asyncio.sleep(60)
        for each in looks:
            each.cancel()
        return loop.jumps - begun

    try:
        wake_ups = loop.run_until_complete(idle())
    finally:
        loop.close()
    assert wake_ups <= 61, "one a second"
