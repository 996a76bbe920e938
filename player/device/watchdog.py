"""Feeds systemd's watchdog while what was ordered is on the display."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NoReturn


async def feed_watchdog(
    *,
    interval: float,
    is_live: Callable[[], bool],
    feed: Callable[[], object],
) -> NoReturn:
    """Calls `feed` every `interval` seconds until cancelled, except while the board is not live
    (`PlayerState.is_live`).

    This thread's own loop runs if this code does.
    """
    while True:
        if is_live():
            feed()
        await asyncio.sleep(interval)
