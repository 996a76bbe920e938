"""The note of videos on trial: what a player that died has left in it is counted, and nothing else."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.domain.trials import CRASHES_COUNT_FOR, MOST_CRASHES, Verdict
from player.storage.checksummed import add_checksum
from player.storage.store import StateStore
from player.storage.trials import MOST_VIDEOS, TrialNote

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
FILM, OTHER = "a" * 64, "b" * 64


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trials"


def die_over(path: Path, *videos: str, now: datetime = NOON, times: int = 1) -> None:
    """Processes that end without a word while they decode these."""
    for _ in range(times):
        note = TrialNote(path)
        assert [note.begin(decoder, video, now) for decoder, video in enumerate(videos)] == [Verdict.PLAY] * len(videos)


def asked(path: Path, video: str = FILM, *, now: datetime = NOON) -> Verdict:
    """What the next process hears."""
    return TrialNote(path).begin(1, video, now)


def test_a_video_over_which_too_many_players_have_died_is_banned_and_no_other(path: Path) -> None:
    die_over(path, FILM, times=MOST_CRASHES - 1)
    assert asked(path) is Verdict.PLAY

    assert asked(path) is Verdict.BANNED
    assert asked(path, OTHER) is Verdict.PLAY


def test_asking_about_a_banned_video_counts_for_nothing(path: Path) -> None:
    die_over(path, FILM, times=MOST_CRASHES)
    before = path.read_bytes()
    for _ in range(3):
        assert asked(path) is Verdict.BANNED
    assert path.read_bytes() == before


def test_a_decoder_that_is_closed_in_order_leaves_nothing_behind(path: Path) -> None:
    for _ in range(MOST_CRASHES + 1):
        note = TrialNote(path)
        assert note.begin(1, FILM, NOON) is Verdict.PLAY
        note.end(1)


def test_a_video_is_on_trial_until_its_last_decoder_is_closed(path: Path) -> None:
    for _ in range(MOST_CRASHES):
        note = TrialNote(path)
        note.begin(1, FILM, NOON)
        note.begin(2, FILM, NOON)
        note.end(1)
    assert asked(path) is Verdict.BANNED


def test_a_video_that_has_proved_itself_is_as_good_as_new(path: Path) -> None:
    die_over(path, FILM, times=MOST_CRASHES - 1)
    note = TrialNote(path)
    note.begin(1, FILM, NOON)
    note.prove(FILM)

    die_over(path, FILM, times=MOST_CRASHES - 1)
    assert asked(path) is Verdict.PLAY


def test_a_board_that_loops_writes_nothing(path: Path) -> None:
    note = TrialNote(path)
    note.begin(1, FILM, NOON)
    note.prove(FILM)
    note.end(1)
    before = path.stat()
    for decoder in range(2, 100):
        assert note.begin(decoder, FILM, NOON) is Verdict.PLAY
        note.prove(FILM)
        note.end(decoder)
    assert path.stat() == before


def test_of_videos_that_were_on_trial_together_each_is_tried_alone(path: Path) -> None:
    die_over(path, FILM, OTHER)

    note = TrialNote(path)
    assert note.begin(1, FILM, NOON) is Verdict.PLAY
    assert note.begin(2, OTHER, NOON) is Verdict.WAIT
    note.end(2)

    # It was the first one's fault, and the other is not held to account for it.
    note = TrialNote(path)
    assert note.begin(1, FILM, NOON) is Verdict.BANNED
    assert note.begin(2, OTHER, NOON) is Verdict.PLAY
    note.prove(OTHER)

    assert asked(path, OTHER) is Verdict.PLAY


def test_one_that_has_proved_itself_lets_the_other_be_tried(path: Path) -> None:
    die_over(path, FILM, OTHER)
    note = TrialNote(path)
    note.begin(1, FILM, NOON)
    assert note.begin(2, OTHER, NOON) is Verdict.WAIT
    note.prove(FILM)
    assert note.begin(3, OTHER, NOON) is Verdict.PLAY


@pytest.mark.parametrize("later", [CRASHES_COUNT_FOR + timedelta(seconds=1), -timedelta(hours=1)])
def test_crashes_are_forgotten_after_a_day_or_if_the_clock_was_wrong(path: Path, later: timedelta) -> None:
    die_over(path, FILM, times=MOST_CRASHES)
    assert asked(path, now=NOON + CRASHES_COUNT_FOR) is Verdict.BANNED
    assert asked(path, now=NOON + later) is Verdict.PLAY
    assert asked(path, now=NOON + later) is Verdict.PLAY, "and it counts from one again"
    assert asked(path, now=NOON + later) is Verdict.BANNED


def test_somebody_may_ask_for_another_try(path: Path) -> None:
    die_over(path, FILM, times=MOST_CRASHES)
    note = TrialNote(path)
    assert note.begin(1, FILM, NOON) is Verdict.BANNED
    note.forgive()
    assert note.begin(2, FILM, NOON) is Verdict.PLAY

    die_over(path, FILM, times=MOST_CRASHES - 1)
    TrialNote(path).forgive()
    assert asked(path) is Verdict.PLAY


GARBAGE = {
    "empty": b"",
    "zeros": bytes(4096),
    "torn": add_checksum("trials", b'{"' + FILM.encode() + b'": {')[:-10],
    "another file": add_checksum("identity", b"0" * 32),
    "no object": add_checksum("trials", b"[1, 2]"),
    "no zone": add_checksum("trials", b'{"x": {"begun_at": "2026-11-20T12:00:00", "goes_on": true, "crashes": 9}}'),
    "no crashes": add_checksum("trials", b'{"x": {"begun_at": "2026-11-20T12:00:00Z", "goes_on": true}}'),
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_a_note_that_is_not_whole_counts_as_empty(path: Path, garbage: bytes) -> None:
    path.write_bytes(garbage)
    die_over(path, FILM, times=MOST_CRASHES)
    assert asked(path) is Verdict.BANNED


def test_a_disk_that_refuses_the_note_keeps_no_video_from_playing(tmp_path: Path) -> None:
    note = TrialNote(tmp_path / "gone" / "trials")
    assert note.begin(1, FILM, NOON) is Verdict.PLAY
    note.prove(FILM)
    note.end(1)


def test_the_note_stays_small(path: Path) -> None:
    for number in range(MOST_VIDEOS + 10):
        die_over(path, f"{number:064x}", now=NOON + timedelta(seconds=number))
    assert path.stat().st_size < 16_384
    assert asked(path, f"{MOST_VIDEOS + 9:064x}", now=NOON + timedelta(minutes=5)) is Verdict.PLAY
    assert asked(path, f"{MOST_VIDEOS + 9:064x}", now=NOON + timedelta(minutes=5)) is Verdict.BANNED


def test_the_note_lies_in_the_state_directory_for_the_owner_only(tmp_path: Path) -> None:
    with StateStore.open(tmp_path / "state") as store:
        store.trials.begin(1, FILM, NOON)
    assert stat.S_IMODE((tmp_path / "state" / "trials").stat().st_mode) == 0o600
