"""The reserve: what a full disk refuses is written into room that was taken before."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import pytest

from player.storage import reserve as module
from player.storage.durable import StorageError
from player.storage.manifests import RESERVE_BYTES, ManifestStore, StoredManifest, StoredManifests
from tests.support.menus import NOON


def manifest(name: str) -> dict[str, Any]:
    body = f'{{"name": "{name}"}}'.encode()
    return {"body": body, "etag": sha256(body).hexdigest(), "assets": frozenset[str]()}


@pytest.fixture
def store(tmp_path: Path) -> ManifestStore:
    """Version 1 runs; the room is taken."""
    store = ManifestStore(tmp_path)
    store.load()
    store.settle()
    store.keep_running(**manifest("1"), anchor=NOON)
    return store


@contextmanager
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """New files find no room; files that are there can be overwritten."""

    def refuse(*_: object) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("player.storage.durable.write_all", refuse)
        yield


def names(found: StoredManifests) -> dict[str, str]:
    """The manifest that a start would read."""
    slots: dict[str, StoredManifest | None] = {
        "running": found.running, "staged": found.staged, "previous": found.previous
    }  # fmt: skip
    return {slot: kept.body.decode()[10:-2] for slot, kept in slots.items() if kept is not None}


def started(folder: Path) -> dict[str, str]:
    found, rejections = ManifestStore(folder).load()
    assert rejections == ()
    return names(found)


def test_the_room_is_taken_once_and_for_good(store: ManifestStore, tmp_path: Path) -> None:
    for number in range(2):
        file = tmp_path / f"reserve-{number}"
        assert file.stat().st_size == RESERVE_BYTES
        assert file.stat().st_blocks * 512 >= RESERVE_BYTES, "not a hole"
        assert file.stat().st_mode & 0o077 == 0
    assert started(tmp_path) == {"running": "1"}


def test_the_newest_of_several_refused_writes_counts(
    store: ManifestStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with full(monkeypatch):
        for revision in range(2, 7):
            with pytest.raises(StorageError, match="No space"):
                store.keep_latest(**manifest(f"1.{revision}"))
            assert started(tmp_path) == {"running": f"1.{revision}"}
    store.keep_latest(**manifest("1.7"))
    assert started(tmp_path) == {"running": "1.7", "previous": "1"}


def test_a_version_that_waits_and_one_that_begins(
    store: ManifestStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with full(monkeypatch):
        with suppress(StorageError):
            store.keep_staged(**manifest("2"))
        assert started(tmp_path) == {"running": "1", "staged": "2"}
        store.drop_staged()
        assert started(tmp_path) == {"running": "1"}
        with suppress(StorageError):
            store.keep_running(**manifest("2"), anchor=NOON)
        assert started(tmp_path) == {"running": "2", "previous": "1"}
        with suppress(StorageError):
            store.keep_latest(**manifest("2.2"))
        assert started(tmp_path) == {"running": "2.2", "previous": "1"}
        store.forget()
        assert started(tmp_path) == {}


@pytest.mark.proves("disk-refuses-delete")
def test_a_version_that_waited_before_another_began_is_gone(
    store: ManifestStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk keeps the file of a version that never began; its items are older than those of the one that did."""
    store.keep_staged(**manifest("2"))
    with full(monkeypatch), suppress(StorageError):
        store.keep_running(**manifest("3"), anchor=NOON)
    assert started(tmp_path) == {"running": "3", "previous": "1"}

    def refuse(*_: object) -> NoReturn:
        raise StorageError(code="disk_refused", subject="staged", detail="")

    store.keep_staged(**manifest("4"))
    monkeypatch.setattr("player.storage.manifests.remove_durably", refuse)
    with suppress(StorageError):
        store.keep_running(**manifest("5"), anchor=NOON)
    assert started(tmp_path) == {"running": "5", "previous": "1"}


def test_a_start_with_room_writes_what_was_refused_to_its_place(
    store: ManifestStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with full(monkeypatch), suppress(StorageError):
        store.keep_running(**manifest("2"), anchor=NOON)
    again = ManifestStore(tmp_path)
    again.load()
    with full(monkeypatch), pytest.raises(StorageError):
        again.settle()
    assert started(tmp_path) == {"running": "2", "previous": "1"}
    again.settle()
    assert (tmp_path / "running").read_bytes().endswith(manifest("2")["body"])
    for number in range(2):
        (tmp_path / f"reserve-{number}").unlink()
    assert started(tmp_path) == {"running": "2", "previous": "1"}


def test_what_the_reserve_holds_is_older_than_what_was_written_since(
    store: ManifestStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with full(monkeypatch), suppress(StorageError):
        store.keep_latest(**manifest("1.2"))
    with monkeypatch.context() as patch:
        # A power cut comes between the write and the end of the reserve.
        patch.setattr(module.Reserve, "clear", lambda _: None)
        store.keep_latest(**manifest("1.3"))
    assert started(tmp_path) == {"running": "1.3", "previous": "1"}


@pytest.mark.proves("power-fails-newest")
@pytest.mark.parametrize("kept", [0, 1, 40, 120, 200])
def test_a_torn_write_leaves_the_one_before(
    store: ManifestStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    with full(monkeypatch), suppress(StorageError):
        store.keep_latest(**manifest("1.2"))
    with full(monkeypatch), monkeypatch.context() as patch:
        patch.setattr("player.storage.reserve.write_all", lambda file, raw: file.write(raw[:kept]))
        with suppress(StorageError):
            store.keep_latest(**manifest("1.3"))
    assert started(tmp_path) == {"running": "1.2"}


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\0" * 9000, b"\n" * 300, b"menu-player-state/1 reserve\n",
        b"menu-player-state/1 reserve 99999999999 a\n",
        b"menu-player-state/1 reserve -5 a\n", b"menu-player-state/1 reserve \xb2 a\n", b"\xff" * 300,
        module.add_checksum("reserve", b""), module.add_checksum("reserve", b"[]\n{}"),
        module.add_checksum("manifest", b'{"etag":"e","program":"e","anchor":null,"sequence":9,"slot":"latest"}\n{}'),
    ],
)  # fmt: skip
def test_whatever_stands_in_the_reserve_costs_nothing(store: ManifestStore, tmp_path: Path, content: bytes) -> None:
    for number in range(2):
        (tmp_path / f"reserve-{number}").write_bytes(content)
    again = ManifestStore(tmp_path)
    found, rejections = again.load()
    assert (names(found), rejections) == ({"running": "1"}, ())
    again.settle()
    assert (tmp_path / "reserve-0").stat().st_size == RESERVE_BYTES


def test_a_disk_without_room_for_the_reserve_says_so_and_takes_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ManifestStore(tmp_path)

    def refuse(*_: object) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", refuse)
        with pytest.raises(StorageError, match="No space"):
            store.settle()
        store.keep_running(**manifest("1"), anchor=NOON)
        with full(monkeypatch), pytest.raises(StorageError):
            store.keep_latest(**manifest("1.2"))
    assert started(tmp_path) == {"running": "1"}
    store.settle()
    with full(monkeypatch), pytest.raises(StorageError):
        store.keep_latest(**manifest("1.3"))
    assert started(tmp_path) == {"running": "1.3"}
