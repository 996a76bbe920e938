"""Targets of fuzzing: everything that the player reads from the network, the disk and the command's configuration.

Each target reads one mutated input and raises unless what follows is named: a rejection, or the one error that its
reader documents. `compare` changes one part only, and raises unless all other parts read as they did.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from menu.documents.manifest import Manifest
from menu.documents.manifest_reader import ManifestError, read_manifest
from player.device.clock import OffsetClock
from player.domain.playing import board as boards
from player.domain.playing.board import Restored
from player.domain.playing.board_facts import all_rejections
from player.domain.playing.shown import output_of
from player.domain.view import HouseCard, PairingCard, SceneView
from player.link.answers import DeviceAuthorization, HeartbeatAnswer, TokenAnswer, decoded
from player.settings import SettingsError, read_settings
from player.storage.checksummed import add_checksum, check_and_strip
from player.storage.store import StateStore
from tests.fuzz.mutations import encode, encode_valid, mutate_bytes, mutate_tree, nested

DATA = Path(__file__).parent.parent / "data"
SERVICE = "http://127.0.0.1:8080"
INSTANTS = tuple(datetime(2026, 11, 20, 12, tzinfo=UTC) + timedelta(hours=7 * step) for step in range(4))


@dataclass(frozen=True)
class Target:
    """`weight`: how often it is drawn; slow ones less."""

    name: str
    weight: int
    fuzz: Callable[[random.Random], None]


@dataclass
class Tray:
    """A folder for the files of one run."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="menu-fuzz-")))

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def manifest_body() -> bytes:
    return (DATA / "manifest.json").read_bytes()


@cache
def manifest_tree() -> Any:
    return json.loads(manifest_body())


@cache
def whole_manifest() -> Manifest:
    return read_manifest(manifest_body())


def _mutant(rng: random.Random, bodies: tuple[bytes, ...]) -> bytes:
    body = rng.choice(bodies)
    match rng.randrange(10):
        case 0 | 1 | 2:
            return mutate_bytes(rng, body, bodies)
        case 3:
            return nested(rng, body)
        case _:
            return encode(mutate_tree(rng, json.loads(body)))


# Manifests and scenes


def fuzz_manifest(rng: random.Random) -> None:
    """Read; and one in eight is shown as well."""
    try:
        manifest = read_manifest(_mutant(rng, (manifest_body(),)))
    except ManifestError as error:
        refused = error
    else:
        refused = None
    if refused is not None:
        assert refused.code in {"too_large", "not_json", "format_unknown", "manifest_bad"}
        return
    assert len(manifest.rejections) <= 101
    for rejection in manifest.rejections:
        assert rejection.code
        assert len(rejection.detail) <= 400
    if rng.randrange(8) == 0:
        show(manifest)


def show(manifest: Manifest) -> None:
    """Everything that a board works out of a manifest before it is drawn."""
    restored = Restored(screen_id="scr_1")
    if manifest.version is not None and manifest.version.entries:
        run = manifest
        restored = Restored(screen_id="scr_1", running=run)
    board = boards.restore(restored)
    board, _ = boards.apply_manifest(board, manifest, b"")
    for now in INSTANTS:
        board, _ = boards.take_over(boards.set_boundary(board, now, schedules_trusted=True), now)
        for trusted in (True, False):
            output = output_of(board, now, schedules_trusted=trusted)
            assert isinstance(output.view, SceneView | HouseCard | PairingCard)
    all_rejections(board)


