"""Run the service and two players for days of virtual time: `make soak DAYS=7 SEED=1`."""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.soak.checker import DisagreementError
from tests.soak.run import soak
from tests.soak.world import SoakLoop

STARTS = (
    datetime(2026, 3, 26, 12, tzinfo=UTC),
    datetime(2026, 10, 22, 12, tzinfo=UTC),
    datetime(2026, 4, 2, 6, tzinfo=UTC),
    datetime(2026, 7, 1, 6, tzinfo=UTC),
    datetime(2026, 12, 28, 12, tzinfo=UTC),
)
"""Three of the weeks change the clocks of one of the zones, one changes the year."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.soak")
    parser.add_argument("--days", type=float, default=7)
    parser.add_argument("--seed", type=int, default=None, help="repeats a run; without it, a new one")
    parser.add_argument("--pace", type=float, default=400, help="seconds between two steps, in the mean")
    parser.add_argument("--glass", action="store_true", help="draw panel B with the real display, and read its items")
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(1_000_000) if given.seed is None else given.seed
    logging.basicConfig(level=logging.CRITICAL)
    sys.stdout.write(f"seed {seed}, {given.days:g} days\n")
    begun = time.monotonic()

    def progress(text: str) -> None:
        sys.stdout.write(f"{time.monotonic() - begun:6.0f} s  {text}\n")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory(prefix="menu-soak-") as folder, asyncio.Runner(loop_factory=SoakLoop) as runner:
        try:
            runner.run(
                soak(
                    Path(folder),
                    seed=seed,
                    length=timedelta(days=given.days),
                    start=STARTS[seed % len(STARTS)],
                    pace=given.pace,
                    glass=given.glass,
                    progress=progress,
                )
            )
        except DisagreementError as error:
            sys.stdout.write(f"\n{error}\n\nagain: make soak DAYS={given.days:g} SEED={seed}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
