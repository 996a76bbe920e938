"""Read many mutated inputs: `make fuzz N=1000000 SEED=1`; one again: `python -m tests.fuzz --target NAME --input K`."""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import time

from tests.fuzz.run import FuzzError, fuzz
from tests.fuzz.targets import Tray, all_targets


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--target", default=None)
    parser.add_argument("--input", type=int, default=None)
    given = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    logging.getLogger("player").setLevel(logging.CRITICAL)
    if given.input is not None:
        tray = Tray()
        next(each for each in all_targets(tray) if each.name == given.target).fuzz(random.Random(given.input))
        tray.close()
        return 0
    seed = random.SystemRandom().randrange(1_000_000) if given.seed is None else given.seed
    begun = time.monotonic()
    sys.stdout.write(f"seed {seed}\n")
    try:
        done = fuzz(given.count, seed, only=given.target, progress=lambda text: sys.stdout.write(text + "\n"))
    except FuzzError as found:
        sys.stdout.write(f"{found}\n")
        return 1
    for name, count in done.most_common():
        sys.stdout.write(f"{count:>9,}  {name}\n")
    sys.stdout.write(
        f"{sum(done.values()):,} inputs in {time.monotonic() - begun:.0f} s, nothing but named rejections\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
