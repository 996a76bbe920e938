"""A control group with a limit of memory, as a container has one: of either version, if this machine allows one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.diagnosis.bad_disk import NotHereError

TOP = Path("/sys/fs/cgroup")
LIMIT = 400 * 1024**2
"""Bytes: a board is well with it."""


class MemoryGroup:
    """The group; commands that begin with its `entry` run in it."""

    def __init__(self) -> None:
        own = {
            kinds: path
            for _, kinds, path in (line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines())
        }
        name = f"menu-diagnosis-{os.getpid()}"
        is_first = "memory" in own
        self.folder = TOP / "memory" / own["memory"].lstrip("/") / name if is_first else TOP / name
        self._limit = self.folder / ("memory.limit_in_bytes" if is_first else "memory.max")
        self._used = self.folder / ("memory.usage_in_bytes" if is_first else "memory.current")
        try:
            self.folder.mkdir()
            self._limit.write_text(str(LIMIT))
        except OSError as error:
            with contextlib.suppress(OSError):
                self.folder.rmdir()
            raise NotHereError(f"no memory can be limited: {error}") from error

    @property
    def entry(self) -> tuple[str, ...]:
        return ("sh", "-c", f'echo $$ > {self.folder}/cgroup.procs && exec "$@"', "sh")

    @contextlib.contextmanager
    def filled(self, *, left: int) -> Iterator[None]:
        """Another program in the group takes all but so many bytes."""
        taken = LIMIT - int(self._used.read_text()) - left
        hold = f"held = b'1' * {taken}; print(flush=True); input()"
        pipe = subprocess.PIPE
        with subprocess.Popen([*self.entry, sys.executable, "-c", hold], stdin=pipe, stdout=pipe) as program:
            assert program.stdout is not None
            program.stdout.readline()
            try:
                yield
            finally:
                program.kill()

    def close(self) -> None:
        """Once nothing runs in it."""
        self.folder.rmdir()