def compare_manifest(rng: random.Random) -> None:
    """Change one part of a manifest; all other parts read as they did."""
    whole = whole_manifest()
    tree = dict(manifest_tree())
    part = rng.choice(("items", "scenes", "entries", "settings", "location", "assets"))
    if part in {"settings", "location"}:
        tree[part] = mutate_tree(rng, tree[part])
        changed = None
    elif part == "assets":
        name = rng.choice(list(tree["assets"]))
        tree["assets"] = {**tree["assets"], name: mutate_tree(rng, tree["assets"][name])}
        changed = name
    else:
        parent = tree if part != "entries" else tree.setdefault("playlist", {})
        if part == "entries":
            parent = tree["playlist"] = dict(parent)
        listed = list(parent[part])
        index = rng.randrange(len(listed))
        changed = listed[index]["id"]
        listed[index] = mutate_tree(rng, listed[index])
        known = {each["id"] for number, each in enumerate(parent[part]) if number != index}
        if isinstance(listed[index], dict) and str(listed[index].get("id")) in known:
            return  # the second of one id is what goes
        parent[part] = listed
    try:
        read = read_manifest(encode_valid(tree))
    except ManifestError:
        assert part == "location", f"a change in {part} cost the document"
        return
    assert read.version is not None
    assert whole.version is not None
    _same("revision", read.catalogue.revision, whole.catalogue.revision)
    if part != "settings":
        _same("settings", read.settings, whole.settings)
    if part != "location":
        _same("location", read.location, whole.location)
    if part != "assets":
        _others("items", read.catalogue.items, whole.catalogue.items, changed if part == "items" else None)
        _others("scenes", read.version.scenes, whole.version.scenes, changed if part == "scenes" else None)
    ours = {entry.id: entry for entry in read.version.entries}
    theirs = {entry.id: entry for entry in whole.version.entries}
    for name, entry in theirs.items():
        touched = (part == "entries" and name == changed) or (part == "scenes" and entry.scene_id == changed)
        if not touched and part != "assets":
            _same(f"entry {name}", ours.get(name), entry)


def _others(what: str, ours: Any, theirs: Any, changed: str | None) -> None:
    for name, value in theirs.items():
        if name != changed:
            _same(f"{what} {name}", ours.get(name), value)


def _same(what: str, ours: object, theirs: object) -> None:
    assert ours == theirs, f"{what} was not touched, and reads {ours!r} instead of {theirs!r}"


def compare_widget(rng: random.Random) -> None:
    """Change one widget of a scene; the others stay."""
    whole = whole_manifest()
    assert whole.version is not None
    tree = dict(manifest_tree())
    scenes = list(tree["scenes"])
    index = rng.choice([number for number, scene in enumerate(scenes) if len(scene["widgets"]) > 1])
    scene = dict(scenes[index])
    widgets = list(scene["widgets"])
    number = rng.randrange(len(widgets))
    widgets[number] = mutate_tree(rng, widgets[number])
    others = {widget["id"] for place, widget in enumerate(scene["widgets"]) if place != number}
    if isinstance(widgets[number], dict) and str(widgets[number].get("id")) in others:
        return
    scenes[index] = {**scene, "widgets": widgets}
    tree["scenes"] = scenes
    read = read_manifest(encode_valid(tree))
    assert read.version is not None
    ours = {widget.id: widget for widget in read.version.scenes[scene["id"]].widgets}
    for widget in whole.version.scenes[scene["id"]].widgets:
        if widget.id in others:
            _same(f"widget {widget.id}", ours.get(widget.id), widget)


# Answers


HEARTBEAT = encode(
    {
        "serverTime": "2026-11-20T12:00:00.000Z",
        "screen": {"id": "scr_1", "name": "Bar"},
        "settings": {"waitSeconds": 25, "pollSeconds": 20, "heartbeatSeconds": 30},
        "commands": [{"id": "c1", "type": "identify"}, {"id": "c2", "type": "reload"}],
    }
)
CODE = encode(
    {
        "device_code": "abc-DEF_123",
        "user_code": "WDJBMJ",
        "verification_uri": "https://menus.example.com/pair",
        "verification_uri_complete": "https://menus.example.com/pair?code=WDJBMJ",
        "expires_in": 900,
        "interval": 5,
    }
)
TOKEN = encode({"access_token": "tok-1", "token_type": "Bearer", "screen_id": "scr_1", "workspace_id": "ws_1"})
ANSWERS = (HEARTBEAT, CODE, TOKEN)


def fuzz_heartbeat(rng: random.Random) -> None:
    answer = decoded(_mutant(rng, ANSWERS), HeartbeatAnswer)
    if answer is None:
        return
    assert answer.server_time.tzinfo is not None
    settings = answer.readable_settings()
    assert 0 <= settings.wait_seconds <= 60
    assert 5 <= settings.poll_seconds <= 60
    assert 10 <= settings.heartbeat_seconds <= 60
    assert len(answer.readable_commands()) <= 20


