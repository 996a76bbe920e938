"""State that a later version has written is read whole: a board that goes back to the version before forgets nothing.

A later version may write fields that this one does not know, in any document of the state directory, and files of other
names. It may not give what exists another meaning: that takes a new name.
"""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from player.domain.pairing.access import Access
from player.domain.recovery.failures import Failures
from player.domain.time.clock import KnownTime
from player.runtime.restore import restore
from player.storage.checksummed import add_checksum
from player.storage.store import StateStore
from tests.player.storage.test_state_of_0_1_0 import SERVICE, WRITTEN

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
COUNTS = ("failures", "starts", "trials")
"""Kinds whose keys are subjects, and no fields."""

LATER = {"fromALaterVersion": {"colours": ["red", None, 1.5]}}


def of_a_later_version(document: Any) -> Any:
    """With fields that no version has, at every depth at which documents are read by field."""
    if isinstance(document, dict):
        return {key: of_a_later_version(value) for key, value in document.items()} | LATER
    return document


def rewrite(path: Path) -> None:
    header, _, payload = path.read_bytes().partition(b"\n")
    kind = header.split()[1].decode()
    label, newline, body = payload.partition(b"\n")
    try:
        document = json.loads(label)
    except ValueError:
        return  # No document: the identity.
    if kind in COUNTS:
        document = {subject: of_a_later_version(record) for subject, record in document.items()}
    else:
        document = of_a_later_version(document)
    later = json.dumps(document).encode()
    path.write_bytes(add_checksum(kind, later + newline + body))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """All that a board keeps, as this version writes it."""
    folder = tmp_path / "state"
    shutil.copytree(WRITTEN, folder)
    with StateStore.open(folder) as store:
        stored = store.load(service=SERVICE)
        assert stored.credentials is not None
        restored = restore(stored, store)
        assert restored.known_time is None
        store.credentials.keep_credentials(stored.credentials)
        store.commands.save(stored.commands.began("cmd_1", "reload", since=0.0))
        store.failures.save(Failures().failed("display", AT).trimmed().encoded())
        store.starts.save(Failures().failed("start", AT).trimmed().encoded())
        store.access.save(Access().encoded())
        store.known_time.save(KnownTime(true=AT, boot_id="b", boot_seconds=7.5))
    return folder


def read(folder: Path) -> tuple[object, ...]:
    with StateStore.open(folder) as store:
        stored = store.load(service=SERVICE)
        restored = restore(stored, store)
        assert restored.running is not None
        return (
            store.identity,
            stored.credentials,
            stored.commands,
            stored.known_time,
            stored.rejections,
            stored.manifests.running and stored.manifests.running.anchor,
            restored.running.version,
            restored.running.catalogue.revision,
            restored.staged and restored.staged[0].version,
            *(Failures.read(part.load()) for part in (store.failures, store.starts, store.crash_records)),
            Access.read(store.access.load()),
        )


@pytest.mark.proves("later-version-written")
def test_what_a_later_version_has_written_besides_costs_nothing(state: Path) -> None:
    before = read(state)
    changed = [
        path for path in state.iterdir() if path.is_file() and path.read_bytes().startswith(b"menu-player-state")
    ]
    assert len(changed) >= 9
    for path in changed:
        rewrite(path)
    (state / "a-file-of-a-later-version").write_bytes(b"\x00\x01")
    (state / "a-folder-of-a-later-version").mkdir()
    assert read(state) == before
    assert (state / "a-file-of-a-later-version").exists(), "it is there when that version comes again"
