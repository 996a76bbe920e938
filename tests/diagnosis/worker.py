"""A process with a rig of its own, which injects one fault after the other."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

from tests.diagnosis.fault import Fault
from tests.diagnosis.namespaces import way_in
from tests.diagnosis.watch import STAY_SECONDS, Outcome

END_SECONDS = 30.0
"""For a rig to end its programs and tidy up."""


def command(*names: str, stay: float = STAY_SECONDS) -> list[str] | None:
    """The command that injects these faults; None where this machine forbids namespaces."""
    alone = way_in()
    if alone is None:
        return None
    return [*alone, sys.executable, "-m", "tests.diagnosis", f"--stay={stay}", *names]


class RigDiedError(Exception):
    """What is wrong with the rig is on standard error."""


class Worker:
    """Give it a command of no names but `-`."""

    def __init__(self, arguments: list[str]) -> None:
        self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, fault: Fault) -> Outcome:
        """Inject a fault; what was seen of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(f"{fault.name}\n")
            self._process.stdin.flush()
        except OSError:
            raise RigDiedError(fault.name) from None
        line = self._process.stdout.readline()
        if not line:
            raise RigDiedError(fault.name)
        return Outcome(**json.loads(line))

    def end(self) -> None:
        with self._process as process:
            timer = threading.Timer(END_SECONDS, process.kill)
            timer.start()
            process.communicate()
            timer.cancel()
