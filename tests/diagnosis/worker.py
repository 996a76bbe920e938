"""Processes with a rig of their own each, which inject one fault after the other."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

from tests.diagnosis.bad_disk import BadDisk, NotHereError
from tests.diagnosis.fault import Fault, Way
from tests.diagnosis.namespaces import way_in
from tests.diagnosis.watch import STAY_SECONDS, Outcome

END_SECONDS = 30.0
"""For a rig to end its programs and tidy up."""


def command(*, stay: float = STAY_SECONDS) -> list[str] | None:
    """The command of a process for a worker; None where this machine forbids namespaces."""
    alone = way_in()
    if alone is None:
        return None
    return [*alone, sys.executable, "-m", "tests.diagnosis", f"--stay={stay}", "-"]


class RigDiedError(Exception):
    """Faults of the rig are on standard error."""


class Worker:
    """Injects faults into a rig, and takes another one where that rig is of no use any more."""

    def __init__(self, arguments: list[str]) -> None:
        self._arguments = arguments
        self._process: subprocess.Popen[str] | None = None
        self._way: Way | None = None
        self._disk: BadDisk | None = None

    def __call__(self, fault: Fault) -> Outcome:
        """Inject a fault; what was seen of it. Raises NotHereError, RigDiedError."""
        if self._way is not fault.way:
            self.end()
        if self._process is None:
            self._start(fault.way)
        assert self._process is not None
        line = _asked(self._process, fault.name)
        told = json.loads(line) if line else None
        if told is not None and "not_here" in told:
            raise NotHereError(told["not_here"])
        outcome = Outcome(**told) if told is not None else None
        if outcome is None or fault.spoils or not outcome.mended:
            self.end()
        if outcome is None:
            raise RigDiedError(fault.name)
        return outcome

    def _start(self, way: Way) -> None:
        arguments, memory, pipe = self._arguments, list[int](), subprocess.PIPE
        if way is Way.DISK:
            self._disk = BadDisk()
            memory = [self._disk.memory]
            arguments = [*arguments[:-1], f"--disk={memory[0]}:{self._disk.folder}", arguments[-1]]
        self._process = subprocess.Popen(arguments, stdin=pipe, stdout=pipe, text=True, pass_fds=memory)
        self._way = way

    def end(self) -> None:
        if self._process is None:
            return
        with self._process as process:
            timer = threading.Timer(END_SECONDS, process.kill)
            timer.start()
            process.communicate()
            timer.cancel()
        self._process = None
        if self._disk is not None:
            self._disk.close()
            self._disk = None


def _asked(process: subprocess.Popen[str], name: str) -> str:
    """Returns the answer of the process; empty if it has died."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(f"{name}\n")
        process.stdin.flush()
    except OSError:
        return ""
    return process.stdout.readline()
