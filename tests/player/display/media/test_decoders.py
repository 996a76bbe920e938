"""The limit on decoders: first come, first served."""

from __future__ import annotations

from collections.abc import Callable

from player.display.media.resources import MOST_DECODERS, Decoders


class Queue:
    """Requesters that record when they start."""

    def __init__(self, count: int) -> None:
        self.decoders = Decoders()
        self.started: list[int] = []
        self.starts: list[Callable[[], None]] = [self._start(number) for number in range(count)]

    def _start(self, number: int) -> Callable[[], None]:
        return lambda: self.started.append(number)

    def request(self, *numbers: int) -> None:
        for number in numbers:
            self.decoders.request(self.starts[number])

    def release(self, *numbers: int) -> None:
        for number in numbers:
            self.decoders.release(self.starts[number])


def test_as_many_as_there_are_decoders_start_at_once() -> None:
    queue = Queue(4)
    queue.request(0, 1, 2, 3)

    assert MOST_DECODERS == 2
    assert queue.started == [0, 1]


def test_the_longest_waiting_starts_when_a_decoder_is_released() -> None:
    queue = Queue(4)
    queue.request(0, 1, 2, 3)
    queue.release(0)
    assert queue.started == [0, 1, 2]

    queue.release(1)
    assert queue.started == [0, 1, 2, 3]


def test_a_release_while_waiting_frees_no_decoder() -> None:
    queue = Queue(4)
    queue.request(0, 1, 2, 3)
    queue.release(2, 2)
    assert queue.started == [0, 1]

    queue.release(0)
    assert queue.started == [0, 1, 3]


def test_releasing_the_waiting_ones_first_starts_none() -> None:
    queue = Queue(4)
    queue.request(0, 1, 2, 3)
    queue.release(3, 2, 1, 0)
    assert queue.started == [0, 1]


def test_a_failure_at_the_start_lets_the_next_start() -> None:
    queue = Queue(2)

    def fail() -> None:
        queue.decoders.release(fail)

    queue.request(0)
    queue.decoders.request(fail)
    queue.request(1)
    assert queue.started == [0, 1]
