"""State directories that earlier versions wrote: this version shows what the one that wrote them shows.

`tests/data/state-VERSION` is such a directory, without its assets, and `state-VERSION.json` says what the player of
that version showed from it: seconds since a start whose clock is not known, how far the time is trusted, and the glass.
"""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from player.domain.time.clock import Boot, ClockEstimate, KnownTime, Trust
from player.runtime.restore import restore
from player.storage.checksummed import add_checksum
from player.storage.state_file import StateFile
from player.storage.store import StateStore
from tests.support.board import Board, HandClock

DATA = Path(__file__).parents[2] / "data"
SERVICE = "http://127.0.0.1:8080"
UNSET = datetime(2026, 1, 2, tzinfo=UTC)
KNOWN = datetime(2026, 11, 29, 23, 37, tzinfo=UTC)
BACK = 3220
"""Seconds from the stored time to one at which the espresso can be had again, and the scene of breakfast shows."""
AN_HOUR, FORTY_DAYS = 3600.0, 40 * 86_400.0
FORMATS = {
    "before 0.5.0": b'{"known":"2026-11-29T23:37:00Z"}',
    "without a boot": b'{"known":"2026-11-29T23:37:00Z","bootId":"","bootSeconds":0.0}',
    "since 0.5.0": b'{"known":"2026-11-29T23:37:00Z","bootId":"b","bootSeconds":7.5}',
}
"""The file `clock` of each version."""


@pytest.mark.parametrize("version", ["0.4.0"])
@pytest.mark.parametrize("uptime", [0.0, AN_HOUR, FORTY_DAYS])
def test_a_board_shows_what_the_version_that_wrote_its_state_shows(tmp_path: Path, version: str, uptime: float) -> None:
    state = tmp_path / "state"
    shutil.copytree(DATA / f"state-{version}", state)
    told = json.loads((DATA / f"state-{version}.json").read_text(encoding="utf-8"))
    with StateStore.open(state) as store:
        assert store.identity == told["identity"]
        restored = restore(store.load(service=SERVICE), store, boot=Boot(id="b", seconds=uptime))
        assert restored.rejections == ()
        board = Board(restored, HandClock(UNSET))
        shown, passed = [], 0
        for seconds, _, _ in told["shown"]:
            board.pass_(seconds - passed)
            passed = seconds
            shown.append([seconds, str(board.state.clock.trust), board.glass])
        assert shown == told["shown"], "the espresso is sold out"
        board.pass_(BACK - passed)
        assert "Breakfast: Espresso" in board.glass


def test_all_that_0_5_0_stored_is_read_as_it_read_it(tmp_path: Path) -> None:
    """`state-0.5.0` has a command under way, a turned screen and the time with its boot; `state-0.5.0.json` is what the
    storage of 0.5.0 read from it."""
    state = tmp_path / "state"
    shutil.copytree(DATA / "state-0.5.0", state)
    told = json.loads((DATA / "state-0.5.0.json").read_text(encoding="utf-8"))
    with StateStore.open(state) as store:
        stored = store.load(service=SERVICE)
        found = restore(stored, store)
    assert stored.known_time is not None
    assert found.running is not None
    assert found.running.version is not None
    assert stored.manifests.running is not None
    clock = {}
    for name, boot in (("same", Boot(id="b", seconds=160.0)), ("other", Boot(id="c", seconds=40.0))):
        estimate = ClockEstimate().remembering(stored.known_time, boot, wall=UNSET, monotonic=0.0)
        assert estimate.known is not None
        trust = estimate.with_system_clock(wall=UNSET, monotonic=0.0).state.trust
        clock[name] = [str(trust), estimate.known.true_at(0.0).isoformat()]
    anchor = stored.manifests.running.anchor
    assert told == {
        "identity": store.identity,
        "credentials": msgspec.to_builtins(stored.credentials),
        "last_pairing": msgspec.to_builtins(stored.last_pairing),
        "screen": found.screen_id,
        "newest": {
            "version": found.running.version.key.version,
            "revision": found.running.catalogue.revision,
            "anchor": anchor and anchor.isoformat(),
        },
        "anchor": anchor and anchor.isoformat(),
        "commands": list(stored.commands.come),
        "begun": [one.id for one in stored.commands.begun],
        "display": [stored.display.rotation, stored.display.overscan],
        "rejections": list(found.rejections),
        "clock": clock,
    }


@pytest.mark.parametrize(
    ("written", "boot", "least"),
    [
        ("before 0.5.0", Boot(id="b", seconds=FORTY_DAYS), 0.0),
        ("before 0.5.0", Boot(), 0.0),
        ("without a boot", Boot(id="b", seconds=FORTY_DAYS), 0.0),
        ("since 0.5.0", Boot(id="", seconds=FORTY_DAYS), 0.0),
        ("since 0.5.0", Boot(id="b", seconds=107.5), 100.0),
        ("since 0.5.0", Boot(id="c", seconds=40.0), 40.0),
    ],
)
def test_no_more_time_has_passed_than_the_boots_say(tmp_path: Path, written: str, boot: Boot, least: float) -> None:
    (tmp_path / "clock").write_bytes(add_checksum("clock", FORMATS[written]))
    stored = StateFile[KnownTime](tmp_path / "clock", KnownTime).load()
    assert stored is not None
    estimate = ClockEstimate().remembering(stored, boot, wall=UNSET, monotonic=0.0)
    assert estimate.known is not None
    assert estimate.known.true_at(0.0) == KNOWN + timedelta(seconds=least)
    exact = estimate.with_system_clock(wall=UNSET, monotonic=0.0).state.trust is Trust.CORRECTED
    assert exact is (least == 100.0), "only within one boot"
