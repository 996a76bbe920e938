"""Injects faults of the table by their names: `python -m tests.diagnosis "cable out"`; lists them without one.

Each outcome is a line of JSON on its standard output. With `-`, as tests/diagnosis/worker.py starts it in namespaces of
its own, names come on standard input, and their faults are injected one after the other into the same rig.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from tests.diagnosis.bad_disk import NotHereError
from tests.diagnosis.fault import Fault
from tests.diagnosis.rig import Rig
from tests.diagnosis.table import FAULTS
from tests.diagnosis.watch import STAY_SECONDS, Outcome, watch
from tests.diagnosis.worker import Worker, command


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.diagnosis", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--stay", type=float, default=STAY_SECONDS, help="seconds to watch a finding")
    parser.add_argument("--disk", metavar="MEMORY:FOLDER", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in FAULTS and name != "-"]:
        parser.error(f"no fault of the table is called {unknown[0]!r}; without a name they are listed")
    if not given.names:
        sys.stdout.write("".join(f"{name}\n" for name in FAULTS))
    elif given.names == ["-"]:
        _inject((FAULTS[line.rstrip("\n")] for line in sys.stdin), given.stay, given.disk)
    else:
        arguments = command(stay=given.stay)
        if arguments is None:
            sys.stderr.write("this machine lets nobody make network namespaces\n")
            return 1
        worker = Worker(arguments)
        for name in given.names:
            try:
                _tell(worker(FAULTS[name]))
            except NotHereError as error:
                sys.stderr.write(f"{name}: {error}\n")
        worker.end()
    return 0


def _inject(faults: Iterator[Fault], stay: float, disk: str | None) -> None:
    rig: Rig | None = None
    memory, _, where = (disk or "").partition(":")
    with contextlib.ExitStack() as stack:
        for fault in faults:
            if rig is None:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="menu-diagnosis-")))
                rig = Rig(folder, fault.way, disk=(int(memory), Path(where)) if disk else None)
                stack.callback(rig.end)
                rig.start()
            try:
                _tell(watch(rig, fault, stay=stay))
            except NotHereError as error:
                sys.stdout.write(f"{json.dumps({'not_here': str(error)})}\n")
                sys.stdout.flush()


def _tell(outcome: Outcome) -> None:
    sys.stdout.write(f"{json.dumps(asdict(outcome))}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
