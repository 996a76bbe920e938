"""Every part that draws a file, with every loss of its file, at a start and while the board plays: the text shows, one
finding says that a file is missing, and the part is whole again once the file is. Real disk, board and display; the
service is away."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import pytest

from menu.documents.manifest_reader import read_manifest
from player.domain import actions as act
from player.domain import events as ev
from player.domain.findings.diagnosis import diagnose
from player.domain.pairing.pairing import Credentials
from player.domain.state import Device
from player.domain.view import HouseCard
from player.link.api import ServiceApi
from player.link.downloads import Downloads
from player.runtime.conductor import Conductor
from player.runtime.restore import restore
from player.storage.store import StateStore
from tests.player.display.conftest import Glass, make_glass
from tests.player.link.token_source import FakeTokenSource
from tests.player.storage.conftest import place
from tests.support.examples import EXAMPLES
from tests.support.films import CHATTER, film, still
from tests.support.menus import NOON, HandClock, document, item, menu_scene
from tests.support.obstacles import NOBODY, obstruct, unprivileged
from tests.support.virtual import VirtualLoop

__all__ = ["make_glass", "place"]

pytestmark = pytest.mark.qt_log_ignore(*CHATTER, "Cannot open", "Error decoding")

NOBODY_LISTENS = "http://127.0.0.1:9"
BOX = {"x": 1000, "y": 100, "width": 800, "height": 800}
PARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "background": ("$picture", {"background": {"color": "#204060", "asset": "$picture"}}),
    "image": ("$picture", {"widget": {"type": "image", "asset": "$picture"}}),
    "slideshow of one picture": (
        "$picture",
        {"widget": {"type": "slideshow", "slides": [{"asset": "$picture", "durationSeconds": 5}]}},
    ),
    "slideshow of two pictures": (
        "$picture",
        {
            "widget": {
                "type": "slideshow",
                "slides": [{"asset": each, "durationSeconds": 5} for each in ("$picture", "$photo")],
            }
        },
    ),
    "slideshow of a film": (
        "$film",
        {"widget": {"type": "slideshow", "slides": [{"asset": "$film", "durationSeconds": 5}]}},
    ),
    "video": ("$film", {"widget": {"type": "video", "asset": "$film"}}),
    "video with a poster": ("$film", {"widget": {"type": "video", "asset": "$film", "poster": "$picture"}}),
    "poster": ("$picture", {"widget": {"type": "video", "asset": "$film", "poster": "$picture"}}),
    "picture in a menu": ("$picture", {"item": "$picture", "menu": {"showImages": True}}),
    "picture in a grid": ("$picture", {"item": "$picture", "widget": {"type": "grid"}}),
    "picture of an item": ("$picture", {"item": "$picture", "widget": {"type": "item", "itemId": "itm_Espresso"}}),
}
"""For each part the file that is lost, and where its scene and items name it."""


@cache
def files() -> dict[str, tuple[str, bytes]]:
    """Media type and content of the files, by what stands for their names in `PARTS`."""
    return {
        "$picture": ("image/png", still("png").read_bytes()),
        "$photo": ("image/jpeg", still("jpeg").read_bytes()),
        "$film": ("video/mp4", film().read_bytes()),
    }


def digest(name: str) -> str:
    return hashlib.sha256(files()[name][1]).hexdigest()


FORBIDDEN = "no permission"
LOSSES: dict[str, Callable[[Path, bytes], None]] = {
    **{
        name: lambda path, _, name=name: obstruct(path, name)
        for name in ("a directory", "a dangling link", "a file with an input/output error")
    },
    "deleted": lambda path, _: path.unlink(),
    "truncated": lambda path, body: _replace(path, body[: len(body) // 2]),
    "other bytes of the same length": lambda path, body: _replace(path, bytes(255 - byte for byte in body)),
    FORBIDDEN: lambda path, body: _replace(path, body, mode=0),
}
COMMONEST = ("deleted", "truncated", FORBIDDEN)


def _replace(path: Path, body: bytes, *, mode: int = 0o600) -> None:
    path.unlink()
    path.write_bytes(body)
    path.chmod(mode)


class StoredFiles(dict[str, Path]):
    """The assets of a state directory, as the display asks for them."""

    def __init__(self, store: StateStore) -> None:
        super().__init__()
        self._store = store

    def get(self, digest: str, default: Path | None = None) -> Path:  # type: ignore[override]
        del default
        return self._store.assets.path(digest)


class LossyBoard:
    """A board with one scene, a menu and one part that draws a file, on a disk that loses it."""

    def __init__(self, place: Path, make: Callable[..., Glass], part: str) -> None:
        self.lost, made = PARTS[part]
        self.is_covered = part == "poster"
        """Whether nobody sees that it is back: the film plays."""
        self.place = place
        self.runner = asyncio.Runner(loop_factory=VirtualLoop)
        self.tasks: list[asyncio.Task[NoReturn]] = []
        self.store = StateStore.open(place / "state")
        self.store.credentials.keep_credentials(Credentials(service=NOBODY_LISTENS, token="t" * 43, screen_id="scr_1"))
        scene = menu_scene("coffee", "Coffee", background=made.get("background", {"color": "#102030"}))
        scene["transition"] = {"type": "cut"}
        scene["widgets"][0] |= {"width": 800, **made.get("menu", {})}
        if "widget" in made:
            scene["widgets"].append({"id": "part", **BOX, **made["widget"]})
        espresso = item("Espresso", 2.2) | ({"image": made["item"]} if "item" in made else {})
        body = json.loads(document(scenes=[scene], items=[espresso, item("Latte", 3.4)]))
        self.files = [name for name in files() if f'"{name}"' in json.dumps(body)]
        body["assets"] = {
            digest(name): {"size": len(files()[name][1]), "mediaType": files()[name][0]} for name in self.files
        }
        raw = re.sub(r'"(\$\w+)"', lambda name: f'"sha256:{digest(name[1])}"', json.dumps(body)).encode()
        found = read_manifest(raw)
        assert found.rejections == ()
        assert found.version is not None
        assert len(found.version.assets) == len(self.files)
        self.version = found.version
        self.store.manifests.keep_running(body=raw, etag=found.etag, assets=found.listed_assets, anchor=NOON)
        self.glass = make(files=StoredFiles(self.store))
        self.mend()

    @property
    def path(self) -> Path:
        return self.store.assets.path(digest(self.lost))

    def mend(self) -> None:
        """Every file is there again, as a download leaves it."""
        for each in self.files:
            path = self.store.assets.path(digest(each))
            path.parent.mkdir(exist_ok=True)
            obstruct(path, "a dangling link")
            _replace(path, files()[each][1])
        if os.geteuid() == 0:
            for path in (self.place, *self.place.rglob("*")):
                os.chown(path, NOBODY, NOBODY)

    def start(self) -> None:
        """The program begins, with what the disk has."""
        self.clock = HandClock()
        self.actions: list[act.Action] = []
        self.shown, self.heard = 0, len(self.glass.events)
        self.downloads: Downloads | None = None
        for task in self.tasks:
            self.runner.get_loop().call_soon(task.cancel)
        stored = self.store.load(service=NOBODY_LISTENS)
        self.conductor = Conductor(
            device=Device(device_id="d" * 32, boot_id="boot", app_version="0", service=NOBODY_LISTENS, started_at=NOON),
            clock=self.clock,
            restored=restore(stored, self.store),
            synchronised=True,
            issue=self.actions.append,
            publish=lambda _: None,
        )
        self.conductor.begin()
        self.another()

    def draw(self) -> None:
        """The display shows what was ordered, and the board hears what it says of it."""
        orders = [action.order for action in self.actions if isinstance(action, act.Show)]
        if len(orders) > self.shown:
            self.shown = len(orders)
            self.glass.show(orders[-1].view)
        self.glass.until(lambda: self.glass.display.stage.is_at_rest)
        told, self.heard = self.glass.events[self.heard :], len(self.glass.events)
        for event in told:
            if isinstance(event, ev.WidgetUndrawable | ev.WidgetDrawn):
                self.conductor.handle(event)

    def another(self) -> None:
        """The scene is drawn anew, as at a start and after another scene."""
        self.glass.show(HouseCard())
        self.shown = 0
        self.draw()

    def look_after_files(self) -> None:
        """The files are checked as the board asks for it, the service being away."""
        if any(isinstance(action, act.RecheckAssets) for action in self.actions):
            self.store.assets.recheck()
        self.runner.run(self._check())
        self.draw()

    async def _check(self) -> None:
        if self.downloads is None:
            self.downloads = Downloads(
                api=ServiceApi(NOBODY_LISTENS, app_version="0"),
                token_source=FakeTokenSource(),
                store=self.store.assets,
                clock=self.clock,
                random=lambda: 0.5,
                emit=self._hear,
            )
            self.downloads.want([self.version], on_glass=self.version.key)
            self.tasks.append(asyncio.ensure_future(self.downloads.run()))
        else:
            self.downloads.recheck()
        await asyncio.sleep(1)

    def _hear(self, event: ev.Event) -> None:
        if isinstance(event, ev.AssetsMissing | ev.AssetsVerified | ev.PartFailed | ev.PartWell):
            self.conductor.handle(event)

    @property
    def findings(self) -> dict[str, str]:
        for _ in range(8):
            self.clock.pass_(1)
            self.conductor.handle(ev.TimePassed())
        self.draw()
        return {finding.code: f"{finding.what} {finding.why}" for finding in diagnose(self.conductor.state)}

    @property
    def names(self) -> set[str]:
        """The text on the glass."""
        return set(self.glass.texts("name"))


@pytest.fixture
def lossy(place: Path, make_glass: Callable[..., Glass]) -> Iterator[Callable[[str], LossyBoard]]:
    made: list[LossyBoard] = []

    def make(part: str) -> LossyBoard:
        made.append(LossyBoard(place, make_glass, part))
        return made[-1]

    yield make
    for board in made:
        board.runner.close()
        board.store.close()


@pytest.mark.first_case
@pytest.mark.proves("picture-film-lost")
@pytest.mark.parametrize("part", PARTS)
def test_a_file_that_is_lost_costs_its_part_and_never_the_menu(lossy: Callable[[str], LossyBoard], part: str) -> None:
    """Each loss of an image, and the commonest of the other parts; in make test-long each of all."""
    board = lossy(part)
    for loss in LOSSES if EXAMPLES or part == "image" else COMMONEST:
        for playing in (False, True):
            # What the display loads late is read with all privileges, in the cells before.
            with unprivileged() if loss == FORBIDDEN else nullcontext():
                _lose(board, loss, playing=playing)


def _lose(board: LossyBoard, loss: str, *, playing: bool) -> None:
    cell = f"{loss}, {'while it plays' if playing else 'at a start'}"
    if playing:
        board.start()
    LOSSES[loss](board.path, files()[board.lost][1])
    if playing:
        board.another()
    else:
        board.start()
    assert board.names == {"Espresso", "Latte"}, cell
    board.look_after_files()
    assert board.names == {"Espresso", "Latte"}, cell
    found = board.findings
    [told] = found.keys() & {"files_missing", "files_damaged"}
    assert told == ("files_missing" if loss in {"deleted", "a dangling link"} else "files_damaged"), cell
    assert not found.keys() & {"parts_rejected", "no_scene_can_show"}, (cell, found)
    assert "so no scene can be shown" not in found[told], cell

    without = board.glass.grab()
    board.mend()
    board.look_after_files()
    if not board.is_covered:
        board.glass.until(lambda: board.glass.grab() != without)
    assert board.names == {"Espresso", "Latte"}, cell
    assert not board.findings.keys() & {"files_missing", "files_damaged", "parts_rejected"}, cell
    assert board.conductor.state.rejections == (), cell
