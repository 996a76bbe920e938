"""The watchdog: a board whose display hangs is restarted, and one that is well is not."""

from __future__ import annotations

import asyncio

import pytest

from player.device.watchdog import HUNG_SECONDS, feed_watchdog

INTERVAL = 15.0


class Threads:
    """Virtual time, a display that turns until it is hung, and what the watchdog was fed."""

    def __init__(self, *, hung_at: float, ends_at: float) -> None:
        self.now = 0.0
        self.fed_at: list[float] = []
        self._hung_at = hung_at
        self._ends_at = ends_at

    def display_alive_at(self) -> float:
        return min(self.now, self._hung_at)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.now > self._ends_at:
            raise asyncio.CancelledError

    async def run(self) -> list[float]:
        with pytest.raises(asyncio.CancelledError):
            await feed_watchdog(
                interval=INTERVAL,
                display_alive_at=self.display_alive_at,
                monotonic=lambda: self.now,
                feed=lambda: self.fed_at.append(self.now),
                sleep=self.sleep,
            )
        return self.fed_at


async def test_it_is_fed_while_both_threads_turn() -> None:
    assert await Threads(hung_at=1e9, ends_at=60).run() == [0, 15, 30, 45, 60]


async def test_it_is_left_to_bite_once_the_display_hangs() -> None:
    fed = await Threads(hung_at=20, ends_at=120).run()
    assert fed == [0, 15]
    assert max(fed) < 20 + HUNG_SECONDS
