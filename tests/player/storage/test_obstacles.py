"""Whatever stands in the place of a file costs that file: it is put out of the way, and nothing waits for it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import closing
from hashlib import sha256
from io import FileIO
from pathlib import Path

import pytest

from menu.documents.manifest import AssetFact
from player.storage import assets
from player.storage.assets import PART_SUFFIX, AssetFolder
from player.storage.store import StateStore
from tests.player.storage.test_power_cut import SCREEN, SERVICE, body, load, manifest, prepared
from tests.support.obstacles import OBSTACLES, obstruct, unprivileged

IMAGE = b"picture " * 100
DIGEST = sha256(IMAGE).hexdigest()
FACTS = {DIGEST: AssetFact(size=len(IMAGE), media_type="image/png")}


@pytest.mark.proves("something-stands-place-state")
@pytest.mark.parametrize("obstacle", OBSTACLES)
@pytest.mark.parametrize("name", ["running", "staged", "previous", "failures"])
def test_what_stands_in_the_place_of_a_state_file_costs_that_file(tmp_path: Path, name: str, obstacle: str) -> None:
    prepared(tmp_path)
    before = load(tmp_path)
    obstruct(tmp_path / name, obstacle)
    stored = load(tmp_path)
    assert stored.credentials == SCREEN
    assert stored.manifests.running == (before.manifests.previous if name == "running" else before.manifests.running)
    absent = name == "failures" or obstacle == "a dangling link"
    assert [rejection.subject for rejection in stored.rejections] == ([] if absent else [name])


@pytest.mark.parametrize("obstacle", OBSTACLES)
@pytest.mark.parametrize("name", ["running", "running.tmp"])
def test_what_stands_in_the_way_of_a_write_is_set_aside(tmp_path: Path, name: str, obstacle: str) -> None:
    prepared(tmp_path)
    with StateStore.open(tmp_path) as state:
        state.load(service=SERVICE)
        obstruct(tmp_path / name, obstacle)
        state.manifests.keep_latest(**manifest("two, cheaper"))
    found = load(tmp_path).manifests.running
    assert found is not None
    assert found.body == body("two, cheaper")


@pytest.fixture
def store(tmp_path: Path) -> AssetFolder:
    return AssetFolder(tmp_path, protected=frozenset)


def arrive(store: AssetFolder) -> None:
    with closing(store.open_writer(DIGEST, len(IMAGE))) as writer:
        writer.write(IMAGE[writer.offset :])
        assert writer.finish() is None


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_stands_in_an_assets_place_is_missing_and_makes_way(store: AssetFolder, obstacle: str) -> None:
    arrive(store)
    obstruct(store.path(DIGEST), obstacle)
    assert set(store.missing(FACTS)) == {DIGEST}
    store.recheck()
    assert store.check(DIGEST) is None
    assert store.held() == {}
    arrive(store)
    assert store.missing(FACTS) == {}
    assert store.check(DIGEST) == len(IMAGE)


def test_a_file_of_absurd_size_in_an_assets_place_is_not_read(store: AssetFolder) -> None:
    arrive(store)
    with store.path(DIGEST).open("r+b") as file:
        file.truncate(10**13)
    assert sum(store.held().values()) < 10**6, "its holes take no room"
    store.recheck()
    assert store.check(DIGEST) is None
    assert store.held() == {}


def test_a_directory_of_just_the_assets_size_is_missing(store: AssetFolder) -> None:
    store.path(DIGEST).mkdir(parents=True)
    size = store.path(DIGEST).stat().st_size
    assert set(store.missing({DIGEST: AssetFact(size=size, media_type="image/png")})) == {DIGEST}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_stands_in_the_place_of_a_partial_asset_makes_way(store: AssetFolder, obstacle: str) -> None:
    part = store.path(DIGEST).with_name(DIGEST + PART_SUFFIX)
    part.parent.mkdir()
    obstruct(part, obstacle)
    assert store.part_bytes(DIGEST) == 0
    arrive(store)
    assert store.check(DIGEST) == len(IMAGE)


@pytest.mark.parametrize("obstacle", sorted(set(OBSTACLES) - {"a directory", "an empty directory"}))
def test_what_stands_in_the_place_of_a_folder_of_assets_makes_way(store: AssetFolder, obstacle: str) -> None:
    obstruct(store.path(DIGEST).parent, obstacle)
    assert set(store.missing(FACTS)) == {DIGEST}
    assert store.check(DIGEST) is None
    assert store.held() == {}
    arrive(store)
    assert store.check(DIGEST) == len(IMAGE)


def test_a_directory_in_an_assets_place_is_kept_aside_and_does_not_pile_up(store: AssetFolder) -> None:
    for _ in range(5):
        arrive(store)
        obstruct(store.path(DIGEST), "a directory")
        assert store.check(DIGEST) is None
    aside = sorted(path.name for path in store.path(DIGEST).parent.iterdir())
    assert aside == [f"{DIGEST}.corrupt"]


def test_a_partial_asset_with_an_input_output_error_is_begun_anew(
    store: AssetFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(store.open_writer(DIGEST, len(IMAGE))) as writer:
        writer.write(IMAGE[:100])
    whole = assets._chunks

    def failing(file: FileIO) -> Iterable[bytes]:
        if os.fstat(file.fileno()).st_size:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return whole(file)

    with monkeypatch.context() as patch:
        patch.setattr(assets, "_chunks", failing)
        arrive(store)
    assert store.check(DIGEST) == len(IMAGE)


def test_an_asset_that_may_not_be_read_is_removed_and_fetched_again(place: Path) -> None:
    with unprivileged():
        store = AssetFolder(place, protected=frozenset)
        arrive(store)
        store.path(DIGEST).chmod(0)
        store.recheck()
        assert store.check(DIGEST) is None
        arrive(store)
        assert store.check(DIGEST) == len(IMAGE)


def test_an_asset_that_may_neither_be_read_nor_removed_is_reported_each_time(place: Path) -> None:
    with unprivileged():
        store = AssetFolder(place, protected=frozenset)
        arrive(store)
        store.recheck()
        folder = store.path(DIGEST).parent
        folder.chmod(0)
        try:
            assert set(store.missing(FACTS)) == {DIGEST}
            with pytest.raises(OSError, match="Permission denied"):
                store.check(DIGEST)
            assert store.held() == {}
        finally:
            folder.chmod(0o700)
