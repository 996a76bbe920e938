"""Pauses that end together."""

from __future__ import annotations

import asyncio
import math


async def pause(seconds: float) -> None:
    """Sleeps for at most `seconds` (1 or more), until a whole second of the event loop. Tasks that look again and again
    share a wake-up then, which costs an idle board more than a look."""
    now = asyncio.get_running_loop().time()
    await asyncio.sleep(math.floor(now + seconds) - now)
