"""Starts the service as a process of its own from one that has run it before: a start without 3 s of a core."""

from __future__ import annotations

import faulthandler
import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path


@cache
def _template() -> multiprocessing.context.ForkServerContext:
    """The process that has run it, which forks; one for each process of the tests."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["service.cli.main", "service.run.server", "tests.service.support.warm_start"])
    return context


class LoadedProcess:
    """`python -m` with such arguments, by the calls of `subprocess.Popen` that tests use. Its messages go to the log
    as well, if `messages` is not given; the module `program` has its `main()`."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        log: Path,
        environment: Mapping[str, str],
        messages: Path | None = None,
        program: str = "service.__main__",
    ) -> None:
        self._process = _template().Process(
            target=_run, args=(program, tuple(arguments), log, messages or log, dict(environment))
        )
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired("service", timeout)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            # It may have ended already: the process that forked it waits for it first, and tells of it then.
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def run_loaded(
    *arguments: str, environment: Mapping[str, str] = os.environ, timeout: float, program: str = "service.__main__"
) -> subprocess.CompletedProcess[str]:
    """Runs it to its end. Raises subprocess.TimeoutExpired after so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        out, messages = Path(folder) / "out", Path(folder) / "messages"
        process = LoadedProcess(arguments, log=out, messages=messages, environment=environment, program=program)
        try:
            status = process.wait(timeout)
        finally:
            process.kill()
        return subprocess.CompletedProcess(arguments, status, out.read_text(), messages.read_text())


def _run(program: str, arguments: Sequence[str], log: Path, messages: Path, environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    for number, path in ((1, log), (2, messages)):
        end = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        os.dup2(end, number)
        os.close(end)
    faulthandler.enable()
    sys.argv = list(arguments)
    sys.exit(importlib.import_module(program).main())
