"""The newest lines of the log: bounded, and without secrets."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest

from menu.log_limit import MAX_REPEATS, LogLimit
from player.recent_log import HIDDEN, MAX_KEPT, MAX_LINE, MAX_LINES, LogLine, RecentLog, redact

TOKEN = "utwpXFYm-piw9F2d9BbOhygWHpFTVJEqEeXy2Zr1W4k"


@pytest.fixture
def kept() -> RecentLog:
    return RecentLog()


@pytest.fixture
def log(kept: RecentLog) -> Iterator[logging.Logger]:
    logger = logging.Logger("player.link.poller")
    logger.addHandler(kept)
    yield logger
    logger.removeHandler(kept)


def texts(lines: tuple[LogLine, ...]) -> list[str]:
    return [line.text for line in lines]


def test_a_line_has_its_time_level_and_place(log: logging.Logger, kept: RecentLog) -> None:
    log.warning("the service answers again after %d failures", 3)
    (line,) = kept.lines()
    assert (line.level, line.name) == ("WARNING", "player.link.poller")
    assert line.text == "the service answers again after 3 failures"
    assert str(line).endswith("Z WARNING player.link.poller: the service answers again after 3 failures")


def test_a_trace_belongs_to_its_line(log: logging.Logger, kept: RecentLog) -> None:
    try:
        raise ValueError(f"token={TOKEN}")
    except ValueError:
        log.exception("it could not be handled")
    (line,) = kept.lines()
    assert "Traceback" in line.text
    assert f"token={HIDDEN}" in line.text


def test_the_oldest_lines_go_first(log: logging.Logger, kept: RecentLog) -> None:
    for count in range(MAX_LINES + 10):
        log.info("line %d", count)
    lines = kept.lines()
    assert len(lines) == MAX_LINES
    assert (lines[0].text, lines[-1].text) == ("line 10", f"line {MAX_LINES + 9}")


def test_long_lines_are_cut_and_all_together_are_bounded(log: logging.Logger, kept: RecentLog) -> None:
    for _ in range(MAX_KEPT // MAX_LINE + 10):
        log.info("word " * MAX_LINE)
    lines = kept.lines()
    assert all(len(line.text) == MAX_LINE for line in lines)
    assert sum(len(line.text) for line in lines) <= MAX_KEPT


def test_the_tail_is_of_whole_lines_and_fits_its_bytes(log: logging.Logger, kept: RecentLog) -> None:
    for count in range(100):
        log.info("Käsespätzle %d", count)
    tail = kept.tail(max_bytes=1000)
    assert 900 < len(tail.encode()) <= 1000
    assert tail.endswith("Käsespätzle 99\n")
    assert all(line.startswith("20") for line in tail.splitlines())


@pytest.mark.parametrize(
    "secret",
    [
        TOKEN,
        f"Authorization: Bearer {TOKEN[:20]}",
        f"'Authorization': 'Bearer {TOKEN}'",
        f'{{"access_token": "{TOKEN}"}}',
        f"device_code={TOKEN[:12]}&client_id=menu-player",
        "https://menu.example/pair?user_code=WDJBMJ",
        "shows WDJ-BMJ and the address",
        "the code WDJBMJ",
        "http://shop:hunter2xyz@proxy.example:3128/",
        "password: hunter2xyz",
        "Cookie: sid=hunter2xyz",
        "The PIN of this screen is 482913",
        "pin=482913",
    ],
)
def test_secrets_are_hidden(secret: str) -> None:
    shown = redact(f"before {secret} after")
    for part in (TOKEN[:12], "WDJ", "BMJ", "hunter2xyz", "482913"):
        assert part not in shown
    assert shown.startswith("before ")


@pytest.mark.parametrize(
    "line",
    [
        "the service answers again after 482913 failures",
        f"asset {'9f86d081' * 8} is missing",
        "http://127.0.0.1:8085/ is the page of this screen",
        "https://menu.example/v1/player/manifest answers 503 after HTTP 1.1",
        "the token was refused",
        "tests/player/test_recent_log.py: test_the_tail_is_of_whole_lines_and_fits_its_bytes",
    ],
)
def test_what_is_no_secret_stays(line: str) -> None:
    assert redact(line) == line


def test_what_repeats_is_cut_as_in_the_log_itself() -> None:
    stream, kept, limit = io.StringIO(), RecentLog(), LogLimit(monotonic=lambda: 0.0)
    logger = logging.Logger("board")
    for handler in (logging.StreamHandler(stream), kept):
        handler.addFilter(limit)
        logger.addHandler(handler)
    for _ in range(20):
        logger.info("the same again")
    assert texts(kept.lines()) == stream.getvalue().splitlines()
    assert len(kept.lines()) == MAX_REPEATS
