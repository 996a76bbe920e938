"""Measures CPU and memory of a program: of the process that was started and of all its children."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
END_SECONDS = 5.0
POLL_SECONDS = 0.02


class Tree:
    """A program and its children, found by their session."""

    def __init__(self, command: Sequence[str], *, environment: Mapping[str, str], log: Path) -> None:
        self.log = log
        self.started = time.monotonic()
        with log.open("ab") as out:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )

    def alive(self) -> bool:
        return self._process.poll() is None

    def cpu_seconds(self) -> float:
        """User and system time of all of them, children included that have ended and were waited for."""
        return sum(_cpu_ticks(pid) for pid in self._members()) / TICKS

    def pss_mib(self) -> float:
        """Proportional set size: a shared page counts in part for each program."""
        return sum(pss_mib_of(pid) for pid in self._members())

    def wakes(self) -> int:
        """Voluntary context switches of all their threads."""
        return sum(_voluntary_switches(task) for pid in self._members() for task in Path(f"/proc/{pid}/task").glob("*"))

    def end(self) -> None:
        """End them: SIGTERM, then SIGKILL after END_SECONDS."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            for pid in self._members():
                try:
                    os.kill(pid, sign)
                except ProcessLookupError:
                    continue
            deadline = time.monotonic() + END_SECONDS
            while self._members() and time.monotonic() < deadline:
                self._process.poll()
                time.sleep(POLL_SECONDS)
        self._process.wait()

    def _members(self) -> list[int]:
        session = str(self._process.pid)
        stats = ((int(entry.name), _stat(int(entry.name))) for entry in Path("/proc").glob("[0-9]*"))
        return [pid for pid, fields in stats if fields and fields[3] == session and fields[0] != "Z"]


def cpu_seconds_of(pid: int) -> float:
    """User and system time of one process."""
    return _cpu_ticks(pid) / TICKS


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the command's name: state, parent, group, session and so on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _cpu_ticks(pid: int) -> int:
    return sum(int(field) for field in _stat(pid)[11:15])


def pss_mib_of(pid: int) -> float:
    """Proportional set size of one process; 0 when it has ended."""
    return _rollup_mib(pid, "Pss:")


def own_mib_of(pid: int) -> float:
    """The anonymous part of it, which other users of the same libraries do not change."""
    return _rollup_mib(pid, "Pss_Anon:")


def _rollup_mib(pid: int, name: str) -> float:
    try:
        # Not a Path: each adds its parts to Python's table of names, and so grows a process that measures itself.
        with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:  # noqa: PTH123
            lines = file.readlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(name)), 0.0)


def _voluntary_switches(task: Path) -> int:
    try:
        lines = (task / "status").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))
