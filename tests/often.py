"""Runs the tests of `make test` n times, each time in another order, and lists those that were ever red:
`make test-often N=10`, which takes n times as long as `make test`. LOAD=1 keeps both cores busy meanwhile, SEED=K
begins with that order.

Files are shuffled, and the tests within each file. As a plugin (`-p tests.often`, with MENU_ORDER=K) it is
one such run:

    MENU_ORDER=K .venv/bin/python -m pytest -p tests.often tests/service
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

ORDER = "MENU_ORDER"
RED = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", re.MULTILINE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keeps each file together, so that what its tests share is set up once."""
    order = random.Random(os.environ[ORDER])
    keys = {path: order.random() for path in sorted({item.path for item in items})}
    order.shuffle(items)
    items.sort(key=lambda item: keys[item.path])


@contextmanager
def load(workers: int) -> Iterator[None]:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(workers)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def run(seed: int, arguments: list[str], output: Path) -> tuple[int, list[str]]:
    """Exit status and red tests of one run. Its output is kept."""
    command = [sys.executable, "-m", "tests.parallel", "-q", "-p", "tests.often", *arguments]
    with output.open("w") as file:
        environment = {**os.environ, ORDER: str(seed), "COLUMNS": "400"}
        status = subprocess.run(command, env=environment, stdout=file, stderr=subprocess.STDOUT, check=False).returncode
    return status, RED.findall(output.read_text(errors="replace"))


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.often")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--load", type=int, default=0, help="processes that do nothing but work, one for each core")
    options, arguments = parser.parse_known_args()
    folder = Path(tempfile.mkdtemp(prefix="often-"))
    say(f"The whole output of each run: {folder}\n\n| order | load | min:s | red |\n|---|---|---|---|")
    ever: Counter[str] = Counter()
    bad = 0
    for seed in range(options.seed, options.seed + options.runs):
        began = time.monotonic()
        with load(options.load):
            status, red = run(seed, arguments, folder / f"{seed}.txt")
        minutes, seconds = divmod(round(time.monotonic() - began), 60)
        shown = ", ".join(red) or (f"pytest ended with {status}" if status else "none")
        say(f"| {seed} | {options.load or 'none'} | {minutes}:{seconds:02} | {shown} |")
        ever.update(set(red))
        bad += status != 0
    say(f"\n{options.runs - bad} of {options.runs} green.")
    for test, times in ever.most_common():
        say(f"red in {times}: {test}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
