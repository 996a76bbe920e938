"""Verdicts of one connection test after another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from player.domain.link.connection import ConnectionTest, Step, StepResult
from player.domain.link.fault import Fault

AT = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


def second(after: float) -> datetime:
    return AT + timedelta(seconds=after)


def ends(step: Step, fault: Fault, *, at: float = 0.0) -> ConnectionTest:
    return ConnectionTest(at=second(at), steps=(StepResult(step=step, passed=False, fault=fault, evidence=fault),))


WELL = ConnectionTest(at=AT, steps=(StepResult(step=Step.TCP, passed=True),))
SILENT = Fault.SILENT


@pytest.mark.parametrize("before", [SILENT, Fault.TLS_SILENT, Fault.SLOW])
def test_what_is_silent_and_answers_in_between_is_a_line_that_loses_much(before: Fault) -> None:
    earlier = ends(Step.TLS, before)
    failure = ends(Step.TCP, SILENT, at=10).after(earlier, answered_at=second(5)).failure
    assert failure is not None
    assert (failure.step, failure.fault) == (Step.TCP, Fault.SLOW)
    for answered_at in (None, second(-1), second(11)):
        later = ends(Step.TCP, SILENT, at=10).after(earlier, answered_at=answered_at)
        assert later.failure == ends(Step.TCP, SILENT).failure, "or the line is well again since"


@pytest.mark.parametrize(
    ("step", "fault"),
    [
        (Step.NAME, Fault.NAME_SERVER_FAILS),
        (Step.TLS, Fault.TLS_FAILS),
        (Step.HTTP, Fault.HTTP_SILENT),
        (Step.HTTP, Fault.HTTP_FAILS),
    ],
)
def test_a_slow_line_that_fails_at_another_step_is_told_as_one_thing(step: Step, fault: Fault) -> None:
    slow, now = ends(Step.HTTP, Fault.SLOW), ends(step, fault, at=30)
    held = now.after(slow, answered_at=second(5)).failure
    assert held is not None
    assert held.fault == Fault.SLOW
    assert now.after(slow, answered_at=second(-5)).failure == now.failure, "nothing answers any more"
    gone = ends(Step.SERVICE, Fault.GATEWAY, at=30)
    assert gone.after(slow, answered_at=second(5)).failure == gone.failure, "it is not the line"


def test_the_answer_to_what_was_asked_before_says_nothing_of_the_way_there() -> None:
    """A router that has lost its way out lets the answer of a held request in: "silent" became "slow" at 20 s."""
    earlier, now = ends(Step.TCP, SILENT), ends(Step.TCP, SILENT, at=10)
    assert now.after(earlier, answered_at=second(5), asked_at=second(-4)).failure == now.failure
    slow = now.after(earlier, answered_at=second(5), asked_at=second(4)).failure
    assert slow is not None
    assert slow.fault == Fault.SLOW


@pytest.mark.parametrize("before", [None, WELL, ends(Step.TCP, Fault.REFUSED), ends(Step.NAME, Fault.NAME_UNKNOWN)])
def test_what_means_something_else_is_told_anew(before: ConnectionTest | None) -> None:
    now = ends(Step.TCP, SILENT)
    assert now.after(before) == now
    assert WELL.after(before) == WELL


def test_what_is_found_while_a_call_was_answered_is_certain_when_it_is_found_again() -> None:
    first = ends(Step.NAME, Fault.NAME_SERVER_SILENT).after(None, answered_at=second(1))
    assert first.overtaken
    again = ends(Step.NAME, Fault.NAME_SERVER_SILENT, at=10)
    assert not again.after(first, answered_at=second(12)).overtaken
    assert ends(Step.TCP, SILENT, at=10).after(first, answered_at=second(12)).overtaken, "it is another one"
    assert not ends(Step.TCP, SILENT, at=10).after(None, answered_at=second(9)).overtaken


@pytest.mark.parametrize(("milliseconds", "slow"), [(1200.0, True), (1000.0, False)])
def test_a_slow_line_is_well_again_when_it_is_well_past_its_bound(milliseconds: float, slow: bool) -> None:
    steps = (
        StepResult(step=Step.TCP, passed=True, milliseconds=milliseconds),
        StepResult(step=Step.TLS, passed=True, milliseconds=milliseconds),
        StepResult(step=Step.HTTP, passed=True, milliseconds=20.0),
    )
    swift = ConnectionTest(at=second(30), steps=steps)
    assert swift.after(WELL).failure is None
    failure = swift.after(ends(Step.TLS, Fault.SLOW)).failure
    assert (failure is not None and (failure.step, failure.fault) == (Step.HTTP, Fault.SLOW)) is slow


@pytest.mark.parametrize(("answer", "slow"), [(1700.0, True), (900.0, False)])
def test_a_slow_line_is_well_again_when_an_answer_comes_soon(answer: float, slow: bool) -> None:
    steps = (
        StepResult(step=Step.TCP, passed=True, milliseconds=100.0),
        StepResult(step=Step.TLS, passed=True, milliseconds=1300.0),
        StepResult(step=Step.HTTP, passed=True, milliseconds=answer),
    )
    quiet = ConnectionTest(at=second(30), steps=steps)
    assert (quiet.after(ends(Step.TLS, Fault.SLOW)).failure is not None) is slow
    assert quiet.after(WELL).failure is None
