"""Detects steps and lost synchronisation of the system clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from player.device.synchronised import synchronised
from player.domain.events import ClockChecked
from player.domain.time.clock import Clock, stepped
from player.whole_second import pause

LOOK_SECONDS = 1.0
"""Between two looks: a step is noticed about a second later."""


async def watch_clock(
    *, clock: Clock, emit: Callable[[ClockChecked], None], synchronised: Callable[[], bool] = synchronised
) -> NoReturn:
    """Emits an event at the start, when synchronisation changes, and about a second after each step of wall time."""
    wall, since = clock.wall(), clock.monotonic()
    before = synchronised()
    emit(ClockChecked(synchronised=before, stepped=False))
    while True:
        await pause(LOOK_SECONDS)
        # Compared with the last step, not the last reading: many small steps add up.
        jumped = stepped(wall=clock.wall() - wall, monotonic=clock.monotonic() - since)
        now = synchronised()
        if jumped:
            wall, since = clock.wall(), clock.monotonic()
        if jumped or now is not before:
            before = now
            emit(ClockChecked(synchronised=now, stepped=jumped))
