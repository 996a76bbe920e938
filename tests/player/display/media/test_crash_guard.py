"""The crash guard counts the videos that a player was decoding when it died, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.display.media.crash_guard import MOST_CRASHES, Clearance, CrashLog
from player.domain.recovery.failures import COUNT_FOR, MOST_SUBJECTS
from player.storage.checksummed import add_checksum
from player.storage.state_file import StateFile

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
FILM, OTHER = "a" * 64, "b" * 64


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trials"


def crash_log(path: Path) -> CrashLog:
    """The crash log as a new process has it."""
    return CrashLog(StateFile(path, kind="trials"))


def die_over(path: Path, *videos: str, now: datetime = NOON, times: int = 1) -> None:
    """Processes that die while they decode these."""
    for _ in range(times):
        log = crash_log(path)
        answers = [log.request(decoder, video, now) for decoder, video in enumerate(videos)]
        assert answers == [True] * len(videos)


def requested(path: Path, video: str = FILM, *, now: datetime = NOON) -> Clearance:
    """The answer to the next process."""
    return crash_log(path).request(1, video, now)


def test_a_video_over_which_too_many_players_have_died_is_barred_and_no_other(path: Path) -> None:
    die_over(path, FILM, times=MOST_CRASHES - 1)
    assert requested(path)

    assert requested(path) is False
    assert requested(path, OTHER)


def test_a_request_for_a_barred_video_records_nothing(path: Path) -> None:
    die_over(path, FILM, times=MOST_CRASHES)
    before = path.read_bytes()
    for _ in range(3):
        assert requested(path) is False
    assert path.read_bytes() == before


def test_a_decoder_that_is_closed_counts_as_no_crash(path: Path) -> None:
    for _ in range(MOST_CRASHES + 1):
        log = crash_log(path)
        assert log.request(1, FILM, NOON)
        log.release(1)


def test_a_video_is_on_record_until_its_last_decoder_is_closed(path: Path) -> None:
    for _ in range(MOST_CRASHES):
        log = crash_log(path)
        log.request(1, FILM, NOON)
        log.request(2, FILM, NOON)
        log.release(1)
    assert requested(path) is False


def test_a_harmless_video_has_its_crashes_forgotten(path: Path) -> None:
    die_over(path, FILM, times=MOST_CRASHES - 1)
    log = crash_log(path)
    log.request(1, FILM, NOON)
    log.mark_harmless(FILM)

    die_over(path, FILM, times=MOST_CRASHES - 1)
    assert requested(path)


def test_a_playlist_that_loops_writes_nothing(path: Path) -> None:
    log = crash_log(path)
    log.request(1, FILM, NOON)
    log.mark_harmless(FILM)
    log.release(1)
    before = path.stat()
    for decoder in range(2, 100):
        assert log.request(decoder, FILM, NOON)
        log.mark_harmless(FILM)
        log.release(decoder)
    assert path.stat() == before


def test_videos_that_were_open_together_at_a_crash_are_tried_one_at_a_time(path: Path) -> None:
    die_over(path, FILM, OTHER)

    log = crash_log(path)
    assert log.request(1, FILM, NOON)
    assert log.request(2, OTHER, NOON) is None
    log.release(2)

    # The first one was at fault; the crash does not count for the other.
    log = crash_log(path)
    assert log.request(1, FILM, NOON) is False
    assert log.request(2, OTHER, NOON)
    log.mark_harmless(OTHER)

    assert requested(path, OTHER)


def test_a_suspect_that_proves_harmless_lets_the_other_be_tried(path: Path) -> None:
    die_over(path, FILM, OTHER)
    log = crash_log(path)
    log.request(1, FILM, NOON)
    assert log.request(2, OTHER, NOON) is None
    log.mark_harmless(FILM)
    assert log.request(3, OTHER, NOON)


@pytest.mark.parametrize("later", [COUNT_FOR + timedelta(seconds=1), -timedelta(hours=1)])
def test_crashes_are_forgotten_after_a_day_or_if_the_clock_was_wrong(path: Path, later: timedelta) -> None:
    die_over(path, FILM, times=MOST_CRASHES)
    assert requested(path, now=NOON + COUNT_FOR) is False
    assert requested(path, now=NOON + later)
    assert requested(path, now=NOON + later), "and it counts from one again"
    assert requested(path, now=NOON + later) is False


def test_crashes_are_forgotten_on_demand(path: Path) -> None:
    die_over(path, FILM, times=MOST_CRASHES)
    log = crash_log(path)
    assert log.request(1, FILM, NOON) is False
    log.forgive()
    assert log.request(2, FILM, NOON)

    die_over(path, FILM, times=MOST_CRASHES - 1)
    crash_log(path).forgive()
    assert requested(path)


GARBAGE = {
    "empty": b"",
    "zeros": bytes(4096),
    "torn": add_checksum("trials", b'{"' + FILM.encode() + b'": {')[:-10],
    "another file": add_checksum("identity", b"0" * 32),
    "no object": add_checksum("trials", b"[1, 2]"),
    "no zone": add_checksum("trials", b'{"x": {"begun_at": "2026-11-20T12:00:00", "goes_on": true, "crashes": 9}}'),
    "no crashes": add_checksum("trials", b'{"x": {"begun_at": "2026-11-20T12:00:00Z", "goes_on": true}}'),
    "no text": add_checksum("trials", b'{"\xff\xfe": 1}'),
    "very deep": add_checksum("trials", b'{"x":' + b"[" * 5000),
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_records_that_are_not_whole_count_as_empty(path: Path, garbage: bytes) -> None:
    path.write_bytes(garbage)
    die_over(path, FILM, times=MOST_CRASHES)
    assert requested(path) is False


def test_a_disk_that_refuses_the_records_keeps_no_video_from_playing(tmp_path: Path) -> None:
    log = crash_log(tmp_path / "gone" / "trials")
    assert log.request(1, FILM, NOON)
    log.mark_harmless(FILM)
    log.release(1)


@pytest.mark.goes_beyond("MOST_SUBJECTS")
def test_the_records_stay_small(path: Path) -> None:
    for number in range(MOST_SUBJECTS + 10):
        die_over(path, f"{number:064x}", now=NOON + timedelta(seconds=number))
    assert path.stat().st_size < 16_384
    assert requested(path, f"{MOST_SUBJECTS + 9:064x}", now=NOON + timedelta(minutes=5))
    assert requested(path, f"{MOST_SUBJECTS + 9:064x}", now=NOON + timedelta(minutes=5)) is False
