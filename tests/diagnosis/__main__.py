"""Injects faults of the table by their names: `python -m tests.diagnosis "cable out"`; lists them without one.

It starts itself again in namespaces of its own. Each outcome is a line of JSON on its standard output. Names that come
on standard input instead, with `-`, are done one after the other, on the same rig where that is possible.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from tests.diagnosis.fault import Fault
from tests.diagnosis.rig import Rig
from tests.diagnosis.table import FAULTS
from tests.diagnosis.watch import STAY_SECONDS, watch
from tests.diagnosis.worker import command


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--stay", type=float, default=STAY_SECONDS, help="seconds to watch a finding")
    given = parser.parse_args()
    if not given.names:
        sys.stdout.write("".join(f"{name}\n" for name in FAULTS))
        return 0
    if os.getpid() != 1:
        inside = command(*given.names, stay=given.stay)
        if inside is None:
            sys.stderr.write("this machine lets nobody make network namespaces\n")
            return 1
        return subprocess.run(inside, check=False).returncode
    names = (line.rstrip("\n") for line in sys.stdin) if given.names == ["-"] else iter(given.names)
    _inject((FAULTS[name] for name in names), given.stay)
    return 0


def _inject(faults: Iterator[Fault], stay: float) -> None:
    rig: Rig | None = None
    with contextlib.ExitStack() as stack:
        for fault in faults:
            if rig is None or rig.way is not fault.way:
                stack.close()
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="menu-diagnosis-")))
                rig = Rig(folder, fault.way)
                stack.callback(rig.end)
                rig.start()
            outcome = watch(rig, fault, stay=stay)
            sys.stdout.write(f"{json.dumps(asdict(outcome))}\n")
            sys.stdout.flush()
            if fault.spoils or not outcome.mended:
                rig = None


if __name__ == "__main__":
    sys.exit(main())
