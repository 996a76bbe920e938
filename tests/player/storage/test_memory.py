"""Where nothing can be written the board starts on what can be read, and keeps what is new in memory."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from menu.documents.manifest import AssetFact
from player.domain.pairing.hardware import Hardware
from player.storage import assets, durable, memory
from player.storage.durable import StorageError
from player.storage.store import StateStore
from tests.player.storage.test_power_cut import IMAGE, SCREEN, SERVICE, arrive, body, manifest, prepared
from tests.support.obstacles import OBSTACLES, obstruct, unprivileged

OLD = b"picture " * 100
NEW = b"painting " * 100
STAND_IN = "5" * 32


def name(content: bytes) -> str:
    return sha256(content).hexdigest()


@pytest.fixture
def state(place: Path) -> Path:
    """The disk of a paired screen, with one asset."""
    folder = place / "state"
    with unprivileged():
        prepared(folder)
        with StateStore.open(folder) as store:
            arrive(store.assets)
    return folder


@pytest.fixture
def ram(place: Path) -> Path:
    folder = place / "ram"
    with unprivileged():
        folder.mkdir()
    return folder


def tree(folder: Path) -> dict[str, object]:
    """Everything in a folder, with content and time of change."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for path in [folder, *sorted(folder.rglob("*"))]
    }


@contextmanager
def closed_to_writing(folder: Path) -> Iterator[None]:
    """Permissions are what a plain machine has to take writing away with; they bind once privileges are dropped."""
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    with unprivileged():
        for each in folders:
            each.chmod(0o500)
        try:
            yield
        finally:
            for each in folders:
                each.chmod(0o700)


def opened(folder: Path, ram: Path) -> StateStore:
    return StateStore.open(folder, memory=[ram], stand_in=lambda: STAND_IN)


def test_the_board_starts_on_what_can_be_read_and_writes_nothing_there(state: Path, ram: Path) -> None:
    before, identity = tree(state), (state / "identity").read_bytes().partition(b"\n")[2].decode()
    with closed_to_writing(state):
        with opened(state, ram) as store:
            assert store.identity == identity
            stored = store.load(service=SERVICE)
            assert stored.credentials == SCREEN
            assert stored.manifests.running is not None
            assert stored.manifests.running.body == body("two, dearer")
            (told,) = stored.rejections
            assert (told.code, told.subject) == ("state_in_memory", str(state))
            assert "Permission denied" in told.detail
            assert store.assets.missing({name(IMAGE): AssetFact(size=len(IMAGE), media_type="image/png")}) == {}
            assert store.assets.path(name(IMAGE)).read_bytes() == IMAGE
            store.manifests.keep_latest(**manifest("two, cheaper"))
            store.crash_records.save(b"{}")
            again = store.load(service=SERVICE).manifests.running
            assert again is not None
            assert again.body == body("two, cheaper")
        assert list(ram.iterdir()) == [], "the memory is given back"
    changed = {path for path, what in tree(state).items() if what != before.get(path)}
    assert changed <= {"lock"}
    with unprivileged(), opened(state, ram) as store:
        assert store.load(service=SERVICE).rejections == (), "a disk that can be written again is used again"


def test_a_copy_on_such_a_disk_is_a_device_of_its_own_too(state: Path, ram: Path) -> None:
    with unprivileged(), StateStore.open(state, hardware=Hardware(board="10000000a1b2c3d4")) as store:
        identity = store.identity
    with closed_to_writing(state):
        for _ in range(2):
            other = Hardware(board="10000000e5f60718")
            with StateStore.open(state, memory=[ram], stand_in=lambda: STAND_IN, hardware=other) as store:
                assert store.from_another_device
                assert store.identity == STAND_IN != identity
                stored = store.load(service=SERVICE)
                assert stored.credentials is None
                assert stored.manifests.running is not None


