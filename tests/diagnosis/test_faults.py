"""The first finding of each fault is the right one, comes in time and stays; healthy states have none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.diagnosis.bad_disk import NotHereError
from tests.diagnosis.fault import Fault, Way
from tests.diagnosis.table import FAULTS
from tests.diagnosis.watch import Outcome, Verdict
from tests.diagnosis.worker import Worker, command

QUICK_STAY_SECONDS = 3.0
VISIBLE = 0.95
"""The least share of the time that a finding has to show while its fault lasts."""

Inject = Callable[[Fault], Outcome]


@pytest.fixture(scope="module")
def inject() -> Iterator[Inject]:
    workers: dict[tuple[Way, bool], Worker] = {}

    def injected(fault: Fault) -> Outcome:
        key = (fault.way, fault.quick)
        if key not in workers:
            arguments = command(**({"stay": QUICK_STAY_SECONDS} if fault.quick else {}))
            if arguments is None:
                pytest.skip("this machine lets nobody make network namespaces")
            workers[key] = Worker(arguments)
        return workers[key](fault)

    yield injected
    for worker in workers.values():
        worker.end()


def _case(fault: Fault) -> object:
    return pytest.param(fault, id=fault.name, marks=() if fault.quick else pytest.mark.long)


@pytest.mark.long
@pytest.mark.parametrize("fault", [_case(fault) for fault in FAULTS.values()])
def test_the_first_finding(inject: Inject, fault: Fault) -> None:
    try:
        outcome = inject(fault)
    except NotHereError as error:
        pytest.skip(str(error))
    assert outcome.verdict == Verdict.RIGHT, outcome
    assert outcome.visible is None or outcome.visible >= VISIBLE, outcome
    assert outcome.mended, outcome
