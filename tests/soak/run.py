"""One soak: opens a world, takes steps until its time is over, and says how far it has come."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from tests.soak.steps import Soak
from tests.soak.world import Panel, opened, recording

PROGRESS_EVERY = timedelta(hours=6)


async def soak(
    folder: Path,
    *,
    seed: int,
    length: timedelta,
    start: datetime,
    pace: float,
    glass: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Soak:
    """Run for this length of virtual time. Raises DisagreementError."""
    async with opened(folder, start) as world:
        run = Soak(world, seed, pace=pace)
        panels = []
        for name in ("A", "B"):
            place = folder / name
            place.mkdir()
            display = recording
            if glass and name == "B":
                from tests.soak.glass import application, drawn

                qt = application()
                assert qt is not None
                display = drawn
            panels.append(Panel(name, place, world, display=display))
        await run.open(panels)
        end, told = world.now + length, world.now
        while world.now < end:
            await run.step()
            if world.now >= told + PROGRESS_EVERY:
                told = world.now
                progress(run.summary())
        progress(run.summary())
        return run
