"""Feeds systemd's watchdog while both threads run their loops."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn

HUNG_SECONDS = 10.0
"""A display thread whose loop has not run for this long hangs; the watchdog is no longer fed."""


async def feed_watchdog(
    *,
    interval: float,
    display_alive_at: Callable[[], float],
    monotonic: Callable[[], float],
    feed: Callable[[], object],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> NoReturn:
    """Call `feed` every `interval` seconds until cancelled, except while the display hangs.

    `display_alive_at` is when the display's thread last ran its loop (monotonic seconds); this thread's own loop runs
    if this code does.
    """
    while True:
        if monotonic() - display_alive_at() < HUNG_SECONDS:
            feed()
        await sleep(interval)
