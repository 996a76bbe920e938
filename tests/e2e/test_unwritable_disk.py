"""The real player on a disk that can be read and not written: what is there shows, and new things come all the same."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from menu.documents.manifest_reader import read_manifest
from player.device.board_file import NAME as BOARD_FILE
from player.domain.pairing.pairing import Credentials
from player.storage.store import StateStore
from tests.support.films import still
from tests.support.menus import NOON, document, item, manifest, menu_scene
from tests.support.obstacles import obstruct
from tests.support.programs import Player, Service, on_glass

NOBODY_LISTENS = "http://127.0.0.1:9"
OVERRIDES = "-dac_override,-dac_read_search"
HELD_TO_PERMISSIONS = () if os.geteuid() else ("setpriv", f"--bounding-set={OVERRIDES}", f"--inh-caps={OVERRIDES}")
"""Before a command: permissions bind it, also where the tests run as root."""


def read_only_mount(folder: Path) -> tuple[str, ...]:
    """Before a command: it sees the folder as on a card that is mounted read-only."""
    own = ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--mount", "--map-root-user")
    script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    return (*own, "sh", "-c", script, str(folder))


def namespaces_allowed() -> bool:
    return subprocess.run([*read_only_mount(Path("/tmp")), "true"], capture_output=True, check=False).returncode == 0


def close(folder: Path) -> None:
    """Take away the permission to write."""
    for path in [*folder.rglob("*"), folder]:
        if path.is_dir():
            path.chmod(0o500)


@pytest.fixture
def player(tmp_path: Path) -> Iterator[Player]:
    player = Player(tmp_path, NOBODY_LISTENS)
    # What is kept in memory is to be seen here.
    (tmp_path / "ram").mkdir()
    player.environment["RUNTIME_DIRECTORY"] = str(tmp_path / "ram")
    yield player
    player.kill()
    for path in [player.state_folder, *player.state_folder.rglob("*")]:
        if path.is_dir():
            path.chmod(0o700)


def tree(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.proves("disk-can-read")
@pytest.mark.parametrize(
    "kind", [pytest.param("permissions, and a pipe as lock", marks=pytest.mark.long), "read-only mount"]
)
def test_a_board_shows_its_menu_from_a_disk_that_cannot_be_written(player: Player, kind: str) -> None:
    with StateStore.open(player.state_folder) as store:
        store.credentials.keep_credentials(Credentials(service=NOBODY_LISTENS, token="t" * 43, screen_id="scr_1"))
        found, body = manifest(scenes=[menu_scene("coffee", "Coffee")], items=[item("Espresso", 2.2)])
        store.manifests.keep_running(body=body, etag=found.etag, assets=found.listed_assets, anchor=NOON)
    player.prefix = HELD_TO_PERMISSIONS
    match kind:
        case "read-only mount" if not namespaces_allowed():
            pytest.skip("this machine lets nobody mount anything; the same disk is tested by its permissions")
        case "read-only mount":
            player.prefix = read_only_mount(player.state_folder)
        case _:
            obstruct(player.state_folder / "lock", "a pipe")
            close(player.state_folder)
    before = tree(player.state_folder)

    player.start()
    state = player.wait_for("the menu shows", lambda state: on_glass(state) == {"Espresso": "€2.20"})
    assert [part["code"] for part in state["rejections"]] == ["state_in_memory"]
    assert "state_in_memory" in [finding["code"] for finding in state["findings"]]
    assert player.end() == 0
    before.pop(str(player.state_folder / "lock"))
    after = tree(player.state_folder)
    after.pop(str(player.state_folder / "lock"))
    assert after == before
    left = {path.name for path in Path(player.environment["RUNTIME_DIRECTORY"]).iterdir()}
    assert left <= {BOARD_FILE}, "the memory is given back"


def codes(state: dict[str, Any]) -> list[str]:
    return [part["code"] for part in state["rejections"]]


LOGO = {"id": "logo", "type": "image", "x": 1560, "y": 40, "width": 320, "height": 180}


@pytest.mark.long
@pytest.mark.first_case
@pytest.mark.proves("picture-film-lost")
@pytest.mark.parametrize(
    "loss",
    [
        "deleted",
        pytest.param("truncated", marks=pytest.mark.long),
        pytest.param("a directory", marks=pytest.mark.long),
        pytest.param("a dangling link", marks=pytest.mark.long),
        "a file with an input/output error",
    ],
)
def test_a_board_whose_only_scene_has_lost_its_logo_shows_its_menu_without_the_service(
    player: Player, loss: str
) -> None:
    logo = still("png").read_bytes()
    digest = sha256(logo).hexdigest()
    scene = menu_scene("coffee", "Coffee")
    scene["widgets"].append(LOGO | {"asset": f"sha256:{digest}"})
    body = json.loads(document(scenes=[scene], items=[item("Espresso", 2.2)]))
    body["assets"] = {digest: {"size": len(logo), "mediaType": "image/png"}}
    raw = json.dumps(body).encode()
    found = read_manifest(raw)
    with StateStore.open(player.state_folder) as store:
        store.credentials.keep_credentials(Credentials(service=NOBODY_LISTENS, token="t" * 43, screen_id="scr_1"))
        store.manifests.keep_running(body=raw, etag=found.etag, assets=found.listed_assets, anchor=NOON)
        path = store.assets.path(digest)
    path.parent.mkdir()
    path.write_bytes(logo if loss != "truncated" else logo[: len(logo) // 2])
    if loss == "deleted":
        path.unlink()
    elif loss != "truncated":
        obstruct(path, loss)

    player.start()
    player.wait_for("the menu shows", lambda state: on_glass(state) == {"Espresso": "€2.20"})
    state = player.wait_for("the file is checked", lambda state: "asset_lacking" in codes(state))
    assert on_glass(state) == {"Espresso": "€2.20"}
    # The check by its hash may have said by now whether it was damaged; what was uploaded is not blamed.
    assert set(codes(state)) <= {"asset_lacking", "asset_damaged"}


class Café:
    """A service with a menu, and the player that is to show it."""

    def __init__(self, service: Service, player: Player) -> None:
        self.service, self.player = service, player
        place = {"name": "Corner Café", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "en-IE"}
        self.location = service.post("/locations", place)["id"]
        self.soup = service.post("/content/items", {"name": "Soup", "category": "Lunch", "price": 6.5})["id"]
        self.playlist = service.post("/playlists", {"name": "All day"})["id"]

    def publish(self) -> None:
        """A version with one more scene, which has a menu and a picture of its own."""
        picture = self.service.upload(still("png", size=f"{next(WIDTHS)}x36").read_bytes(), "image/png")
        box = {"x": 0, "y": 0, "width": 960, "height": 1080}
        widgets = [
            {"id": "menu", "type": "menu", **box, "categories": ["Lunch"]},
            {"id": "photo", "type": "image", **box, "x": 960, "asset": picture},
        ]
        scene = self.service.post("/scenes", {"name": "Lunch", "widgets": widgets})["id"]
        self.service.post(f"/playlists/{self.playlist}/scenes", {"sceneId": scene, "durationSeconds": 5})
        self.service.post(f"/playlists/{self.playlist}/publish")

    def pair(self) -> str:
        body = {"code": self.player.code(), "playlist": self.playlist, "location": self.location}
        return str(self.service.post("/screens/pair", body)["id"])


WIDTHS = count(64, 2)


@pytest.fixture
def café(player: Player, tmp_path: Path) -> Iterator[Café]:
    service = Service(tmp_path)
    service.start()
    player.service = service.address
    yield Café(service, player)
    service.kill()


@pytest.mark.long
@pytest.mark.proves("same-first-start")
def test_a_new_board_on_such_a_disk_is_paired_and_shows_what_is_published(café: Café) -> None:
    player = café.player
    player.state_folder.mkdir(mode=0o500)
    player.prefix = HELD_TO_PERMISSIONS
    player.start()
    café.publish()
    screen = café.pair()

    state = player.wait_for("the menu shows", lambda state: on_glass(state) == {"Soup": "€6.50"})
    assert [part["code"] for part in state["rejections"]] == ["state_in_memory"], "the picture shows too"
    café.service.patch(f"/content/items/{café.soup}", {"price": 7})
    player.wait_for("the new price shows", lambda state: on_glass(state) == {"Soup": "€7.00"})
    assert "state_in_memory" in [error["code"] for error in café.service.get(f"/screens/{screen}")["errors"]]
    assert player.end() == 0
    assert list(player.state_folder.iterdir()) == []


@contextmanager
def card(folder: Path) -> Iterator[str]:
    """An ext4 file system of its own at a folder, which becomes read-only at its first error; its name."""
    image = folder.with_name("card")
    image.touch()
    os.truncate(image, CARD_BYTES)
    run("mkfs.ext4", "-q", str(image))
    device = run("losetup", "--find", "--show", str(image))
    try:
        run("mount", "-o", "errors=remount-ro", device, str(folder))
        try:
            yield Path(device).name
        finally:
            run("umount", "--lazy", str(folder))
    finally:
        run("losetup", "--detach", device)


CARD_BYTES = 600 * 1024**2


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.proves("disk-becomes-read")
@pytest.mark.long
def test_a_card_that_gives_up_in_a_run_holds_up_no_new_version(café: Café) -> None:
    """The kernel's own way: an error of the file system, and from then on it is read-only."""
    if os.geteuid() or not Path("/dev/loop-control").exists():
        pytest.skip("only root can mount a card of its own; the storage's tests have the same disk by its errors")
    player = café.player
    player.state_folder.mkdir()
    with card(player.state_folder) as device:
        player.start()
        café.publish()
        café.pair()
        player.wait_for("the menu shows", lambda state: on_glass(state) == {"Soup": "€6.50"})
        Path(f"/sys/fs/ext4/{device}/trigger_fs_error").write_text("worn out")

        café.publish()
        state = player.wait_for("the next version shows", lambda state: state["presented"]["version"] == 2)
        assert {part["code"] for part in state["rejections"]} <= {"disk_read_only", "disk_failing"}
        # Until the next look at the disk it is write-protected only; then the kernel's count of errors says why.
        player.wait_for("the card fails", lambda state: "disk_failing" in [one["code"] for one in state["findings"]])
        assert player.end() == 0
        player.start()
        state = player.wait_for("the menu shows", lambda state: on_glass(state) == {"Soup": "€6.50"})
        assert [part["code"] for part in state["rejections"]] == ["state_in_memory"]
        assert player.end() == 0
