"""A state directory that version 0.1.0 wrote is read whole by this one: a device that is upgraded forgets nothing."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

from player.display.media.crash_guard import CrashLog
from player.domain.pairing.pairing import Credentials
from player.domain.recovery.failures import Failures
from player.runtime.restore import restore
from player.storage.state_file import StateFile
from player.storage.store import StateStore

WRITTEN = Path(__file__).parents[2] / "data" / "state-0.1.0"
SERVICE = "https://menu.example.com"
VIDEO = "a" * 64
BEGUN_AT = datetime(2026, 11, 20, 8, tzinfo=UTC)


def test_everything_is_there_after_an_upgrade(tmp_path: Path) -> None:
    state = tmp_path / "state"
    shutil.copytree(WRITTEN, state)
    with StateStore.open(state) as store:
        assert store.identity == "75b6f9adf9ab10d112a5c517b27b5f7c"
        stored = store.load(service=SERVICE)
        assert stored.credentials == Credentials(service=SERVICE, token="tok_1", screen_id="scr_1")
        restored = restore(stored, store)

    assert stored.rejections == ()
    assert restored.running is not None
    assert stored.manifests.running is not None
    assert stored.manifests.running.anchor == BEGUN_AT
    assert restored.running.catalogue.revision == 3, "it had a file of its own for the newest items"
    assert restored.staged is not None


def test_a_video_that_was_being_decoded_is_remembered(tmp_path: Path) -> None:
    state = tmp_path / "state"
    shutil.copytree(WRITTEN, state)
    with StateStore.open(state) as store:
        log = CrashLog(store.crash_records)
        assert log.request(1, VIDEO, BEGUN_AT), "one crash bars nothing"
    with StateStore.open(state) as store:
        log = CrashLog(store.crash_records)
        assert not log.request(1, VIDEO, BEGUN_AT), "the crash before the upgrade counts"


def test_the_counts_of_players_with_a_file_for_each_owner_are_one_file_from_then_on(tmp_path: Path) -> None:
    for name, subject in (("failures", "display"), ("starts", "start"), ("trials", VIDEO)):
        StateFile(tmp_path / name, kind=name).save(Failures().failed(subject, BEGUN_AT).encoded())
    for _ in range(2):
        with StateStore.open(tmp_path) as store:
            found = [Failures.read(part.load()) for part in (store.failures, store.starts, store.crash_records)]
            assert [list(part.records) for part in found] == [["display"], ["start"], [VIDEO]]
            store.starts.save(found[1].encoded())
    assert not (tmp_path / "starts").exists()
    assert not (tmp_path / "trials").exists()
