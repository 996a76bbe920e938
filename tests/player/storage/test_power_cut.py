"""After a power cut at any moment, or with any byte of the disk lost, what is read is old or new, and never wrong."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from io import FileIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.domain.pairing.pairing import Credentials
from player.storage import assets, durable
from player.storage.durable import StorageError, write_file
from player.storage.manifests import StoredManifest
from player.storage.store import StateStore, StoredState
from tests.player.storage.conftest import folder_in_memory

SERVICE = "https://menus.example.com"
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
SCREEN = Credentials(service=SERVICE, token="tok-1", screen_id="scr_1")
IMAGE = b"picture " * 100
DIGEST = sha256(IMAGE).hexdigest()


class PowerCut(BaseException):
    """Nothing runs after this."""


def body(name: str) -> bytes:
    return f'{{"name": "{name}", "assets": {{"{DIGEST}": {{}}}}}}'.encode()


def manifest(name: str) -> dict[str, object]:
    return {"body": body(name), "etag": sha256(body(name)).hexdigest(), "assets": frozenset({DIGEST})}


def kept(stored: StoredManifest | None) -> bytes | None:
    return None if stored is None else stored.body


@contextmanager
def failing_at(step: int, monkeypatch: pytest.MonkeyPatch, failure: Callable[[], BaseException]) -> Iterator[list[str]]:
    """The disk's steps in order; the one with this number fails instead of happening."""
    steps: list[str] = []

    def guarded(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            steps.append(name)
            if len(steps) == step:
                raise failure()
            return real(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", guarded("fsync", os.fsync))
        patch.setattr(Path, "replace", guarded("rename", Path.replace))
        patch.setattr(Path, "unlink", guarded("unlink", Path.unlink))
        for module in (durable, assets):
            patch.setattr(module, "open_private", guarded("open", durable.open_private))
            patch.setattr(module, "write_all", guarded("write", durable.write_all))
        yield steps


def load(folder: Path) -> StoredState:
    with StateStore.open(folder) as store:
        return store.load(service=SERVICE)


def prepared(folder: Path) -> None:
    """A screen that has run one program, runs another with newer items, and has a third waiting."""
    with StateStore.open(folder) as store:
        store.load(service=SERVICE)
        store.credentials.keep_credentials(SCREEN)
        store.manifests.keep_running(**manifest("one"), anchor=NOON)
        store.manifests.keep_running(**manifest("two"), anchor=NOON)
        store.manifests.keep_latest(**manifest("two, dearer"))
        store.manifests.keep_staged(**manifest("three"))


CHANGES: dict[str, tuple[Callable[[StateStore], None], Callable[[StoredState], object]]] = {
    "takeover": (
        lambda store: store.manifests.keep_running(**manifest("three"), anchor=NOON),
        lambda stored: kept(stored.manifests.running),
    ),
    "latest": (
        lambda store: store.manifests.keep_latest(**manifest("two, cheaper")),
        lambda stored: kept(stored.manifests.running),
    ),
    "staged": (
        lambda store: store.manifests.keep_staged(**manifest("four")),
        lambda stored: kept(stored.manifests.staged),
    ),
    "drop": (lambda store: store.manifests.drop_staged(), lambda stored: kept(stored.manifests.staged)),
    "token": (
        lambda store: store.credentials.keep_credentials(
            Credentials(service=SERVICE, token="tok-2", screen_id="scr_1")
        ),
        lambda stored: stored.credentials,
    ),
    "unpaired": (lambda store: store.credentials.forget_credentials(), lambda stored: stored.credentials),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", ["power cut", "full disk", "input/output error"])
def test_a_change_happens_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, kind: str
) -> None:
    act, look = CHANGES[change]
    prepared(tmp_path / "before")
    shutil.copytree(tmp_path / "before", tmp_path / "after")
    old = look(load(tmp_path / "before"))
    with StateStore.open(tmp_path / "after") as store:
        store.load(service=SERVICE)
        act(store)
    new = look(load(tmp_path / "after"))
    assert old != new

    def failure() -> BaseException:
        match kind:
            case "full disk":
                return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            case "input/output error":
                return OSError(errno.EIO, os.strerror(errno.EIO))
            case _:
                return PowerCut()

    step, seen = 0, []
    while True:
        step += 1
        folder = tmp_path / f"at {step}"
        shutil.copytree(tmp_path / "before", folder)
        with StateStore.open(folder) as store:
            store.load(service=SERVICE)
            with failing_at(step, monkeypatch, failure) as steps:
                outcome = ""
                try:
                    act(store)
                except (PowerCut, StorageError) as error:
                    outcome = getattr(error, "code", "cut")
        if len(steps) < step:
            break
        stored = load(folder)
        assert look(stored) in (old, new), (step, steps)
        assert stored.rejections == ()
        assert not list(folder.glob("*.tmp"))
        seen.append(look(stored))
        assert outcome in {"power cut": ("cut", ""), "full disk": ("disk_full", "")}.get(kind, ("disk_failing", ""))
    assert step > 2
    if kind == "power cut":  # A disk that has no room for the version before may have room for what runs.
        assert seen == sorted(seen, key=lambda state: state == new)


def test_a_board_always_has_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared(tmp_path / "before")
    for step in range(1, 40):
        folder = tmp_path / str(step)
        shutil.copytree(tmp_path / "before", folder)
        with StateStore.open(folder) as store:
            store.load(service=SERVICE)
            with failing_at(step, monkeypatch, PowerCut) as steps, suppress(PowerCut):
                store.manifests.keep_running(**manifest("three"), anchor=NOON)
        found = load(folder).manifests
        assert kept(found.running) in (body("two, dearer"), body("three"))
        if kept(found.running) == body("three"):
            assert found.staged is None
            assert kept(found.previous) == body("two, dearer")
        if len(steps) < step:
            return
    pytest.fail("the takeover has more steps than this test looks at")


FILES = [
    *("running", "staged", "previous"),
    *("credentials", "credentials-copy", "identity", "identity-copy"),
]


@pytest.mark.first_case
@pytest.mark.proves("byte-token-identity")
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_cut_at_any_byte_is_noticed(tmp_path: Path, name: str) -> None:
    prepared(tmp_path / "state")
    whole = load(tmp_path / "state")
    content = (tmp_path / "state" / name).read_bytes()
    for length in range(len(content)):
        folder = tmp_path / "cut"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(tmp_path / "state", folder)
        (folder / name).write_bytes(content[:length])
        check_nothing_is_wrong(folder, name, whole)


@given(position=st.integers(0, 2000), bit=st.integers(0, 7), data=st.data())
def test_a_bit_that_flips_is_noticed(position: int, bit: int, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(FILES))
    with folder_in_memory() as place:
        folder = Path(place)
        prepared(folder)
        whole = load(folder)
        content = bytearray((folder / name).read_bytes())
        content[position % len(content)] ^= 1 << bit
        (folder / name).write_bytes(content)
        check_nothing_is_wrong(folder, name, whole)


@pytest.mark.goes_beyond("MAX_HEADER_BYTES")
@given(content=st.binary(max_size=300))
def test_rubbish_in_place_of_a_file_is_noticed(content: bytes) -> None:
    with folder_in_memory() as place:
        folder = Path(place)
        prepared(folder)
        whole = load(folder)
        for name in ("running", *FILES[3:]):
            (folder / name).write_bytes(content)
        stored = load(folder)
        assert kept(stored.manifests.running) == kept(whole.manifests.previous)
        assert stored.credentials is None
        assert {rejection.subject for rejection in stored.rejections} == {"running", *FILES[3:]}


def check_nothing_is_wrong(folder: Path, name: str, whole: StoredState) -> None:
    stored = load(folder)
    (rejection,) = stored.rejections
    assert (rejection.code, rejection.subject) == ("state_corrupt", name)
    assert (folder / f"{name}.corrupt").exists()
    found, before = stored.manifests, whole.manifests
    assert stored.credentials == whole.credentials
    for twin in ("credentials", "identity"):
        assert (folder / twin).read_bytes() == (folder / f"{twin}-copy").read_bytes(), "the bad one is mended"
    assert kept(found.staged) == (None if name == "staged" else kept(before.staged))
    if name == "running":
        assert (kept(found.running), found.previous) == (kept(before.previous), None)
        assert found.running is not None
        assert found.running.anchor == NOON
    else:
        assert found.running == before.running
        assert kept(found.previous) == (None if name == "previous" else kept(before.previous))


def test_the_first_version_is_not_lost_with_one_file(tmp_path: Path) -> None:
    with StateStore.open(tmp_path) as store:
        store.load(service=SERVICE)
        store.manifests.keep_running(**manifest("one"), anchor=NOON)
        store.manifests.keep_latest(**manifest("one, dearer"))
        assert not store.load(service=SERVICE).manifests.has_previous_version
    (tmp_path / "running").write_bytes(b"torn")
    found = load(tmp_path).manifests
    assert (kept(found.running), found.previous) == (body("one"), None)


def test_what_cannot_be_read_is_told_and_not_taken_for_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared(tmp_path)
    (tmp_path / "running").unlink()
    (tmp_path / "running").mkdir()
    stored = load(tmp_path)
    assert kept(stored.manifests.running) == body("one")
    assert stored.rejections[0].subject == "running"


@pytest.mark.goes_beyond("MAX_STATE_FILE_BYTES")
def test_a_file_that_is_too_large_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared(tmp_path)
    with (tmp_path / "staged").open("r+b") as file:
        file.truncate(10**12)
    stored = load(tmp_path)
    assert stored.manifests.staged is None
    assert "larger than" in stored.rejections[0].detail


def test_corrupt_files_do_not_pile_up(tmp_path: Path) -> None:
    prepared(tmp_path)
    for number in range(12):
        (tmp_path / "credentials").write_bytes(b"torn %d" % number)
        assert load(tmp_path).credentials == SCREEN
    assert [path.read_bytes() for path in tmp_path.glob("*.corrupt")] == [b"torn 11"]


def test_a_write_is_durable_before_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with failing_at(0, monkeypatch, PowerCut) as steps:
        write_file(tmp_path / "file", b"content")
    assert steps == ["open", "write", "fsync", "rename", "fsync"]


def test_a_disk_that_fills_up_in_the_middle_of_a_write_keeps_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(tmp_path / "file", b"old")
    real = FileIO.write

    class Filling(FileIO):
        def write(self, data: object) -> int:  # type: ignore[override]
            if self.tell() >= 10:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(self, memoryview(data)[:10])  # type: ignore[arg-type]

    monkeypatch.setattr(durable, "FileIO", Filling)
    with pytest.raises(StorageError, match="file: No space left") as raised:
        write_file(tmp_path / "file", b"new" * 100)
    assert raised.value.code == "disk_full"
    assert (tmp_path / "file").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("kind", [PowerCut, lambda: OSError(errno.ENOSPC, "No space left on device")])
def test_an_asset_arrives_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Callable[[], BaseException]
) -> None:
    for step in range(1, 30):
        store = assets.AssetFolder(tmp_path / str(step), protected=frozenset)
        (tmp_path / str(step)).mkdir()
        with failing_at(step, monkeypatch, kind) as steps, suppress(PowerCut, OSError):
            arrive(store)
        found = assets.AssetFolder(tmp_path / str(step), protected=frozenset)
        if found.check(DIGEST) is None:
            arrive(found)
        assert found.path(DIGEST).read_bytes() == IMAGE
        if len(steps) < step:
            return
    pytest.fail("an asset has more steps than this test looks at")


def arrive(store: assets.AssetFolder) -> None:
    with closing(store.open_writer(DIGEST, len(IMAGE))) as writer:
        for start in range(writer.offset, len(IMAGE), 300):
            writer.write(IMAGE[start : start + 300])
        assert writer.finish() is None