def compare_heartbeat(rng: random.Random) -> None:
    """One bad command or bad settings cost only themselves."""
    tree = json.loads(HEARTBEAT)
    if rng.random() < 0.5:
        tree["settings"] = mutate_tree(rng, tree["settings"])
        left = ["c1", "c2"]
    else:
        tree["commands"][0] = mutate_tree(rng, tree["commands"][0])
        left = ["c2"]
    answer = decoded(encode_valid(tree), HeartbeatAnswer)
    assert answer is not None, tree
    found = [command.id for command in answer.readable_commands()]
    assert found[-len(left) :] == left
    assert answer.server_time.year == 2026


def fuzz_pairing(rng: random.Random) -> None:
    body = _mutant(rng, ANSWERS)
    code = decoded(body, DeviceAuthorization)
    if code is not None:
        assert len(code.shown_code) <= 20
        assert code.verification_uri.startswith("http")
    token = decoded(body, TokenAnswer)
    if token is not None:
        assert len(token.access_token) <= 500
        token.access_token.encode("ascii")


# The disk


class StateFiles:
    """State directories: one of them whole, one that is mutated."""

    def __init__(self, tray: Tray) -> None:
        self._source = DATA / "state-0.1.0"
        self._folder = tray.folder / "state"
        self._names = sorted(path.name for path in self._source.iterdir() if path.is_file())
        self._bodies = tuple((self._source / name).read_bytes() for name in self._names)
        self._reset()
        self._whole = self._load()

    def _reset(self) -> None:
        if self._folder.exists():
            shutil.rmtree(self._folder)
        shutil.copytree(self._source, self._folder)

    def _load(self) -> dict[str, Any]:
        from player.runtime.restore import restore

        with StateStore.open(self._folder) as store:
            service = _service_in(self._source / "credentials")
            found = store.load(service=service)
            restore(found, store)
            manifests = found.manifests
            return {
                "identity": store.identity,
                "credentials": found.credentials,
                "running": manifests.running,
                "staged": manifests.staged,
            }

    def fuzz(self, rng: random.Random) -> None:
        """One file is mutated, torn or written anew with a right checksum; the others read as they did."""
        name = rng.choice(self._names)
        body = self._bodies[self._names.index(name)]
        if rng.random() < 0.4:
            kind, payload = _payload(body)
            made = add_checksum(kind, mutate_bytes(rng, payload, self._bodies))
        else:
            made = mutate_bytes(rng, body, self._bodies)
        (self._folder / name).write_bytes(made)
        try:
            found = self._load()
        finally:
            self._reset()
        for other in self._whole:
            if other == name or (name in {"running", "staged", "latest"} and other in {"running", "staged", "latest"}):
                continue
            if other in {"running", "latest", "staged"} and name == "credentials":
                continue
            _same(f"{other}, beside a changed {name},", found[other], self._whole[other])
        for other in {"staged", "running"} - {name}:
            # Whatever one of them holds, another is not lost with it.
            if name in {"running", "staged", "latest"} and self._whole[other] is not None and other == "staged":
                _same(f"staged, beside a changed {name},", found["staged"], self._whole["staged"])


def _service_in(path: Path) -> str:
    _, payload = _payload(path.read_bytes())
    return str(next(iter(json.loads(payload).values()))["service"])


def _payload(raw: bytes) -> tuple[str, bytes]:
    kind = raw.split(b" ", 2)[1].decode()
    return kind, check_and_strip(kind, raw)


def crash_records(rng: random.Random) -> None:
    """The notes of the crash guard, whose checksum is right."""
    from player.display.media.crash_guard import CrashLog

    body = b'{"%s":{"begun_at":"2026-11-20T12:00:00Z","goes_on":true,"crashes":1}}' % (b"a" * 64)

    class Records:
        def load(self) -> bytes:
            return _mutant(rng, (body,))

        def save(self, content: bytes) -> None:
            pass

    log = CrashLog(Records())
    log.request(1, "a" * 64, INSTANTS[0])
    log.request(2, "b" * 64, INSTANTS[0])
    log.release(1)
    log.forgive()


