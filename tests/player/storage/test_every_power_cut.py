"""After a power cut at any moment of a screen's life the next start shows what it showed before the step under way, or
after it: every disk that the cut could leave is made and booted."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from menu.documents.manifest import Manifest, VersionKey
from player.domain import actions as act
from player.domain import events as ev
from player.domain.pairing.pairing import Credentials, LastPairing, PendingCode
from player.domain.playing.board import Restored
from player.domain.state import Device, PairingPhase, PlayerState
from player.domain.view import SceneView
from player.runtime.conductor import Conductor
from player.runtime.restore import restore
from player.storage import durable, manifests
from player.storage.durable import StorageError, write_file
from player.storage.store import StateStore
from player.storage.writer import write_now
from tests.support.menus import NOON, HandClock, asset, item, manifest, menu_scene
from tests.support.recorded_disk import Recording, Tree, build, disks_after, recording

SERVICE = "https://menus.example.com"
LOOP_SECONDS = 10


class Shown(Struct, frozen=True, kw_only=True):
    """The difference that a guest or an operator can see."""

    phase: PairingPhase
    token: str | None
    running: VersionKey | None = None
    staged: VersionKey | None = None
    view: str
    rows: tuple[str, ...] = ()


def shown_in(state: PlayerState, token: str | None) -> Shown:
    rows: list[str] = []
    if isinstance(state.view, SceneView):
        for listing in state.view.menus.values():
            rows += [f"{row.name} {row.price.text}" for section in listing.sections for row in section.rows]
    return Shown(
        phase=state.pairing.phase if state.pairing.screen_id else PairingPhase.UNPAIRED,
        token=token if state.pairing.screen_id else None,
        running=state.running.key if state.running else None,
        staged=state.staged.key if state.staged else None,
        view=_name_of(state),
        rows=tuple(rows),
    )


def _name_of(state: PlayerState) -> str:
    if isinstance(state.view, SceneView):
        return state.view.scene.name
    # A start does not say again that the screen has just been paired.
    return "HouseCard" if state.pairing.screen_id else type(state.view).__name__


def conductor_on(restored: Restored, clock: HandClock, issue: Callable[[act.Action], None]) -> Conductor:
    device = Device(device_id="d" * 32, boot_id="boot", app_version="0", service=SERVICE, started_at=NOON)
    return Conductor(device=device, clock=clock, restored=restored, issue=issue, publish=lambda _: None)


class Moment(Struct, frozen=True, kw_only=True):
    """The end of one step of the story: how much the disk had been told by then, and what was shown."""

    step: str
    told: int
    at: datetime
    shown: Shown


class Screen:
    """The player's own parts, from the service's news to the disk, in one thread; and the story so far."""

    def __init__(self, folder: Path, disk: Recording) -> None:
        self.clock, self.disk, self.full = HandClock(), disk, False
        self.store = StateStore.open(folder, memory=[])
        stored = self.store.load(service=SERVICE)
        self.token: str | None = None
        self.conductor = conductor_on(restore(stored, self.store), self.clock, self.execute)
        self.conductor.begin()
        self.moments: list[Moment] = []
        self.revision = 0
        self.note("first start")

    def note(self, step: str, *, shown: Shown | None = None) -> None:
        shown = shown or shown_in(self.conductor.state, self.token)
        self.moments.append(Moment(step=step, told=len(self.disk.steps), at=self.clock.wall(), shown=shown))

    def execute(self, action: act.Action) -> None:
        if isinstance(action, act.DiskWrite):
            refused = self.full and not isinstance(action, act.DropStaged)
            with pytest.raises(StorageError) if refused else nullcontext():
                write_now(self.store, action)

    def show_code(self) -> None:
        code = PendingCode(
            service=SERVICE,
            device_code="secret",
            user_code="WDJ-BMJ",
            verification_uri=f"{SERVICE}/pair",
            verification_uri_complete=f"{SERVICE}/pair?code=WDJBMJ",
            interval=5.0,
            expires_at=self.clock.wall() + timedelta(minutes=15),
        )
        self.store.credentials.keep_credentials(code)
        self.note("a code is kept")

    def pair(self, token: str, workspace: str) -> None:
        credentials = Credentials(service=SERVICE, token=token, screen_id=f"scr_{workspace}", workspace_id=workspace)
        last = self.store.last_pairing.load()
        self.store.credentials.keep_credentials(credentials)
        self.token = token
        goes_on = last is not None and last.goes_on_with(credentials)
        self.conductor.handle(ev.PairingChanged(screen_id=credentials.screen_id, is_new=True, forgets=not goes_on))
        self.note("paired")
        self.store.last_pairing.save(LastPairing.of(credentials))
        self.note("noted whose programs these are")

    def unpair(self) -> None:
        self.conductor.handle(ev.PairingChanged(forgets=True))
        # A start between the two finds a dead token and nothing else; the service refuses it again.
        dead = Shown(phase=PairingPhase.PAIRED, token=self.token, view="HouseCard")
        self.note("the programs are deleted", shown=dead)
        self.store.credentials.forget_credentials()
        self.token = None
        self.note("unpaired")

    def publish(self, version: int, *items: dict[str, Any], what: str) -> Manifest:
        """A manifest arrives: another version, or news of the one that is there."""
        self.revision += 1
        scene = menu_scene(f"of version {version}", "Coffee", image=f"picture {version}")
        found, body = manifest(
            version=version,
            scenes=[scene],
            items=items,
            images=["logo", f"picture {version}"],
            revision=self.revision,
            published_at=NOON + timedelta(seconds=version),
        )
        self.conductor.handle(ev.ManifestArrived(manifest=found, body=body))
        self.note(what)
        return found

    def fetch(self, found: Manifest) -> None:
        assert found.version is not None
        for name in ("logo", f"picture {found.version.key.version}"):
            digest, content = asset(name)
            if self.store.assets.check(digest) is None:
                with closing(self.store.assets.open_writer(digest, len(content))) as writer:
                    writer.write(content[:20])
                    writer.write(content[20:])
                    assert writer.finish() is None
                self.note(f"{name} is fetched")
        self.conductor.handle(ev.AssetsVerified(key=found.version.key))
        self.note(f"version {found.version.key.version} is whole")

    def wait(self) -> None:
        self.clock.pass_(LOOP_SECONDS + 1)  # The first loop begins a second after noon.
        self.conductor.handle(ev.TimePassed())
        self.note("a loop has passed")

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """No file can be written but in place of what is there; what could not be is written at the end."""
        with pytest.MonkeyPatch.context() as patch:
            self.full = True
            patch.setattr(durable, "write_all", no_space)
            yield
        self.full = False
        self.store.manifests.settle()
        self.note("there is room again")

    def clear_up(self) -> None:
        for digest in sorted(self.store.assets.held().keys() - self.store.assets.protected()):
            self.store.assets.remove(digest)
        self.note("what nothing uses is deleted")


def no_space(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def life_of(screen: Screen) -> None:
    """Paired, a version, sold-out items, versions that follow and one that is withdrawn, unpaired, paired anew."""
    white, espresso, cake = item("Flat white", 3.4), item("Espresso", 2.2), item("Cake", 4)
    screen.store.manifests.settle()
    screen.note("room is reserved")
    screen.show_code()
    screen.pair("tok_1", "one")
    first = screen.publish(1, white, espresso, what="the first version arrives")
    screen.fetch(first)
    screen.publish(1, white, {**espresso, "eightySixed": True}, what="espresso is sold out")
    screen.publish(1, {**white, "price": 3.6}, {**espresso, "eightySixed": True}, what="dearer")
    screen.publish(1, {**white, "price": 3.6}, espresso, what="espresso is back")
    second = screen.publish(2, white, espresso, cake, what="the second version arrives")
    screen.publish(2, white, {**espresso, "eightySixed": True}, cake, what="sold out while it waits")
    screen.fetch(second)
    screen.wait()
    screen.publish(2, white, espresso, {**cake, "eightySixed": True}, what="cake is sold out")
    screen.store.crash_records.save(b"{}")
    screen.note("a video is on record")
    with screen.full_disk():
        screen.publish(2, white, {**espresso, "eightySixed": True}, cake, what="sold out on a full disk")
        screen.publish(2, {**white, "price": 3.8}, espresso, cake, what="dearer on a full disk")
    with screen.full_disk():
        screen.publish(3, espresso, cake, what="the third version arrives on a full disk")
        screen.publish(3, espresso, {**cake, "eightySixed": True}, what="sold out on a full disk while it waits")
    screen.publish(3, espresso, {**cake, "eightySixed": True}, what="the third version arrives again")
    screen.publish(2, white, espresso, cake, what="the third version is withdrawn")
    fourth = screen.publish(4, white, cake, what="the fourth version arrives")
    screen.store.manifests.drop_previous()
    screen.note("the version before makes room")
    screen.clear_up()
    screen.fetch(fourth)
    screen.wait()
    screen.clear_up()
    screen.publish(4, white, {**cake, "eightySixed": True}, what="cake is sold out again")
    screen.pair("tok_2", "one")
    screen.unpair()
    screen.clear_up()
    screen.pair("tok_3", "one")
    screen.fetch(screen.publish(4, white, cake, what="the fourth version arrives again"))
    screen.pair("tok_4", "two")
    fifth = screen.publish(5, espresso, what="the first version of another workspace arrives")
    screen.fetch(fifth)


def lived(place: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Recording, list[Moment]]:
    folder = place / "lived"
    folder.mkdir()
    monkeypatch.setattr(manifests, "RESERVE_BYTES", 4096)
    with recording(folder, monkeypatch) as disk:
        screen = Screen(folder, disk)
        life_of(screen)
        disk.check()
        screen.store.close()
    return disk, screen.moments


def boot(folder: Path, at: datetime) -> tuple[Shown, str]:
    with StateStore.open(folder, memory=[]) as store:
        stored = store.load(service=SERVICE)
        credentials = stored.credentials
        token = credentials.token if isinstance(credentials, Credentials) else None
        conductor = conductor_on(restore(stored, store), HandClock(at), lambda _: None)
        return shown_in(conductor.begin(), token), store.identity


def replay_all(place: Path, disk: Recording, moments: list[Moment], *, most_lost: int) -> tuple[int, int]:
    """Boots every disk; how many there were, and how many different ones."""
    tried: dict[tuple[bytes, int], None] = {}
    replayed, identity = 0, ""
    for told in range(moments[0].told, len(disk.steps) + 1):
        done = max(number for number, moment in enumerate(moments) if moment.told <= told)
        # What a step has stored is there once it is over.
        under_way = done if moments[done].told == told else done + 1
        allowed = [moment.shown for moment in moments[done : under_way + 1]]
        for tree in disks_after(disk.steps[:told], most_lost=most_lost):
            replayed += 1
            key = (digest_of(tree), under_way)
            if key in tried:
                continue
            tried[key] = None
            folder = place / "booted"
            build(tree, folder)
            for start in ("first", "second"):
                shown, found = boot(folder, moments[under_way].at)
                where = f"{start} start after {told} of {len(disk.steps)} steps, in {moments[under_way].step!r}"
                assert shown in allowed, f"{where}: {shown}\ninstead of {allowed}\n{sorted(tree)}"
                identity = identity or found
                assert found == identity, where
            shutil.rmtree(folder)
    return replayed, len(tried)


def digest_of(tree: Tree) -> bytes:
    found = hashlib.sha256()
    for name, content in tree.items():
        found.update(f"{name} {None if content is None else len(content)}\n".encode() + (content or b""))
    return found.digest()


@pytest.mark.proves("power-cut-moment")
@pytest.mark.long
def test_every_disk_that_a_power_cut_leaves_boots_to_the_board_before_or_after(
    place: Path, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    disk, moments = lived(place, monkeypatch)
    replayed, different = replay_all(place, disk, moments, most_lost=1)
    record_property("disks replayed", replayed)
    print(f"{len(disk.steps)} steps of the disk, {replayed} disks, {different} different ones")  # noqa: T201
    assert replayed > 2000


def write_past(path: Path) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    os.write(descriptor, b"new")
    os.close(descriptor)


def test_a_change_that_goes_past_the_recorder_is_noticed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for changes, complaint in (
        (lambda: (place / "file").write_bytes(b"new"), "in a way that is not recorded"),
        (lambda: (place / "file").symlink_to("nowhere"), "in a way that is not recorded"),
        (lambda: write_past(place / "file"), "written past the recorder"),
    ):
        with recording(place, monkeypatch) as disk:
            changes()
        with pytest.raises(AssertionError, match=complaint):
            disk.check()
        (place / "file").unlink()


def test_a_file_that_was_named_before_it_was_synced_may_be_empty(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with recording(place, monkeypatch) as disk:
        write_file(place / "file", b"content", durably=False)
    trees = list(disks_after(disk.steps))
    assert all(
        tree in trees for tree in ({}, {"file": b""}, {"file": b"con"}, {"file": bytes(7)}, {"file": b"content"})
    )
    with recording(place, monkeypatch) as disk:
        write_file(place / "other", b"content")
    assert list(disks_after(disk.steps)) == [{"other": b"content"}] * 3


@pytest.mark.proves("power-cut-moment")
@pytest.mark.long
def test_every_disk_that_a_power_cut_leaves_in_any_order(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk, moments = lived(place, monkeypatch)
    replayed, different = replay_all(place, disk, moments, most_lost=12)
    print(f"{len(disk.steps)} steps of the disk, {replayed} disks, {different} different ones")  # noqa: T201


@pytest.mark.proves("version-begins-full")
@pytest.mark.parametrize("before", [False, True])
def test_a_version_that_began_on_a_full_disk_is_not_lost_to_one_that_arrives(
    place: Path, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    """Else a start would show the version before, or the one that has arrived, without its pictures."""
    monkeypatch.setattr(manifests, "RESERVE_BYTES", 4096)
    folder, white = place / "lived", item("Flat white", 3.4)
    folder.mkdir()
    with recording(folder, monkeypatch) as disk:
        screen = Screen(folder, disk)
        screen.store.manifests.settle()
        screen.pair("tok_1", "one")
        if before:
            screen.fetch(screen.publish(1, white, what="the first version runs"))
        second = screen.publish(2, white, what="the second version arrives")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(screen.conductor, "handle", lambda _: None)
            screen.fetch(second)
        screen.full = True
        with pytest.MonkeyPatch.context() as full:
            full.setattr(durable, "write_all", no_space)
            screen.fetch(second)
            screen.wait()
            began = len(disk.steps)
            screen.publish(3, white, what="the third version arrives")
        disk.check()
        screen.store.close()
    shown = screen.moments[-1].shown
    assert shown.running == VersionKey(playlist_id="pl_1", version=2)
    for told in range(began, len(disk.steps) + 1):
        for tree in disks_after(disk.steps[:told]):
            booted = place / "booted"
            build(tree, booted)
            assert boot(booted, screen.clock.wall())[0].running == shown.running
            shutil.rmtree(booted)
