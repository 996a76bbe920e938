"""One file counts all failures; its owners do not disturb each other, and garbage counts as nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.domain.recovery import fallback
from player.domain.recovery.failures import Failures
from player.storage.checksummed import add_checksum
from player.storage.failures import FailureFile

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
VIDEOS = [f"{number:064x}" for number in range(50)]


def test_owners_that_write_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    file = FailureFile(tmp_path)
    videos, starts = file.part(fallback.is_video), file.part(fallback.is_start)
    known = Failures()

    def count_videos() -> None:
        nonlocal known
        for video in VIDEOS:
            known = known.failed(video, NOON)
            videos.save(known.encoded())

    def count_starts() -> None:
        for number in range(50):
            starts.save(Failures().failed(fallback.START, NOON, times=number + 1).encoded())

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(count_videos), threads.submit(count_starts)]:
            done.result()
    again = FailureFile(tmp_path)
    assert sorted(Failures.read(again.part(fallback.is_video).load()).records) == VIDEOS
    assert Failures.read(again.part(fallback.is_start).load()).of(fallback.START, NOON) == 50


@pytest.mark.parametrize("payload", [b"", b"[1]", b'{"a": tru}', b'{"\xff": 1}', b'{"x":' + b"[" * 5000])
def test_garbage_counts_as_nothing_and_is_replaced(tmp_path: Path, payload: bytes) -> None:
    (tmp_path / "failures").write_bytes(add_checksum("failures", payload))
    starts = FailureFile(tmp_path).part(fallback.is_start)
    assert starts.load() is None
    starts.save(Failures().failed(fallback.START, NOON).encoded())
    assert Failures.read(FailureFile(tmp_path).part(fallback.is_start).load()).of(fallback.START, NOON) == 1