def test_new_assets_lie_in_memory_within_their_bound(state: Path, ram: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "MOST_BYTES_IN_MEMORY", 2 * len(NEW))
    with closed_to_writing(state), opened(state, ram) as store:
        assert store.assets.room_bytes() == 2 * len(NEW)
        with closing(store.assets.open_writer(name(NEW), len(NEW))) as writer:
            writer.write(NEW)
            assert writer.finish() is None
        assert store.assets.check(name(NEW)) == len(NEW)
        assert store.assets.path(name(NEW)).is_relative_to(ram)
        assert store.assets.room_bytes() == len(NEW)
        assert store.assets.held() == {name(NEW): len(NEW)}, "what lies on the disk can make no room"
        store.assets.remove(name(IMAGE))
        assert store.assets.check(name(IMAGE)) == len(IMAGE)
        store.assets.remove(name(NEW))
        assert store.assets.check(name(NEW)) is None
        assert store.assets.room_bytes() == 2 * len(NEW)


def test_an_asset_that_has_rotted_on_such_a_disk_is_replaced_in_memory(state: Path, ram: Path) -> None:
    with unprivileged():
        path = next(state.glob(f"assets/??/{name(IMAGE)}"))
        path.write_bytes(IMAGE[:-1] + b"?")
    with closed_to_writing(state), opened(state, ram) as store:
        assert store.assets.check(name(IMAGE)) is None
        arrive(store.assets)
        assert store.assets.check(name(IMAGE)) == len(IMAGE)
        assert store.assets.path(name(IMAGE)).read_bytes() == IMAGE


@pytest.mark.proves("something-stands-place")
@pytest.mark.parametrize("obstacle", OBSTACLES)
@pytest.mark.parametrize("file", ["lock", "identity", "credentials", "running", "failures"])
def test_what_stands_in_a_files_place_on_such_a_disk_ends_nothing(
    state: Path, ram: Path, file: str, obstacle: str
) -> None:
    with unprivileged():
        if obstacle == "a file with an input/output error" and os.geteuid():
            obstacle = "a directory"  # Another process's memory may not even be opened.
        obstruct(state / file, obstacle)
    with closed_to_writing(state), opened(state, ram) as store:
        stored = store.load(service=SERVICE)
        assert stored.credentials == SCREEN
        assert stored.manifests.running is not None
        assert stored.rejections[0].code == "state_in_memory"


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_stands_in_the_locks_place_makes_way_where_it_can(tmp_path: Path, obstacle: str) -> None:
    prepared(tmp_path)
    obstruct(tmp_path / "lock", obstacle)
    with StateStore.open(tmp_path, memory=[]) as store:
        stored = store.load(service=SERVICE)
        assert (stored.credentials, stored.rejections) == (SCREEN, ())
        with pytest.raises(StorageError, match="another player"):
            StateStore.open(tmp_path, memory=[])
    assert not (tmp_path / "nowhere").exists(), "a link is not followed"


@pytest.mark.proves("player-uses-directory")
def test_another_player_on_such_a_disk_is_an_error_all_the_same(state: Path, ram: Path) -> None:
    with unprivileged(), StateStore.open(state), closed_to_writing(state):
        with pytest.raises(StorageError, match="another player"):
            opened(state, ram)
        (state / "lock").chmod(0o400)
        with pytest.raises(StorageError, match="another player"):
            opened(state, ram)


@pytest.mark.proves("same-first-start")
def test_a_disk_that_is_full_at_the_first_start_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full(tmp_path / "state", monkeypatch)
    (tmp_path / "ram").mkdir()
    with opened(tmp_path / "state", tmp_path / "ram") as store:
        assert store.identity == STAND_IN, "the same at the next start, or a new pairing would be a new screen"
        store.credentials.keep_credentials(SCREEN)
        stored = store.load(service=SERVICE)
        assert stored.credentials == SCREEN
        assert [rejection.code for rejection in stored.rejections] == ["state_in_memory"]


def test_a_disk_that_is_full_later_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared(tmp_path / "state")
    full(tmp_path / "state", monkeypatch)
    with opened(tmp_path / "state", tmp_path / "ram") as store:
        assert store.load(service=SERVICE).rejections == ()
        assert store.assets.path(name(OLD)).is_relative_to(tmp_path / "state")


