"""`make bench-diagnosis`: injects every fault of tests/diagnosis/ into a real player, and judges its first finding."""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from threading import Lock, Thread

from tests.diagnosis.bad_disk import NotHereError
from tests.diagnosis.fault import Fault
from tests.diagnosis.table import FAULTS
from tests.diagnosis.watch import STAY_SECONDS, Outcome, Verdict
from tests.diagnosis.worker import RigDiedError, Worker, command

RESULTS = Path("build/bench-diagnosis.json")
RIGS = 6
"""At a time. They mostly wait; each is started where the one before it has begun to wait."""
STAGGER_SECONDS = 4.0
VISIBLE = 0.95


class Table:
    """The faults that are left, and the verdicts so far."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.outcomes: list[Outcome] = []
        self.broken: list[str] = []
        self._left = list(faults)
        self._lock = Lock()

    def take(self, before: Fault | None) -> Fault | None:
        """The next fault, if possible for the rig that the one before was injected into."""
        with self._lock:
            same = [fault for fault in self._left if before is not None and fault.way is before.way]
            # Those that spoil a rig come last.
            chosen = min(same or self._left, key=lambda fault: fault.spoils, default=None)
            if chosen is not None:
                self._left.remove(chosen)
            return chosen

    def note(self, fault: Fault, outcome: Outcome | None) -> None:
        with self._lock:
            if outcome is None:
                self.broken.append(fault.name)
                return
            self.outcomes.append(outcome)
        seconds = "" if outcome.seconds is None else f"{outcome.seconds:5.1f} s"
        visible = "" if outcome.visible is None else f"{100 * outcome.visible:4.0f} %"
        tail = "" if outcome.mended else "  (not well again in time)"
        _say(f"{outcome.verdict:<8} {seconds:>7} {visible:>6}  {outcome.name}: {outcome.first or '–'}{tail}")


def measure(faults: Sequence[Fault], *, rigs: int, stay: float) -> Table:
    """Inject them, on several rigs at a time."""
    arguments = command(stay=stay)
    if arguments is None:
        raise SystemExit("this machine lets nobody make network namespaces")
    table = Table(faults)

    def work(first: float) -> None:
        time.sleep(first)
        worker = Worker(arguments)
        fault = table.take(None)
        while fault is not None:
            outcome: Outcome | None = None
            try:
                with contextlib.suppress(RigDiedError):
                    outcome = worker(fault)
                table.note(fault, outcome)
            except NotHereError as error:
                _say(f"left out  {fault.name}: {error}")
            fault = table.take(fault)
        worker.end()

    threads = [Thread(target=work, args=(number * STAGGER_SECONDS,)) for number in range(min(rigs, len(faults)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return table


def report(table: Table) -> None:
    """Print the figures, and each fault that is not told as it should be."""
    faults = [outcome for outcome in table.outcomes if not outcome.healthy]
    healthy = [outcome for outcome in table.outcomes if outcome.healthy]
    verdicts = Counter(str(outcome.verdict) for outcome in faults)
    seconds = [outcome.seconds for outcome in faults if outcome.seconds is not None]
    visible = [outcome.visible for outcome in faults if outcome.visible is not None]
    _print(f"\n{len(faults)} faults, {len(healthy)} healthy states")
    for verdict in Verdict:
        count = verdicts[verdict]
        _print(f"  {verdict:<26}{count:>5}   {100 * count / max(1, len(faults)):5.1f} %")
    if seconds:
        _print(f"  {'seconds to it, median':<26}{statistics.median(seconds):>7.1f}")
        _print(f"  {'seconds to it, worst':<26}{max(seconds):>7.1f}")
    if visible:
        _print(f"  {'visible from then, mean':<26}{100 * statistics.mean(visible):>7.1f} %")
        _print(f"  {'visible from then, least':<26}{100 * min(visible):>7.1f} %")
    _print(f"  {'false in healthy states':<26}{sum(outcome.verdict != Verdict.RIGHT for outcome in healthy):>5}")
    for outcome in table.outcomes:
        if outcome.verdict != Verdict.RIGHT or (outcome.visible or 1.0) < VISIBLE or not outcome.mended:
            told = "; ".join(f"{at:.0f} s: {', '.join(codes) if codes else codes}" for at, codes in outcome.told)
            _print(
                f"\n{outcome.verdict}: {outcome.name}{'' if outcome.mended else ' (not well again in time)'}\n  {told}"
            )
    for name in table.broken:
        _print(f"\nbroken: {name}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", metavar="NAME", help="faults whose name has this in it")
    parser.add_argument("--rigs", type=int, default=RIGS, help="at a time (%(default)s)")
    parser.add_argument("--stay", type=float, default=STAY_SECONDS, help="seconds to watch a finding (%(default)s)")
    given = parser.parse_args()
    wanted = [fault for fault in FAULTS.values() if not given.only or any(part in fault.name for part in given.only)]
    if not wanted:
        parser.error("the table has no such fault; `python -m tests.diagnosis` lists it")
    began = time.monotonic()
    table = measure(wanted, rigs=given.rigs, stay=given.stay)
    report(table)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([asdict(outcome) for outcome in table.outcomes], indent=1))
    _print(f"\n{time.monotonic() - began:.0f} s; written to {RESULTS}")
    return 0 if not table.broken else 1


def _print(words: str) -> None:
    sys.stdout.write(f"{words}\n")


def _say(words: str) -> None:
    sys.stderr.write(f"{words}\n")


if __name__ == "__main__":
    sys.exit(main())