CONFIG = b"""service = "https://menus.example.com"
state = "/var/lib/menu-player"
mode = "windowed"
size = "1920x1080"
rotate = 90
overscan = 2.5
diagnostics_port = 8085
allow_plain_http = false
clock_offset_file = "/tmp/offset"
"""


class ConfigFile:
    def __init__(self, tray: Tray) -> None:
        self._path = tray.folder / "config.toml"

    def fuzz(self, rng: random.Random) -> None:
        self._path.write_bytes(mutate_bytes(rng, CONFIG, (CONFIG, HEARTBEAT)))
        try:
            settings = read_settings({"config": str(self._path)}, {})
        except SettingsError as error:
            faults = error.faults
        else:
            assert settings.service
            return
        assert faults
        assert all(len(fault) < 70_000 for fault in faults)


class ClockFile:
    def __init__(self, tray: Tray) -> None:
        self._path = tray.folder / "offset"
        self._clock = OffsetClock(self._path)

    def fuzz(self, rng: random.Random) -> None:
        example = rng.choice(
            (
                b"3600",
                b"-86400.5\n",
                b"1e11",
                b"-6e10",
                b"2.5e11",
                b"2.516e11",
                b"251610000000",
                b"-6.39e10",
                b"nan",
                b"inf",
                b"1_0",
            )
        )
        self._path.write_bytes(mutate_bytes(rng, example, (example, CONFIG)) if rng.random() < 0.9 else example)
        now = self._clock.wall()
        assert now.tzinfo is not None
        # A year of the timeline must fit on both sides.
        show_at(now)


def show_at(now: datetime) -> None:
    manifest = whole_manifest()
    assert manifest.version is not None
    run = manifest
    output_of(boards.restore(Restored(screen_id="scr_1", running=run)), now, schedules_trusted=True)


class AssetHeads:
    """Images and films by their first bytes, as they are planned before anything is decoded."""

    def __init__(self, tray: Tray) -> None:
        self._path = tray.folder / "asset"
        self._heads = tuple(_heads())

    def fuzz(self, rng: random.Random) -> None:
        from player.display.media.asset_format import AssetFormat, format_of
        from player.display.media.image_plan import ImagePlan, plan_image

        self._path.write_bytes(mutate_bytes(rng, rng.choice(self._heads), self._heads))
        found = format_of(self._path)
        assert found is None or isinstance(found, AssetFormat)
        plan = plan_image(self._path, width=800, height=600)
        if isinstance(plan, ImagePlan):
            assert 0 < plan.pixel_width * plan.pixel_height <= 64_000_000
            return
        assert plan.code in {"asset_undecodable", "asset_too_large"}


def _heads() -> Iterator[bytes]:
    """Small images of each format, made by Qt, and the beginning of a film."""
    from PySide6.QtCore import QBuffer, QByteArray
    from PySide6.QtGui import QColor, QImage

    for kind in ("png", "jpg", "webp"):
        image = QImage(24, 16, QImage.Format.Format_ARGB32)
        image.fill(QColor("#336699"))
        stored = QByteArray()
        buffer = QBuffer(stored)
        buffer.open(QBuffer.OpenModeFlag.WriteOnly)
        if image.save(buffer, kind):
            yield stored.data()
    with (DATA / "film.mp4").open("rb") as film:
        yield film.read(4096)


def all_targets(tray: Tray) -> tuple[Target, ...]:
    """Every target, on files in the tray."""
    return (
        Target("manifest", 40, fuzz_manifest),
        Target("manifest, one part", 20, compare_manifest),
        Target("scene, one widget", 10, compare_widget),
        Target("heartbeat answer", 30, fuzz_heartbeat),
        Target("heartbeat answer, one part", 10, compare_heartbeat),
        Target("pairing answers", 30, fuzz_pairing),
        Target("state files", 2, StateFiles(tray).fuzz),
        Target("crash records", 10, crash_records),
        Target("config.toml", 20, ConfigFile(tray).fuzz),
        Target("clock offset file", 10, ClockFile(tray).fuzz),
        Target("asset heads", 10, AssetHeads(tray).fuzz),
    )