def full(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing more can be written under a folder."""
    whole: Callable[..., None] = durable.write_all

    def write_all(file: object, data: bytes) -> None:
        if Path(f"/proc/self/fd/{file.fileno()}").readlink().is_relative_to(folder):  # type: ignore[attr-defined]
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        whole(file, data)

    monkeypatch.setattr(durable, "write_all", write_all)


@pytest.mark.proves("neither-disk-nor")
def test_where_there_is_no_memory_either_what_can_be_read_plays(state: Path, ram: Path) -> None:
    before = tree(state)
    with closed_to_writing(state), closed_to_writing(ram), opened(state, ram) as store:
        stored = store.load(service=SERVICE)
        assert stored.credentials == SCREEN
        assert stored.manifests.running is not None
        assert stored.rejections[0].code == "state_in_memory"
        with pytest.raises(StorageError):
            store.manifests.keep_latest(**manifest("two, cheaper"))
    assert {path for path, what in tree(state).items() if what != before[path]} <= {"lock"}


def test_a_directory_that_cannot_even_be_made_is_replaced_by_memory(place: Path, ram: Path) -> None:
    (place / "file").write_bytes(b"")
    with opened(place / "file" / "state", ram) as store:
        stored = store.load(service=SERVICE)
    assert (stored.credentials, [rejection.code for rejection in stored.rejections]) == (None, ["state_in_memory"])


@pytest.mark.proves("disk-becomes-read")
def test_a_disk_that_becomes_read_only_in_a_run_takes_new_assets_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a kernel does with a worn card: reading goes on, and every write says "Read-only file system".
    prepared(tmp_path / "state")
    (tmp_path / "ram").mkdir()
    whole = assets.open_private

    def open_private(path: Path, flags: int) -> object:
        if path.is_relative_to(tmp_path / "state"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return whole(path, flags)

    with opened(tmp_path / "state", tmp_path / "ram") as store:
        arrive(store.assets)
        monkeypatch.setattr(assets, "open_private", open_private)
        with closing(store.assets.open_writer(name(NEW), len(NEW))) as writer:
            writer.write(NEW)
            assert writer.finish() is None
        assert store.assets.path(name(NEW)).is_relative_to(tmp_path / "ram")
        assert store.assets.check(name(NEW)) == len(NEW)
        assert store.assets.path(name(IMAGE)).is_relative_to(tmp_path / "state")
        assert store.assets.check(name(IMAGE)) == len(IMAGE)
        store.assets.path(name(IMAGE)).write_bytes(b"rotten")
        assert store.assets.check(name(IMAGE)) is None
        arrive(store.assets)
        assert store.assets.path(name(IMAGE)).read_bytes() == IMAGE
    assert list((tmp_path / "ram").iterdir()) == []


def test_the_memory_of_a_player_that_was_killed_is_given_back(state: Path, ram: Path) -> None:
    with closed_to_writing(state):
        killed = opened(state, ram)
        (abandoned,) = ram.iterdir()
        with opened_beside(state, ram):
            assert abandoned.exists(), "its player lives"
        for lock in (killed._lock, *(lock for _, lock in killed._claimed)):
            assert lock is not None
            lock.close()
        with opened_beside(state, ram) as store:
            assert not abandoned.exists()
            assert stat.S_IMODE(next(ram.iterdir()).stat().st_mode) == 0o700
            assert store.load(service=SERVICE).credentials == SCREEN


def opened_beside(state: Path, ram: Path) -> StateStore:
    """A store on a directory that another player uses, as if it could not see that."""
    (state / "lock").chmod(0)
    return opened(state, ram)


def test_memory_lies_where_the_service_manager_says_then_in_the_usual_places() -> None:
    places = memory.memory_folders({"RUNTIME_DIRECTORY": "/run/menu-player", "XDG_RUNTIME_DIR": "/run/user/7"})
    assert places[:3] == (Path("/run/menu-player"), Path("/run/user/7"), Path("/dev/shm"))
    assert re.fullmatch(r"/\w+.*", str(places[3]))


def test_so_many_state_files_are_copied_as_the_bound_allows(tmp_path: Path) -> None:
    for number in range(memory.MOST_FILES + 10):
        (tmp_path / f"file-{number:03}").write_text("x")
    assert [path.name for path in memory._state_files(tmp_path)] == [f"file-{n:03}" for n in range(memory.MOST_FILES)]
