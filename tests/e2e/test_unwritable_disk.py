"""The real player on a disk that can be read and not written: what is there shows, and new things come all the same."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from player.domain.pairing import Credentials
from player.storage.store import StateStore
from tests.support.films import still
from tests.support.menus import NOON, item, manifest, menu_scene
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


@pytest.mark.parametrize("kind", ["permissions, and a pipe as lock", "read-only mount"])
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
    assert list(Path(player.environment["RUNTIME_DIRECTORY"]).iterdir()) == [], "the memory is given back"


def test_a_new_board_on_such_a_disk_is_paired_and_shows_what_is_published(player: Player, tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.start()
    try:
        player.service = service.address
        player.state_folder.mkdir(mode=0o500)
        player.prefix = HELD_TO_PERMISSIONS
        player.start()
        place = {"name": "Corner Café", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "en-IE"}
        location = service.post("/locations", place)["id"]
        soup = service.post("/content/items", {"name": "Soup", "category": "Lunch", "price": 6.5})["id"]
        picture = service.upload(still("png").read_bytes(), "image/png")
        box = {"x": 0, "y": 0, "width": 960, "height": 1080}
        widgets = [
            {"id": "menu", "type": "menu", **box, "categories": ["Lunch"]},
            {"id": "photo", "type": "image", **box, "x": 960, "asset": picture},
        ]
        scene = service.post("/scenes", {"name": "Lunch", "widgets": widgets})["id"]
        playlist = service.post("/playlists", {"name": "All day"})["id"]
        service.post(f"/playlists/{playlist}/scenes", {"sceneId": scene, "durationSeconds": 10})
        service.post(f"/playlists/{playlist}/publish")
        body = {"code": player.code(), "playlist": playlist, "location": location}
        screen = service.post("/screens/pair", body)["id"]

        state = player.wait_for("the menu shows", lambda state: on_glass(state) == {"Soup": "€6.50"})
        assert [part["code"] for part in state["rejections"]] == ["state_in_memory"], "the picture shows too"
        service.patch(f"/content/items/{soup}", {"price": 7})
        player.wait_for("the new price shows", lambda state: on_glass(state) == {"Soup": "€7.00"})
        assert "state_in_memory" in [error["code"] for error in service.get(f"/screens/{screen}")["errors"]]
        assert player.end() == 0
        assert list(player.state_folder.iterdir()) == []
    finally:
        service.kill()
        shutil.rmtree(service.data, ignore_errors=True)
