"""A file whose loss does no harm: whole or counted as absent, readable by its owner only."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.domain.commands import Commands, Outcome
from player.domain.time.clock import KnownTime
from player.storage.checksummed import add_checksum
from player.storage.durable import StorageError
from player.storage.state_file import StateFile
from player.storage.store import StateStore

GARBAGE = {
    "empty": b"",
    "zeros": bytes(4096),
    "torn": add_checksum("note", b"content")[:-3],
    "another kind": add_checksum("identity", b"content"),
}


def test_it_holds_what_was_saved_last(tmp_path: Path) -> None:
    file = StateFile(tmp_path / "note", kind="note")
    assert file.load() is None
    file.save(b"first")
    file.save(b"second")
    assert StateFile(tmp_path / "note", kind="note").load() == b"second"


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_a_file_that_is_not_whole_counts_as_absent(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "note").write_bytes(garbage)
    assert StateFile(tmp_path / "note", kind="note").load() is None


def test_a_disk_that_refuses_raises(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        StateFile(tmp_path / "gone" / "note", kind="note").save(b"content")


def test_the_crash_records_lie_in_the_state_directory_for_the_owner_only(tmp_path: Path) -> None:
    with StateStore.open(tmp_path / "state") as store:
        store.crash_records.save(b"{}")
    assert stat.S_IMODE((tmp_path / "state" / "failures").stat().st_mode) == 0o600


def test_what_is_known_of_commands_survives_a_restart_also_as_players_of_0_1_0_stored_it(tmp_path: Path) -> None:
    def stored() -> Commands:
        return store.load(service="https://menu.example").commands

    with StateStore.open(tmp_path) as store:
        assert stored() == Commands()
        StateFile(tmp_path / "commands", kind="commands").save(b'["c1","c2"]')
        assert stored() == Commands(come=("c1", "c2"))
        known = Commands(come=("c1",)).began("c2", "restart", since=5.0).began("c3", "identify", since=6.0)
        known = known.ended(
            lambda one: one.id == "c3", Outcome.FAILED, "No.", at=datetime(2026, 11, 20, 12, tzinfo=UTC)
        )
        store.commands.save(known)
        assert stored() == known
        StateFile(tmp_path / "commands", kind="commands").save(b'{"come": 7}')
        assert stored() == Commands()


def test_the_last_known_time_survives_a_restart_and_its_loss_does_no_harm(tmp_path: Path) -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    file = StateFile[KnownTime](tmp_path / "clock", KnownTime)
    assert file.load() is None
    known = KnownTime(true=noon, boot_id="b", boot_seconds=7.5, before=noon - timedelta(days=1))
    file.save(known)
    assert StateFile[KnownTime](tmp_path / "clock", KnownTime).load() == known
    StateFile(tmp_path / "clock", kind="clock").save(b'{"known": "2026-11-20T12:00:00Z"}')
    assert file.load() == KnownTime(true=noon), "as earlier versions wrote it"
    for content in (
        b'{"known": "2026-11-20T12:00:00"}',
        b'{"known": 3}',
        b'{"known": "2026-11-20T12:00:00Z", "bootSeconds": "x"}',
        b"[]",
        b"\xff",
    ):
        StateFile(tmp_path / "clock", kind="clock").save(content)
        assert file.load() is None
    (tmp_path / "clock").write_bytes(b"torn")
    assert file.load() is None
