"""Measures what a day writes to a board's card: 200 items sold out or back, 3 versions with a new picture each.

As a script it prints its figures. As root it measures on an ext4 file system of its own, where the kernel counts what
reaches the medium, journal and metadata included; otherwise only what the player hands to the disk.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from player.domain import actions as act
from player.domain import events as ev
from player.domain.pairing.pairing import Credentials
from player.domain.state import Device
from player.runtime.conductor import Conductor
from player.runtime.restore import restore
from player.storage import durable
from player.storage.store import StateStore
from player.storage.writer import write_now
from tests.support.menus import NOON, HandClock, item, manifest, menu_scene

CHANGES, VERSIONS, ITEMS, SCENES = 200, 3, 100, 5
PICTURE_BYTES = 300_000
DAY_SECONDS = 24 * 3600
CARD_BYTES = 512 * 1024**2
SERVICE = "https://menus.example.com"
SECTOR_BYTES = 512
MEBIBYTE = 1024**2


def measure() -> dict[str, float]:
    """MiB and counts of one day; the pictures are counted, the first start is not."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="menu-wear-")))
        device = stack.enter_context(card(place)) if os.geteuid() == 0 else None
        counts = stack.enter_context(_counting())
        body = _day(place / "card" if device else place / "state", counts, before=lambda: written(device))
        os.sync()
        figures = {
            "manifest, KiB": body / 1024,
            "handed to the disk, MiB": counts["bytes"] / MEBIBYTE,
            "syncs": counts["syncs"],
        }
        if device:
            figures["written to the card, MiB"] = (written(device) - counts["before"]) / MEBIBYTE
    return figures


def _day(folder: Path, counts: dict[str, float], *, before: Any) -> int:
    clock = HandClock()
    with StateStore.open(folder, memory=[]) as store:
        store.credentials.keep_credentials(Credentials(service=SERVICE, token="t" * 43, screen_id="scr_1"))
        conductor = Conductor(
            device=Device(device_id="d" * 32, boot_id="b", app_version="0", service=SERVICE, started_at=NOON),
            clock=clock,
            restored=restore(store.load(service=SERVICE), store),
            issue=lambda action: _store(store, action),
            publish=lambda _: None,
        )
        conductor.begin()
        _publish(conductor, store, clock, version=1, revision=1, sold_out=frozenset())
        os.sync()
        counts.update(bytes=0, syncs=0, before=before())
        size = 0
        for change in range(CHANGES):
            version = 2 + change * VERSIONS // CHANGES
            size = _publish(
                conductor, store, clock, version=version, revision=2 + change, sold_out=frozenset(range(change % 7))
            )
            # Minutes pass between two changes: nothing of them is written together.
            os.sync()
            clock.pass_(DAY_SECONDS / CHANGES)
            conductor.handle(ev.TimePassed())
        return size


def _publish(
    conductor: Conductor, store: StateStore, clock: HandClock, *, version: int, revision: int, sold_out: frozenset[int]
) -> int:
    picture = bytes([version]) * PICTURE_BYTES
    digest = sha256(picture).hexdigest()
    items = [
        {
            **item(f"Grilled aubergine {number} with rice", 4 + number / 10, category=f"Category {number % SCENES}"),
            "description": "With market vegetables, herbs and our own dressing",
            "eightySixed": number in sold_out,
        }
        for number in range(ITEMS)
    ]
    found, body = manifest(
        version=version,
        scenes=[menu_scene(f"scene {number}", f"Category {number}") for number in range(SCENES)],
        items=items,
        revision=revision,
        revision_at=clock.wall(),
    )
    conductor.handle(ev.ManifestArrived(manifest=found, body=body))
    if store.assets.check(digest) is None:
        with closing(store.assets.open_writer(digest, len(picture))) as writer:
            writer.write(picture)
            assert writer.finish() is None
    assert found.version is not None
    conductor.handle(ev.AssetsVerified(key=found.version.key))
    return len(body)


def _store(store: StateStore, action: act.Action) -> None:
    if isinstance(action, act.DiskWrite):
        write_now(store, action)


@contextmanager
def _counting() -> Iterator[dict[str, float]]:
    counts: dict[str, float] = {"bytes": 0, "syncs": 0}
    real_fsync = os.fsync

    class CountedFile(FileIO):
        def write(self, data: Any) -> int:
            written = super().write(data)
            counts["bytes"] += written
            return written

    def fsync(descriptor: int) -> None:
        counts["syncs"] += 1
        real_fsync(descriptor)

    with patch.object(os, "fsync", fsync), patch.object(durable, "FileIO", CountedFile):
        yield counts


@contextmanager
def card(place: Path) -> Iterator[str]:
    """An ext4 file system on a device of its own, mounted at `card`; the device's name."""
    image, mounted = place / "image", place / "card"
    image.touch()
    os.truncate(image, CARD_BYTES)
    mounted.mkdir()
    _run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(image))
    device = _run("losetup", "--find", "--show", str(image)).strip()
    try:
        _run("mount", "-o", "noatime", device, str(mounted))
        try:
            yield Path(device).name
        finally:
            _run("umount", str(mounted))
    finally:
        _run("losetup", "--detach", device)


def written(device: str | None) -> int:
    if device is None:
        return 0
    return int(Path(f"/sys/block/{device}/stat").read_text(encoding="ascii").split()[6]) * SECTOR_BYTES


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    for what, value in measure().items():
        sys.stdout.write(f"{what:<28}{value:>10.1f}\n")
