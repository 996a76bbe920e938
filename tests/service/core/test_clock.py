"""The system clock, and its shift by a file."""

import logging
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from service.core.clock import SystemClock, instant_text, sleep
from tests.service.support.application import START, VirtualClock, start_soon


def offset_of(clock: SystemClock) -> int:
    return round((clock.now() - datetime.now(UTC)).total_seconds())


def write(path: Path, text: str, *, at: int) -> None:
    path.write_text(text)
    os.utime(path, (at, at))


def test_a_file_shifts_the_clock_and_is_read_again_when_it_changes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "offset"
    clock = SystemClock(offset_file=path)
    assert offset_of(clock) == 0
    write(path, "3600\n", at=1)
    assert offset_of(clock) == 3600
    write(path, "-90.5", at=2)
    assert offset_of(clock) in (-90, -91)
    for number, bad in enumerate(("soon", "", "nan", "1e300", "inf")):
        write(path, bad, at=10 + number)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert offset_of(clock) in (-90, -91)
            assert offset_of(clock) in (-90, -91)
        assert len(caplog.records) == 1
    write(path, "0", at=20)
    assert offset_of(clock) == 0
    path.unlink()
    assert offset_of(clock) == 0


def test_instants_are_whole_milliseconds() -> None:
    assert SystemClock().now().microsecond % 1000 == 0
    assert instant_text(START + timedelta(microseconds=1999)) == "2026-11-20T12:00:00.001Z"


async def test_sleep_lasts_as_long_as_the_clock_says() -> None:
    clock = VirtualClock()
    asleep = start_soon(sleep(clock, 10))

    await clock.advance(9)
    assert not asleep.done()
    await clock.advance(1)
    await asleep
