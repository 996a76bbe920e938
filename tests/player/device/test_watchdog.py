"""The watchdog: a board that does not show what was ordered is not fed, so that systemd restarts it."""

from __future__ import annotations

import asyncio

import pytest

from player.device.watchdog import feed_watchdog

INTERVAL = 15.0


async def run(monkeypatch: pytest.MonkeyPatch, *, dead_from: float, until: float) -> list[float]:
    """When the watchdog was fed, in virtual time."""
    now, fed_at = 0.0, list[float]()

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        if now > until:
            raise asyncio.CancelledError

    monkeypatch.setattr(asyncio, "sleep", sleep)
    with pytest.raises(asyncio.CancelledError):
        await feed_watchdog(interval=INTERVAL, is_live=lambda: now < dead_from, feed=lambda: fed_at.append(now))
    return fed_at


async def test_it_is_fed_while_the_board_is_live(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await run(monkeypatch, dead_from=1e9, until=60) == [0, 15, 30, 45, 60]


async def test_it_is_left_to_bite_once_the_board_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await run(monkeypatch, dead_from=20, until=120) == [0, 15]
