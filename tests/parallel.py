"""Runs pytest in processes that are forked from one which has imported all test modules:

    .venv/bin/python -m tests.parallel -m "long or not long"

pytest-xdist starts each of its processes as a new Python, which imports and collects everything for itself: 19 s of a
core each, 5 s here.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout
from typing import IO

import execnet.gateway_io
import pytest

PROCESSES = 3
"""On two cores: tests that wait leave room for others."""


class Forked:
    """A process that waits for pytest-xdist to use it, by the attributes of `subprocess.Popen` that execnet uses."""

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid, self.stdin, self.stdout = pid, stdin, stdout

    def wait(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def import_test_modules() -> None:
    """Imports what the tests need, with its assertions rewritten. What fails is reported by the run itself."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        pytest.main(["--collect-only", "--quiet", "--quiet"])
    assert threading.active_count() == 1, "a fork would have no part of the other threads but their locks"


def fork(others: list[Forked]) -> Forked | None:
    """The process, or None in the process itself. `others` were forked before it."""
    (child_in, our_out), (our_in, child_out) = os.pipe(), os.pipe()
    pid = os.fork()
    if pid:
        os.close(child_in)
        os.close(child_out)
        return Forked(pid, os.fdopen(our_out, "wb"), os.fdopen(our_in, "rb"))
    # The end of the run closes their pipes, if nobody else holds them.
    for other in others:
        other.stdin.close()
        other.stdout.close()
    os.dup2(child_in, 0)
    os.dup2(child_out, 1)
    for end in (child_in, child_out, our_in, our_out):
        os.close(end)
    return None


def give(waiting: list[Forked]) -> None:
    """Makes execnet take these processes before it starts one, as for one that crashed."""

    class Started(execnet.gateway_io.Popen2IOMaster):
        def __init__(self, args: list[str], execmodel: execnet.gateway_base.ExecModel) -> None:
            if not waiting:
                super().__init__(args, execmodel)
                return
            self.popen = process = waiting.pop(0)
            execnet.gateway_base.Popen2IO.__init__(self, process.stdin, process.stdout, execmodel)

    execnet.gateway_io.Popen2IOMaster = Started


def main() -> int:
    import_test_modules()
    waiting: list[Forked] = []
    for _ in range(PROCESSES):
        process = fork(waiting)
        if process is None:
            # As `execnet.gateway_io.popen_bootstrapline` in a new Python.
            exec(eval(os.fdopen(0, closefd=False).readline()))
            return 0
        waiting.append(process)
    give(waiting)
    return int(pytest.main(["--numprocesses", str(PROCESSES), "--dist", "worksteal", *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
