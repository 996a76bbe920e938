"""A video of which the decoder dies, and the player with it: the real one, started again as systemd does it."""

from __future__ import annotations

import hashlib
import json
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage

from player.domain.manifest_document import read_manifest
from player.domain.pairing import Credentials
from player.domain.trials import MOST_CRASHES
from player.storage.store import StateStore
from player.storage.trials import TrialNote
from tests.e2e.conftest import Shop
from tests.support.films import film
from tests.support.menus import NOON, document, item, menu_scene
from tests.support.programs import PATIENCE_SECONDS, Player, eventually, on_glass

SERVICE = "http://127.0.0.1:9"
GREEN, RED, GROUND = "#20c020", "#c02020", "#203040"
LEFT, RIGHT, BELOW = (240, 60), (720, 60), (480, 530)


class Cinema:
    """A board that knows its program and reaches no service: two films over a menu."""

    def __init__(self, folder: Path, *films: Path) -> None:
        self.player = Player(folder, SERVICE)
        self.player.module = "tests.support.crashing_player"
        poster = folder / "poster.png"
        image = QImage(64, 36, QImage.Format.Format_RGB32)
        image.fill(QColor(RED))
        assert image.save(str(poster))
        self.videos = [hashlib.sha256(path.read_bytes()).hexdigest() for path in films]
        assets = {hashlib.sha256(path.read_bytes()).hexdigest(): path.read_bytes() for path in (poster, *films)}
        [poster_digest] = assets.keys() - set(self.videos)
        scene = menu_scene("films", "Coffee", background={"color": GROUND})
        scene["widgets"][0].update(y=500, height=500)
        for at, video in enumerate(self.videos):
            box = {"x": 960 * at, "y": 0, "width": 960, "height": 400}
            names = {"asset": f"sha256:{video}", "poster": f"sha256:{poster_digest}"}
            scene["widgets"].append({"id": f"film-{at}", "type": "video", **box, **names})
        body = json.loads(document(scenes=[scene], items=[item("Espresso")]))
        body["assets"] = {digest: {"size": len(data), "mediaType": "video/mp4"} for digest, data in assets.items()}
        encoded = json.dumps(body).encode()
        with StateStore.open(self.player.state_folder) as store:
            store.credentials.keep_credentials(Credentials(service=SERVICE, token="t" * 43, screen_id="scr_1"))
            found = read_manifest(encoded)
            store.manifests.keep_running(body=encoded, etag=found.etag, assets=found.listed_assets, anchor=NOON)
            for digest, data in assets.items():
                path = store.assets.path(digest)
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
        self.die_of(at="open")

    def die_of(self, *videos: str, at: str) -> None:
        self.player.environment |= {"MENU_TEST_DEADLY": ",".join(videos), "MENU_TEST_DEADLY_AT": at}

    def dies(self) -> None:
        """Start, and the decoder takes the player with it."""
        self.player.start()
        assert self.player.process is not None
        assert self.player.process.wait(PATIENCE_SECONDS) == -signal.SIGSEGV, self.player.log.read_text()

    def shows(self, *points: tuple[tuple[int, int], str]) -> None:
        """These colours, and its menu below them."""
        self.player.wait_for("the menu is on the glass", lambda state: "Espresso" in on_glass(state))

        def seen() -> bool:
            image = QImage.fromData(self.player.glass(), "PNG")  # type: ignore[call-overload]
            return all(near(image.pixelColor(*at), color) for at, color in (*points, (BELOW, GROUND)))

        eventually(seen, what=f"the glass shows {points}")

    def complaints(self) -> list[tuple[str, str]]:
        return [(part["subject"], part["code"]) for part in self.player.state()["rejections"]]


def near(seen: QColor, wanted: str) -> bool:
    other = QColor(wanted)
    pairs = ((seen.red(), other.red()), (seen.green(), other.green()), (seen.blue(), other.blue()))
    return all(abs(one - two) < 16 for one, two in pairs)


@pytest.fixture
def cinema(tmp_path: Path) -> Iterator[Cinema]:
    films = [film(picture=f"color=c={GREEN}", seconds=seconds) for seconds in (1.0, 2.0)]
    cinema = Cinema(tmp_path, *films)
    yield cinema
    cinema.player.kill()


@pytest.mark.parametrize("at", ["open", "frames"])
def test_a_video_that_kills_the_player_is_given_up_and_the_rest_of_the_board_is_whole(cinema: Cinema, at: str) -> None:
    deadly, innocent = cinema.videos
    cinema.die_of(deadly, at=at)
    for _ in range(MOST_CRASHES):
        cinema.dies()

    cinema.player.start()

    cinema.shows((LEFT, RED), (RIGHT, GREEN))
    cinema.player.wait_for("it is reported", lambda _: cinema.complaints() == [("scn_films/film-0", "video_crashes")])
    assert cinema.player.end() == 0

    # A start later it is still so; nothing has been forgotten, and nobody dies of it.
    cinema.player.start()
    cinema.shows((LEFT, RED), (RIGHT, GREEN))
    assert innocent not in [subject for subject, _ in cinema.complaints()]


def test_a_board_of_nothing_but_deadly_videos_comes_up_in_the_end(cinema: Cinema) -> None:
    cinema.die_of(*cinema.videos, at="open")
    for _ in range(MOST_CRASHES * len(cinema.videos) - 1):
        cinema.dies()

    cinema.player.start()
    cinema.shows((LEFT, RED), (RIGHT, RED))


def test_one_power_cut_gives_up_no_video(cinema: Cinema) -> None:
    cinema.player.start()
    cinema.shows((LEFT, GREEN), (RIGHT, GREEN))
    cinema.player.kill()

    cinema.player.start()
    cinema.shows((LEFT, GREEN))
    assert cinema.complaints() == []


def test_an_operator_may_ask_for_another_try(shop: Shop) -> None:
    clip = film(picture=f"color=c={GREEN}", seconds=1.0).read_bytes()
    asset = shop.service.upload(clip, "video/mp4")
    widget = {"id": "film", "type": "video", "x": 0, "y": 0, "width": 1920, "height": 400, "asset": asset}
    scene = shop.service.post("/scenes", {"name": "Film", "widgets": [widget]})["id"]
    shop.player.wait_for("it waits to be paired", lambda state: state["pairing"]["code"])
    for _ in range(MOST_CRASHES):
        TrialNote(shop.player.state_folder / "trials").begin(1, hashlib.sha256(clip).hexdigest(), datetime.now(UTC))
    screen = shop.pair(shop.playlist("All day", (scene, 2), (shop.scene("Coffee", "Coffee"), 2)))

    def codes(state: dict[str, Any]) -> list[str]:
        return [part["code"] for part in state["rejections"]]

    shop.player.wait_for("the film is given up", lambda state: codes(state) == ["video_crashes"])
    shop.service.post(f"/screens/{screen}/commands", {"type": "reload"})

    def plays() -> bool:
        image = QImage.fromData(shop.player.glass(), "PNG")  # type: ignore[call-overload]
        return near(image.pixelColor(*LEFT), GREEN)

    eventually(plays, what="the film is on the glass")
