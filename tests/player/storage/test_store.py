"""The state directory belongs to one player and one device, and the next start finds everything in it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from menu.documents.manifest import AssetFact
from player.domain.pairing.hardware import Hardware
from player.domain.pairing.pairing import Credentials, LastPairing, PendingCode
from player.storage import manifests
from player.storage.assets import AssetFolder
from player.storage.checksummed import write_checksummed
from player.storage.durable import StorageError
from player.storage.store import StateStore

SERVICE = "https://menus.example.com"
NOON = datetime(2026, 11, 20, 12, 0, 0, 123456, tzinfo=UTC)
SCREEN = Credentials(service=SERVICE, token="tok-1", screen_id="scr_1")
BOARD = Hardware(board="10000000a1b2c3d4", system="a", addresses=("1",))
OTHER_BOARD = Hardware(board="10000000e5f60718", system="a", addresses=("2",))
CODE = PendingCode(
    service=SERVICE,
    device_code="secret",
    user_code="WDJ-BMJ",
    verification_uri="https://menus.example.com/pair",
    verification_uri_complete="https://menus.example.com/pair?code=WDJBMJ",
    interval=5.0,
    expires_at=NOON,
)


def kept(name: str, *digests: str) -> dict[str, object]:
    assets = ",".join(f'"{digest}":{{"size":1}}' for digest in digests)
    body = f'{{"name":"{name}","assets":{{{assets}}}}}'.encode()
    return {"body": body, "etag": sha256(body).hexdigest(), "assets": frozenset(digests)}


def test_an_identity_is_created_once_and_stays(tmp_path: Path) -> None:
    with StateStore.open(tmp_path / "new" / "state") as store:
        first = store.identity
        store.credentials.keep_credentials(SCREEN)
        store.credentials.forget_credentials()
    assert len(first) == 32
    assert int(first, 16) >= 0
    with StateStore.open(tmp_path / "new" / "state") as store:
        assert store.identity == first
    with StateStore.open(tmp_path / "other") as store:
        assert store.identity != first


@pytest.mark.proves("card-copied-moved")
def test_on_other_hardware_a_copy_is_a_device_of_its_own_until_it_is_paired(tmp_path: Path) -> None:
    """The original keeps its pairing, and so does a directory of an earlier release, which has no record."""
    original, copy = tmp_path / "original", tmp_path / "copy"
    with StateStore.open(original) as store:
        identity = store.identity
        store.credentials.keep_credentials(SCREEN)
        store.manifests.keep_running(**kept("one"), anchor=NOON)
        store.last_pairing.save(LastPairing.of(SCREEN))
    for _ in range(2):
        with StateStore.open(original, hardware=BOARD) as store:
            assert (store.identity, store.from_another_device) == (identity, False)
            assert store.load(service=SERVICE).credentials == SCREEN
    shutil.copytree(original, copy)

    identities = set()
    for _ in range(2):
        with StateStore.open(copy, hardware=OTHER_BOARD) as store:
            stored = store.load(service=SERVICE)
            assert stored.credentials is None
            assert store.from_another_device, "until it is paired"
            assert stored.manifests.running is not None, "its menu goes on"
            assert not stored.forgotten
            identities.add(store.identity)
    assert len(identities) == 1
    assert identity not in identities
    with StateStore.open(copy, hardware=OTHER_BOARD) as store:
        store.credentials.keep_credentials(replace(SCREEN, token="tok-2", screen_id="scr_2"))
    for _ in range(2):
        with StateStore.open(copy, hardware=OTHER_BOARD) as store:
            assert not store.from_another_device
            assert identities == {store.identity}


def test_a_pairing_outlives_one_value_of_the_hardware_after_the_other(tmp_path: Path) -> None:
    """An adapter is replaced, years later the system is installed anew: neither is another machine."""
    with StateStore.open(tmp_path, hardware=Hardware(system="a", addresses=("1",))) as store:
        store.credentials.keep_credentials(SCREEN)
    for system, addresses in (("a", ("2",)), ("", ()), ("b", ("2",)), ("b", ("3",))):
        with StateStore.open(tmp_path, hardware=Hardware(system=system, addresses=addresses)) as store:
            assert store.load(service=SERVICE).credentials == SCREEN


def test_a_damaged_record_of_the_hardware_loses_no_pairing(tmp_path: Path) -> None:
    with StateStore.open(tmp_path, hardware=BOARD) as store:
        store.credentials.keep_credentials(SCREEN)
    (tmp_path / "hardware").write_bytes(b"torn")
    with StateStore.open(tmp_path, hardware=OTHER_BOARD) as store:
        assert store.load(service=SERVICE).credentials == SCREEN
    with StateStore.open(tmp_path, hardware=BOARD) as store:
        assert store.load(service=SERVICE).credentials is None, "it was recorded anew"


def test_only_the_owner_may_read_the_state(tmp_path: Path) -> None:
    with StateStore.open(tmp_path / "state") as store:
        store.credentials.keep_credentials(SCREEN)
        store.manifests.keep_running(**kept("one"), anchor=NOON)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").iterdir()}
    files = ("lock", "identity", "identity-copy", "credentials", "credentials-copy", "running")
    assert modes == {**dict.fromkeys(files, 0o600), "assets": 0o700}


@pytest.mark.parametrize("credentials", [SCREEN, CODE])
def test_credentials_come_back(tmp_path: Path, credentials: Credentials | PendingCode) -> None:
    with StateStore.open(tmp_path) as store:
        store.credentials.keep_credentials(credentials)
    with StateStore.open(tmp_path) as store:
        assert store.load(service=SERVICE).credentials == credentials


def test_a_token_for_another_service_is_not_handed_out(tmp_path: Path) -> None:
    with StateStore.open(tmp_path) as store:
        store.credentials.keep_credentials(replace(SCREEN, service="https://old.example.com"))
        stored = store.load(service=SERVICE)
    assert stored.credentials is None
    assert stored.rejections[0].code == "other_service"


@pytest.mark.proves("power-cut-between")
def test_a_newer_token_counts_where_only_one_copy_of_it_was_written(tmp_path: Path) -> None:
    newer = replace(SCREEN, token="tok-2")
    with StateStore.open(tmp_path) as store:
        store.credentials.keep_credentials(SCREEN)
        older = (tmp_path / "credentials-copy").read_bytes()
        store.credentials.keep_credentials(newer)
    (tmp_path / "credentials-copy").write_bytes(older)
    for _ in range(2):
        with StateStore.open(tmp_path) as store:
            assert store.load(service=SERVICE).credentials == newer
        (tmp_path / "credentials").unlink()


def test_what_a_newer_player_wrote_besides_is_passed_over(tmp_path: Path) -> None:
    content = {"screen": {"service": SERVICE, "token": "tok-1", "screen_id": "scr_1", "chain": 7}, "colour": "blue"}
    with StateStore.open(tmp_path) as store:
        write_checksummed(tmp_path / "credentials", "credentials", msgspec.json.encode(content))
        stored = store.load(service=SERVICE)
    assert (stored.credentials, stored.rejections) == (SCREEN, ())
    assert b"blue" in (tmp_path / "credentials-copy").read_bytes()


def test_a_token_that_is_forgotten_leaves_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with StateStore.open(tmp_path) as store:
        store.credentials.keep_credentials(SCREEN)
        order: list[str] = []
        whole = Path.unlink
        monkeypatch.setattr(Path, "unlink", lambda path, **more: (order.append(path.name), whole(path, **more))[1])
        store.credentials.forget_credentials()
        assert store.load(service=SERVICE).credentials is None
    assert order == ["credentials-copy", "credentials"], "or a power cut in between would leave only an older one"


def test_secrets_do_not_show_where_credentials_are_printed() -> None:
    assert "tok-1" not in repr(SCREEN)
    assert "secret" not in repr(CODE)


def test_an_empty_directory_holds_nothing_and_complains_of_nothing(tmp_path: Path) -> None:
    with StateStore.open(tmp_path) as store:
        stored = store.load(service=SERVICE)
    assert (stored.credentials, stored.manifests.running, stored.rejections) == (None, None, ())


def test_manifests_come_back_as_they_were(tmp_path: Path) -> None:
    with StateStore.open(tmp_path) as store:
        store.manifests.keep_running(**kept("one"), anchor=NOON)
        store.manifests.keep_latest(**kept("one, dearer"))
        store.manifests.keep_staged(**kept("two"))
    with StateStore.open(tmp_path) as store:
        found = store.load(service=SERVICE).manifests
    assert found.running is not None
    assert found.staged is not None
    assert found.previous is not None
    dearer = kept("one, dearer")
    assert (found.running.body, found.running.etag, found.running.anchor) == (dearer["body"], dearer["etag"], NOON)
    assert (found.staged.body, found.staged.anchor) == (kept("two")["body"], None)
    assert (found.previous.body, found.has_previous_version) == (kept("one")["body"], False)


def test_a_takeover_leaves_the_old_program_as_the_one_before(tmp_path: Path) -> None:
    with StateStore.open(tmp_path) as store:
        store.manifests.keep_running(**kept("one"), anchor=NOON)
        store.manifests.keep_latest(**kept("one, dearer"))
        store.manifests.keep_staged(**kept("two"))
        store.manifests.keep_running(**kept("two"), anchor=NOON + timedelta(minutes=1))
        found = store.load(service=SERVICE).manifests
    assert found.running is not None
    assert found.previous is not None
    assert (found.running.body, found.previous.body) == (kept("two")["body"], kept("one, dearer")["body"])
    assert found.staged is None


def test_newer_items_need_a_program(tmp_path: Path) -> None:
    with StateStore.open(tmp_path) as store, pytest.raises(StorageError, match="no program runs"):
        store.manifests.keep_latest(**kept("one"))


def test_newer_items_of_a_program_that_the_disk_refused_are_not_put_beside_an_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with StateStore.open(tmp_path) as store:
        store.manifests.keep_running(**kept("one"), anchor=NOON)
        with monkeypatch.context() as patch:
            patch.setattr("player.storage.durable.write_all", full)
            with pytest.raises(StorageError, match="No space"):
                store.manifests.keep_running(**kept("two"), anchor=NOON + timedelta(hours=1))
        store.manifests.keep_latest(**kept("two, dearer"))
    with StateStore.open(tmp_path) as store:
        found = store.load(service=SERVICE).manifests
    assert found.running is not None
    assert found.previous is not None
    assert (found.running.body, found.running.anchor) == (kept("two, dearer")["body"], NOON + timedelta(hours=1))
    assert found.previous.body == kept("one")["body"]


def test_newer_items_can_be_kept_after_a_restart(tmp_path: Path) -> None:
    with StateStore.open(tmp_path) as store:
        store.manifests.keep_running(**kept("one"), anchor=NOON)
    with StateStore.open(tmp_path) as store:
        store.load(service=SERVICE)
        store.manifests.keep_latest(**kept("one, dearer"))
        found = store.load(service=SERVICE).manifests
    assert found.running is not None
    assert found.running.body == kept("one, dearer")["body"]


@pytest.mark.parametrize("label", [b"[" * 5000, b"\xff\xfe", b"{}", b""], ids=["deep", "no text", "bare", "empty"])
def test_a_program_whose_label_cannot_be_read_costs_only_itself(tmp_path: Path, label: bytes) -> None:
    with StateStore.open(tmp_path) as store:
        store.manifests.keep_running(**kept("one"), anchor=NOON)
        store.manifests.keep_staged(**kept("two"))
    write_checksummed(tmp_path / "running", "running", label + b"\n{}")
    with StateStore.open(tmp_path) as store:
        found = store.load(service=SERVICE)
    assert found.manifests.running is None
    assert found.manifests.staged is not None
    assert found.rejections[0].code == "state_corrupt"


def test_an_unpaired_screen_keeps_no_program(tmp_path: Path) -> None:
    digest = "ab" * 32
    with StateStore.open(tmp_path) as store:
        store.manifests.keep_running(**kept("one", digest), anchor=NOON)
        store.manifests.keep_running(**kept("two", digest), anchor=NOON)
        store.manifests.keep_staged(**kept("three", digest))
        store.manifests.forget()
        assert store.assets.protected() == frozenset()
        found = store.load(service=SERVICE).manifests
    assert (found.running, found.staged, found.previous) == (None, None, None)


def test_the_assets_of_every_stored_program_are_protected(tmp_path: Path) -> None:
    one, two, three, four = ("1" * 64, "2" * 64, "3" * 64, "4" * 64)
    with StateStore.open(tmp_path) as store:
        store.manifests.keep_running(**kept("one", one), anchor=NOON)
        store.manifests.keep_running(**kept("two", two), anchor=NOON)
        store.manifests.keep_latest(**kept("two, dearer", two, three))
        store.manifests.keep_staged(**kept("four", four))
    with StateStore.open(tmp_path) as store:
        store.load(service=SERVICE)
        assert store.assets.protected() == {one, two, three, four}
        store.manifests.drop_staged()
        assert store.assets.protected() == {one, two, three}


def test_the_version_before_is_spare_only_while_a_newer_one_plays(tmp_path: Path) -> None:
    one, two = ("1" * 64, "2" * 64)
    with StateStore.open(tmp_path) as store:
        store.manifests.keep_running(**kept("one", one), anchor=NOON)
        assert store.assets.spare() == frozenset()
        store.manifests.keep_running(**kept("two", two), anchor=NOON)
        assert store.assets.spare() == {one}
    with StateStore.open(tmp_path) as store:
        store.load(service=SERVICE)
        assert store.assets.spare() == frozenset(), "nobody has read the newer one yet: it may be unreadable"
        store.manifests.note_assets(etag=str(kept("two", two)["etag"]), assets=frozenset({two}))
        assert store.assets.spare() == {one}
        store.assets.drop_previous()
        assert (store.assets.protected(), store.assets.spare()) == ({two}, frozenset())
    (tmp_path / "running").rename(tmp_path / "previous")
    with StateStore.open(tmp_path) as store:
        found = store.load(service=SERVICE).manifests.running
        assert found is not None
        store.manifests.note_assets(etag=found.etag, assets=frozenset({two}))
        assert store.assets.spare() == frozenset(), "it plays"


def test_assets_that_a_start_has_read_are_protected_without_decoding_their_body_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, three = ("1" * 64, "2" * 64, "3" * 64)
    with StateStore.open(tmp_path) as store:
        store.manifests.keep_running(**kept("one", one), anchor=NOON)
        store.manifests.keep_running(**kept("two", two), anchor=NOON)
        store.manifests.keep_staged(**kept("three", three))
    decoded: list[bytes] = []
    listed = manifests._listed_assets
    monkeypatch.setattr(manifests, "_listed_assets", lambda body: (decoded.append(body), listed(body))[1])
    with StateStore.open(tmp_path) as store:
        store.load(service=SERVICE)
        for name, digest in (("two", two), ("three", three)):
            store.manifests.note_assets(etag=str(kept(name, digest)["etag"]), assets=frozenset({digest}))
        assert store.assets.protected() == {one, two, three}
        assert store.assets.protected() == {one, two, three}
        store.manifests.keep_running(**kept("three", three), anchor=NOON)
        assert store.assets.protected() == {two, three}, "the version before is the second one now"
    assert decoded == [kept("one", one)["body"]]


def test_a_second_player_is_refused(tmp_path: Path) -> None:
    with StateStore.open(tmp_path) as store:
        identity = store.identity
        version = (
            "import sys; from pathlib import Path; from player.storage.store import StateStore\n"
            "try: StateStore.open(Path(sys.argv[1]))\n"
            "except OSError as error: print(error.code, error)"
        )
        said = subprocess.run(
            [sys.executable, "-c", version, str(tmp_path)], capture_output=True, text=True, check=True
        ).stdout
    assert said.startswith("state_in_use")
    assert f"process {os.getpid()}" in said
    with StateStore.open(tmp_path) as store:
        assert store.identity == identity


def test_leftovers_of_a_power_cut_are_deleted(tmp_path: Path) -> None:
    StateStore.open(tmp_path).close()
    (tmp_path / "running.tmp").write_bytes(b"half")
    StateStore.open(tmp_path).close()
    assert not (tmp_path / "running.tmp").exists()


def test_the_first_image_needs_no_heavy_library() -> None:
    version = (
        "import sys, player.storage.store\n"
        "print(sorted({'httpx', 'ssl', 'asyncio', 'PySide6', 'zeroconf'} & sys.modules.keys()))"
    )
    said = subprocess.run([sys.executable, "-c", version], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


IMAGE = b"picture" * 1000
DIGEST = sha256(IMAGE).hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> AssetFolder:
    return AssetFolder(tmp_path, protected=frozenset)


def put(store: AssetFolder, content: bytes) -> str:
    digest = sha256(content).hexdigest()
    writer = store.open_writer(digest, len(content))
    writer.write(content)
    assert writer.finish() is None
    return digest


def test_an_asset_lies_under_its_hash(store: AssetFolder, tmp_path: Path) -> None:
    digest = put(store, IMAGE)
    assert store.path(digest) == tmp_path / digest[:2] / digest
    assert store.check(digest) == len(IMAGE)
    assert store.held() == {digest: len(IMAGE)}
    assert store.missing({digest: AssetFact(size=len(IMAGE), media_type="image/png")}) == {}


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "g" * 64, "a" * 63, "a" * 64 + "\n"])
def test_what_is_no_hash_names_no_file(store: AssetFolder, name: str) -> None:
    with pytest.raises(ValueError, match="not a SHA-256"):
        store.path(name)


def test_a_quick_look_sees_what_is_missing_or_of_another_size(store: AssetFolder) -> None:
    digest = put(store, IMAGE)
    facts = {
        digest: AssetFact(size=5, media_type="image/png"),
        "0" * 64: AssetFact(size=5, media_type="image/png"),
    }
    assert store.missing(facts) == {digest: "7000 bytes on disk instead of 5", "0" * 64: None}


def test_two_assets_whose_hashes_begin_alike_make_their_folder_at_the_same_moment(
    store: AssetFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    alike = b"379", b"750"
    assert {sha256(content).hexdigest()[:2] for content in alike} == {"64"}
    looks, makes = Path.is_dir, Path.mkdir

    def other_comes() -> None:
        monkeypatch.undo()
        put(store, alike[1])

    def look(path: Path) -> bool:
        seen = looks(path)
        other_comes()
        return seen

    def make(path: Path, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        other_comes()
        makes(path, mode, parents, exist_ok)

    monkeypatch.setattr(Path, "is_dir", look)
    monkeypatch.setattr(Path, "mkdir", make)
    put(store, alike[0])
    assert [store.check(sha256(content).hexdigest()) for content in alike] == [3, 3]


def test_a_partial_asset_is_resumed(store: AssetFolder) -> None:
    first = store.open_writer(DIGEST, len(IMAGE))
    first.write(IMAGE[:3000])
    first.close()
    assert store.part_bytes(DIGEST) == 3000
    second = store.open_writer(DIGEST, len(IMAGE))
    assert second.offset == 3000
    second.write(IMAGE[3000:])
    assert second.finish() is None
    second.close()
    assert store.check(DIGEST) == len(IMAGE)
    assert store.part_bytes(DIGEST) == 0


def test_a_partial_asset_with_a_wrong_hash_is_dropped(store: AssetFolder) -> None:
    writer = store.open_writer(DIGEST, len(IMAGE))
    writer.write(b"x" * len(IMAGE))
    assert writer.finish() == "its hash is wrong"
    writer.close()
    assert store.held() == {}


def test_a_part_that_is_larger_than_its_asset_is_begun_anew(store: AssetFolder) -> None:
    writer = store.open_writer(DIGEST, 9000)
    writer.write(b"x" * 8000)
    writer.close()
    again = store.open_writer(DIGEST, len(IMAGE))
    assert again.offset == 0
    again.close()


def test_a_writer_takes_no_more_bytes_than_the_asset_has(store: AssetFolder) -> None:
    writer = store.open_writer(DIGEST, len(IMAGE))
    with pytest.raises(ValueError, match="more bytes"):
        writer.write(IMAGE + b"x")
    writer.close()


def test_an_asset_that_rots_is_deleted_at_the_next_recheck(store: AssetFolder) -> None:
    digest = put(store, IMAGE)
    assert store.check(digest) == len(IMAGE)
    path = store.path(digest)
    before = path.stat()
    path.write_bytes(IMAGE[:-1] + b"?")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert store.check(digest) == len(IMAGE)
    store.recheck()
    assert store.check(digest) is None
    assert not path.exists()


def test_an_asset_that_somebody_changed_is_deleted_at_once(store: AssetFolder) -> None:
    digest = put(store, IMAGE)
    store.check(digest)
    store.path(digest).write_bytes(b"another picture")
    assert store.check(digest) is None


def test_an_asset_that_a_stored_manifest_lists_is_not_removed(tmp_path: Path) -> None:
    store = AssetFolder(tmp_path, protected=lambda: frozenset({DIGEST}))
    put(store, IMAGE)
    store.remove(DIGEST)
    assert store.check(DIGEST) == len(IMAGE)


def test_removing_takes_part_and_whole(store: AssetFolder) -> None:
    put(store, IMAGE)
    store.open_writer("0" * 64, 5).close()
    store.remove(DIGEST)
    store.remove("0" * 64)
    assert store.held() == {}
