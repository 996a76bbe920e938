"""Two threads, or two processes, at the same moment."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import closing
from hashlib import sha256
from io import FileIO
from pathlib import Path

import pytest

from player.storage import assets, memory
from player.storage.assets import AssetFolder
from tests.support.patience import PATIENCE_SECONDS

ONE, OTHER = b"picture " * 100, b"painting " * 100


def name(content: bytes) -> str:
    return sha256(content).hexdigest()


def put(store: AssetFolder, content: bytes) -> None:
    with closing(store.open_writer(name(content), len(content))) as writer:
        writer.write(content)
        assert writer.finish() is None


def test_two_downloads_find_at_the_same_moment_that_the_disk_has_become_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, ram = tmp_path / "disk", tmp_path / "ram"
    disk.mkdir()
    ram.mkdir()
    store = AssetFolder(disk, protected=frozenset, memory=lambda: ram)
    mkdir, others = Path.mkdir, [OTHER]

    def refuse(path: Path, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        if path.is_relative_to(disk):
            if others:
                put(store, others.pop())  # The other thread is refused, too, and is the first to go on in memory.
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        mkdir(path, mode, parents, exist_ok)

    monkeypatch.setattr(Path, "mkdir", refuse)
    put(store, ONE)
    assert [store.check(name(each)) for each in (ONE, OTHER)] == [len(ONE), len(OTHER)]


def test_a_download_begins_just_as_another_finds_that_the_disk_has_become_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, ram = tmp_path / "disk", tmp_path / "ram"
    disk.mkdir()
    ram.mkdir()
    store = AssetFolder(disk, protected=frozenset, memory=lambda: ram)
    (disk / name(ONE)[:2]).mkdir()
    path_of = assets.asset_path

    def path(folder: Path, digest: str) -> Path:
        monkeypatch.undo()
        found = path_of(folder, digest)
        store.go_on_in(ram)  # The other thread.
        return found

    monkeypatch.setattr(assets, "asset_path", path)
    put(store, ONE)
    assert store.check(name(ONE)) == len(ONE)


def test_a_file_that_the_display_finds_damaged_is_read_again_though_it_is_just_being_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = AssetFolder(tmp_path, protected=frozenset)
    put(store, ONE)
    assert store.check(name(ONE)) == len(ONE)
    path = store.path(name(ONE))
    was = path.stat()
    path.write_bytes(OTHER[: len(ONE)])
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))  # A worn card tells nobody.
    stamp = assets._stamp

    def look(found: os.stat_result) -> tuple[int, int, int]:
        monkeypatch.undo()
        store.recheck(name(ONE))  # The event loop's thread: the display could not draw it.
        return stamp(found)

    monkeypatch.setattr(assets, "_stamp", look)
    store.check(name(ONE))
    assert store.check(name(ONE)) is None, "it is damaged, and was to be read again"


def test_memory_that_another_player_is_just_claiming_is_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = tmp_path / "ram", tmp_path / "more"
    for place in places:
        place.mkdir()
    lock_folder, rmtree = memory.lock_folder, memory.shutil.rmtree
    deleting, claimed = threading.Event(), threading.Event()
    other = threading.Thread(target=memory._delete_abandoned, args=places[:1])

    def delete(path: Path, ignore_errors: bool = False) -> None:
        if threading.current_thread() is other:
            deleting.set()
            assert claimed.wait(PATIENCE_SECONDS)
        rmtree(path, ignore_errors=ignore_errors)

    def lock(folder: Path) -> FileIO:
        if memory.lock_folder is lock:
            monkeypatch.setattr(memory, "lock_folder", lock_folder)
            (folder / "lock").touch()  # Made, and not locked yet, when the other player looks.
            other.start()
            assert deleting.wait(PATIENCE_SECONDS)
        return lock_folder(folder)

    monkeypatch.setattr(memory.shutil, "rmtree", delete)
    monkeypatch.setattr(memory, "lock_folder", lock)
    found = memory.claim_memory(places)
    claimed.set()
    other.join()
    assert found is not None
    with found[1]:
        assert (found[0] / "assets").is_dir()
