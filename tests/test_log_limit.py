"""The log of either program stays small, whatever fails again and again."""

from __future__ import annotations

import io
import logging
import subprocess
import sys

import pytest

from menu import log_limit

A_DAY = 24 * 3600
MEGABYTE = 1024 * 1024


class Book:
    """A logger whose lines can be read, on a clock that the test moves."""

    limits = log_limit

    def __init__(self, least: int = logging.NOTSET) -> None:
        self.now = 0.0
        self._stream = io.StringIO()
        handler = logging.StreamHandler(self._stream)
        handler.addFilter(log_limit.LogLimit(least=least, monotonic=lambda: self.now))
        self.log = logging.Logger("board")
        self.log.addHandler(handler)

    @property
    def lines(self) -> list[str]:
        return self._stream.getvalue().splitlines()

    @property
    def size(self) -> int:
        return len(self._stream.getvalue())


@pytest.fixture
def book() -> Book:
    return Book()


@pytest.mark.proves("something-fails-every")
def test_a_service_that_fails_every_two_seconds_leaves_a_megabyte_a_day(book: Book) -> None:
    for failure in range(A_DAY // 2):
        book.log.warning("manifest failed: no answer (%s), failure %d", "timeout", failure)
        book.now += 2
    minutes = A_DAY // 60
    assert len(book.lines) <= minutes * book.limits.MAX_REPEATS
    assert book.size < MEGABYTE * 8 / 7
    assert "(the same 25 times more before)" in book.lines[-5]


@pytest.mark.proves("something-fails-every")
def test_an_event_that_fails_a_hundred_times_a_second_does_not_fill_the_log_with_traces(book: Book) -> None:
    for _ in range(60 * 100):
        try:
            raise ZeroDivisionError
        except ZeroDivisionError:
            book.log.exception("%s could not be handled; the board stays as it was", "FramePresented")
        book.now += 0.01
    assert sum(line.startswith("FramePresented") for line in book.lines) == book.limits.MAX_REPEATS
    assert "more like this is not logged for up to 60 s" in "".join(book.lines)


def test_up_to_the_bound_every_line_is_as_it_was_and_one_more_is_left_out(book: Book) -> None:
    for _ in range(book.limits.MAX_REPEATS + 1):
        book.log.warning("no answer")
    assert book.lines[:-1] == ["no answer"] * (book.limits.MAX_REPEATS - 1)
    assert book.lines[-1].startswith("no answer (more")
    book.log.warning("another fault is heard all the same")
    assert book.lines[-1] == "another fault is heard all the same"


def test_many_faults_of_one_kind_are_logged_up_to_their_bound(book: Book) -> None:
    names = [f"{chr(ord('a') + number % 26)}{chr(ord('a') + number // 26)}" for number in range(500)]
    for name in names:
        book.log.warning("rejected %s", name)
    assert len(book.lines) == book.limits.MAX_OF_ONE_KIND


def test_what_is_counted_is_bounded_and_a_message_too_long_is_cut(book: Book) -> None:
    limit = book.log.handlers[0].filters[0]
    for number in range(3 * book.limits.MAX_TRACKED):
        book.log.warning("".join(chr(ord("a") + int(digit)) for digit in str(number)))
    assert len(limit._heard) == book.limits.MAX_TRACKED
    book.log.error("x" * (2 * book.limits.MAX_MESSAGE))
    assert len(book.lines[-1]) == book.limits.MAX_MESSAGE


def test_a_record_that_cannot_be_formatted_is_left_to_the_handler(book: Book) -> None:
    record = logging.LogRecord("board", logging.WARNING, "", 0, "%d", ("no number",), None)
    assert book.log.handlers[0].filter(record)


def test_lines_below_the_least_level_are_not_counted() -> None:
    book = Book(logging.WARNING)
    for _ in range(100):
        book.log.info("answered")
    assert len(book.lines) == 100


@pytest.mark.parametrize(
    "start", ["from player.cli import main; main(['discover', '--seconds', '0'])", None], ids=["player", "service"]
)
def test_both_programs_log_with_it(start: str | None) -> None:
    start = start or "from service.core.logs import configure; configure(structured=True)"
    told = "import logging\nfor _ in range(100): logging.warning('no answer')"
    done = subprocess.run([sys.executable, "-c", f"{start}\n{told}"], capture_output=True, text=True, check=True)
    assert done.stderr.count("no answer") == log_limit.MAX_REPEATS
