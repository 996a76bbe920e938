"""Worker threads: calls are made in order, waited for, and freed."""

from __future__ import annotations

import gc
import logging
import threading
import weakref

import pytest

from player.display.qt.worker import Worker

CALLS = 500


def test_calls_are_made_in_order_on_another_thread() -> None:
    worker, made, threads = Worker(), list[int](), set[int]()

    def call(number: int) -> None:
        made.append(number)
        threads.add(threading.get_ident())

    for number in range(CALLS):
        worker.start(lambda number=number: call(number))
    worker.wait()

    assert made == list(range(CALLS))
    assert len(threads) == 1
    assert threading.get_ident() not in threads
    worker.close()


def test_a_call_is_freed_with_all_that_it_refers_to() -> None:
    class Frame:
        """Stands for 8 MB."""

    worker, left = Worker(), list[weakref.ref[Frame]]()
    for _ in range(CALLS):
        frame = Frame()
        left.append(weakref.ref(frame))
        worker.start(lambda frame=frame: None)
    del frame
    worker.close()
    gc.collect()

    assert [found for one in left if (found := one()) is not None] == []


def test_a_call_that_fails_is_logged_and_the_next_is_made(caplog: pytest.LogCaptureFixture) -> None:
    worker, made = Worker(), list[str]()

    def fail() -> None:
        raise ValueError("no room")

    with caplog.at_level(logging.ERROR):
        worker.start(fail)
        worker.start(lambda: made.append("next"))
        worker.close()

    assert made == ["next"]
    assert "no room" in caplog.text


def test_a_worker_that_was_closed_starts_again() -> None:
    worker, made = Worker(), list[str]()
    worker.close()
    worker.start(lambda: made.append("again"))
    worker.close()
    assert made == ["again"]
