"""Owns when systemd's watchdog is fed: only while both threads turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn

HUNG_SECONDS = 10.0
"""A display thread that has not turned for so long hangs: the watchdog is left to bite."""


async def feed_watchdog(
    *,
    interval: float,
    display_alive_at: Callable[[], float],
    monotonic: Callable[[], float],
    feed: Callable[[], object],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> NoReturn:
    """Call `feed` every `interval` seconds until cancelled, but not while the display hangs.

    That this thread turns is shown by getting here; the display's thread says when it last did (monotonic seconds).
    """
    while True:
        if monotonic() - display_alive_at() < HUNG_SECONDS:
            feed()
        await sleep(interval)
