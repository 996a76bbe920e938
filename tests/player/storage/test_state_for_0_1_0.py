"""The player of 0.1.0 itself reads what this version has written, goes on with it, and gives it back: a board that goes
back to the version before shows its menu and stays paired, and so it does when the update comes again.

Its code is data here, as it was when `tests/data/state-0.1.0` was written, because tags and history are not in every
checkout: `player/__init__.py`, `player/storage` and `player/domain` of commit 67396f3, by `git archive --format=zip`. A
later release adds its own beside it.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from player.display.media.crash_guard import CrashLog
from player.domain.commands import Commands
from player.domain.pairing.access import Access
from player.domain.pairing.pairing import Credentials, LastPairing
from player.domain.panel.panel import PowerRule, ScreenDisplay
from player.domain.recovery.failures import Failures
from player.domain.time.clock import KnownTime
from player.runtime.restore import restore
from player.storage.checksummed import add_checksum
from player.storage.store import StateStore

DATA = Path(__file__).parents[2] / "data"
READER = Path(__file__).parents[2] / "support" / "read_state_of_0_1_0.py"
SERVICE = "https://menu.example.com"
PAIRED = Credentials(service=SERVICE, token="tok_1", screen_id="scr_1", workspace_id="wsp_1")
AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
LATER = datetime(2026, 11, 20, 13, tzinfo=UTC)
VIDEO = "a" * 64
PICTURE = b"a picture"
DIGEST = hashlib.sha256(PICTURE).hexdigest()


def body(*, version: int, revision: int) -> bytes:
    """A manifest as today's service composes it."""
    document = json.loads((DATA / "manifest.json").read_text())
    document["revision"] = revision
    document["playlist"]["version"] = version
    document["location"]["openingHours"] = [{"start": "08:00", "end": "20:00"}]
    document["assets"][DIGEST] = {"size": len(PICTURE), "mediaType": "image/png"}
    return json.dumps(document).encode()


def etag(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def keep(store: StateStore, slot: str, text: bytes, **more: Any) -> None:
    getattr(store.manifests, f"keep_{slot}")(body=text, etag=etag(text), assets=frozenset({DIGEST}), **more)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """All that a board keeps after a while."""
    folder = tmp_path / "state"
    with StateStore.open(folder) as store:
        store.load(service=SERVICE)
        store.manifests.settle()
        store.credentials.keep_credentials(PAIRED)
        store.last_pairing.save(LastPairing.of(PAIRED))
        store.commands.save(Commands().began("cmd_1", "reload", since=0.0))
        store.failures.save(Failures().failed("display", AT).trimmed().encoded())
        store.starts.save(Failures().failed("start", AT).trimmed().encoded())
        store.access.save(Access().encoded())
        store.screen.save(ScreenDisplay(name="Counter", rotation=90, overscan=2.5, power=PowerRule.ALWAYS))
        store.known_time.save(KnownTime(true=AT, boot_id="b", boot_seconds=7.5))
        CrashLog(store.crash_records).request(1, VIDEO, AT)
        writer = store.assets.open_writer(DIGEST, len(PICTURE))
        writer.write(PICTURE)
        assert writer.finish() is None
        writer.close()
        keep(store, "running", body(version=1, revision=1), anchor=AT)
        keep(store, "running", body(version=2, revision=2), anchor=AT)
        keep(store, "latest", body(version=2, revision=3))
        keep(store, "staged", body(version=3, revision=4))
    return folder


def old_player_reads(folder: Path) -> dict[str, Any]:
    """Opens a directory with the player of 0.1.0; it then begins to play what waits there."""
    command = [sys.executable, "-IB", str(READER), str(DATA / "player-0.1.0.zip"), str(folder), SERVICE, VIDEO]
    done = subprocess.run([*command, LATER.isoformat()], check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_it_knows_its_screen_and_every_version_and_asset(state: Path) -> None:
    with StateStore.open(state) as store:
        identity = store.identity
    told = old_player_reads(state)
    assert (told["identity"], told["token"], told["screen"]) == (identity, "tok_1", "scr_1")
    assert told["rejections"] == []
    found = {slot: told[slot] for slot in ("running", "staged", "previous")}
    anchors = {slot: each.pop("anchor") for slot, each in found.items()}
    assert anchors == {"running": AT.isoformat(), "staged": None, "previous": AT.isoformat()}
    for slot, (version, revision) in {
        "running": (2, 3),
        "staged": (3, 4),
        "previous": (1, 1),
    }.items():
        assert (found[slot]["version"], found[slot]["revision"]) == (version, revision)
        assert found[slot]["items"] == 5
        assert set(found[slot]["rejected"]) <= {"widget_unknown"}, "no more is lost than widgets that are newer"
        assert DIGEST not in found[slot]["missing"]
        assert len(found[slot]["missing"]) == 3, "those that are not on the disk"
    assert told["video"] == "PLAY", "one crash bars nothing"


def test_this_version_goes_on_with_what_it_has_written_since(state: Path) -> None:
    with StateStore.open(state) as store:
        identity = store.identity
    old_player_reads(state)
    with StateStore.open(state) as store:
        assert store.identity == identity
        stored = store.load(service=SERVICE)
        assert stored.credentials is not None
        assert (stored.credentials.service, stored.forgotten) == (SERVICE, False)
        assert isinstance(stored.credentials, Credentials)
        assert stored.credentials.token == "tok_1"
        assert stored.rejections == ()
        restored = restore(stored, store)
        assert restored.running is not None
        assert restored.running.version is not None
        assert (restored.running.version.key.version, stored.manifests.running and stored.manifests.running.anchor) == (
            3,
            LATER,
        )
        assert restored.staged is None
        assert restored.rejections == ()
        assert DIGEST not in restored.missing


@pytest.mark.parametrize("file", ["running", "credentials"])
def test_a_format_that_it_does_not_know_is_noticed(state: Path, file: str) -> None:
    """The tests above fail for a version that writes other names."""
    path = state / file
    header, _, payload = path.read_bytes().partition(b"\n")
    renamed = payload.replace(b'"program"', b'"playlist"').replace(b'"screen"', b'"device"')
    assert renamed != payload
    path.write_bytes(add_checksum(header.split()[1].decode(), renamed))
    assert ["state_corrupt", file] in old_player_reads(state)["rejections"]
