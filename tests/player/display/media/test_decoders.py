"""Turns at decoding: who asks first, who waits, and who comes next."""

from __future__ import annotations

from collections.abc import Callable

from player.display.media.decoders import MOST_DECODERS, Decoders


class Queue:
    """Widgets that write down when they begin."""

    def __init__(self, count: int) -> None:
        self.decoders = Decoders()
        self.began: list[int] = []
        self.begins: list[Callable[[], None]] = [self._beginner(at) for at in range(count)]

    def _beginner(self, at: int) -> Callable[[], None]:
        return lambda: self.began.append(at)

    def ask(self, *who: int) -> None:
        for at in who:
            self.decoders.ask(self.begins[at])

    def leave(self, *who: int) -> None:
        for at in who:
            self.decoders.leave(self.begins[at])


def test_as_many_as_there_are_turns_begin_at_once() -> None:
    queue = Queue(4)
    queue.ask(0, 1, 2, 3)

    assert MOST_DECODERS == 2
    assert queue.began == [0, 1]


def test_who_waits_longest_begins_when_another_leaves() -> None:
    queue = Queue(4)
    queue.ask(0, 1, 2, 3)
    queue.leave(0)
    assert queue.began == [0, 1, 2]

    queue.leave(1)
    assert queue.began == [0, 1, 2, 3]


def test_who_leaves_while_it_waits_takes_nobodys_turn() -> None:
    queue = Queue(4)
    queue.ask(0, 1, 2, 3)
    queue.leave(2, 2)
    assert queue.began == [0, 1]

    queue.leave(0)
    assert queue.began == [0, 1, 3]


def test_a_scene_that_leaves_from_its_end_begins_nothing() -> None:
    queue = Queue(4)
    queue.ask(0, 1, 2, 3)
    queue.leave(3, 2, 1, 0)
    assert queue.began == [0, 1]


def test_one_that_fails_as_it_begins_lets_the_next_in() -> None:
    queue = Queue(2)

    def fail() -> None:
        queue.decoders.leave(fail)

    queue.ask(0)
    queue.decoders.ask(fail)
    queue.ask(1)
    assert queue.began == [0, 1]
