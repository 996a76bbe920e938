"""Draws targets and inputs from one seed, and holds each input to its bounds."""

from __future__ import annotations

import random
import resource
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from unittest import mock

from tests.fuzz.targets import Tray, all_targets

INPUT_SECONDS = 2.0
"""Processor time that one input may take; the usual one takes a thousandth of it."""

GROWTH_MEGABYTES = 200
"""By this all inputs of a run together may raise the most memory that the process has held."""

WARM_UP = 300
"""Inputs before memory is measured: caches fill."""


class FuzzError(AssertionError):
    """An input that was not taken as it should be."""


def fuzz(
    count: int, seed: int, *, only: str | None = None, progress: Callable[[str], None] = lambda _: None
) -> Counter[str]:
    """Try so many inputs; returns how many each target had. Raises FuzzError."""
    done: Counter[str] = Counter()
    tray = Tray()
    # What is read does not depend on whether the disk was waited for.
    with mock.patch("os.fsync"), closing(tray):
        targets = [target for target in all_targets(tray) if only is None or target.name == only]
        weights = [target.weight for target in targets]
        draw = random.Random(seed)
        before, slowest = 0, 0.0
        for number in range(count):
            if number == min(WARM_UP, count // 2):
                before = _most_memory()
            target = draw.choices(targets, weights)[0]
            own = draw.randrange(2**48)
            begun = time.process_time()
            try:
                target.fuzz(random.Random(own))
            except Exception as error:
                raise FuzzError(f"{target.name}, input {own} (the {number}th of seed {seed}): {error!r}") from error
            took = time.process_time() - begun
            if took > INPUT_SECONDS:
                raise FuzzError(
                    f"{target.name}, input {own}: {took:.1f} s of processor time, at most {INPUT_SECONDS:g}"
                )
            slowest = max(slowest, took)
            done[target.name] += 1
            if number % 20_000 == 19_999:
                progress(f"{number + 1:,} inputs, slowest {slowest:.2f} s, at most {_most_memory()} MB held")
        growth = _most_memory() - before
        if growth > GROWTH_MEGABYTES:
            raise FuzzError(f"the process has grown by {growth} MB, at most {GROWTH_MEGABYTES} are allowed")
    return done


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
