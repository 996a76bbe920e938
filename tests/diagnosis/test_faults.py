"""The first finding of each fault is the right one, comes in time and stays; healthy states have none."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator

import pytest

from tests.diagnosis.__main__ import command
from tests.diagnosis.fault import Fault, Way
from tests.diagnosis.table import FAULTS
from tests.diagnosis.watch import Outcome, Verdict

QUICK_STAY_SECONDS = 3.0
END_SECONDS = 30.0
"""For a rig to end its programs and tidy up."""
VISIBLE = 0.95
"""The least share of the time that a finding has to show while its fault lasts."""

Inject = Callable[[Fault], Outcome]


class Worker:
    """A process with a rig, which is used for one fault after the other."""

    def __init__(self, arguments: list[str]) -> None:
        self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, fault: Fault) -> Outcome:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{fault.name}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the rig died; its words are above"
        return Outcome(**json.loads(line))

    def end(self) -> None:
        with self._process as process:
            try:
                process.communicate(timeout=END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture(scope="module")
def inject() -> Iterator[Inject]:
    workers: dict[tuple[Way, bool], Worker] = {}

    def injected(fault: Fault) -> Outcome:
        key = (fault.way, fault.quick)
        if key not in workers:
            arguments = command("-", **({"stay": QUICK_STAY_SECONDS} if fault.quick else {}))
            if arguments is None:
                pytest.skip("this machine lets nobody make network namespaces")
            workers[key] = Worker(arguments)
        return workers[key](fault)

    yield injected
    for worker in workers.values():
        worker.end()


def _case(fault: Fault) -> object:
    return pytest.param(fault, id=fault.name, marks=() if fault.quick else pytest.mark.long)


@pytest.mark.parametrize("fault", [_case(fault) for fault in FAULTS.values()])
def test_the_first_finding(inject: Inject, fault: Fault) -> None:
    outcome = inject(fault)
    assert outcome.verdict == Verdict.RIGHT, outcome
    assert outcome.visible is None or outcome.visible >= VISIBLE, outcome
    assert outcome.mended, outcome
