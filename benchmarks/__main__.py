"""`make bench`: runs every benchmark, prints a table and writes build/bench.json."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import board, menus, timeline

RESULTS = Path("build/bench.json")
SOAK_HOURS = 0.25
"""Virtual time; `make bench-soak` runs more."""


def say(words: str) -> None:
    """Say what is being measured."""
    print(f"… {words}", file=sys.stderr, flush=True)


def main() -> int:
    argparse.ArgumentParser(prog="python -m benchmarks", description="Runs every benchmark, in 8 minutes.").parse_args()
    with tempfile.TemporaryDirectory(prefix="menu-bench-") as folder:
        figures = board.measure(Path(folder), say, soak_hours=SOAK_HOURS)
    say("timeline of 1,000 entries and 10,000 schedules")
    figures["timeline, 1,000 entries, 10,000 schedules"] = timeline.measure()
    say("layout of a menu of 300")
    figures["menu of 300 dishes, layout"] = menus.measure()
    for name, values in figures.items():
        print(f"\n{name}")
        for what, value in values.items():
            print(f"  {what:<24}{value:>12.3f}" if value < 0.1 else f"  {what:<24}{value:>12.2f}")
    RESULTS.parent.mkdir(exist_ok=True)
    machine = {
        "cpu": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
    }
    RESULTS.write_text(json.dumps({"at": time.strftime("%F %T"), "machine": machine, "figures": figures}, indent=2))
    print(f"\nwritten to {RESULTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
