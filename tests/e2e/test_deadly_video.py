"""Videos that crash the decoder, and the player with it: the real player, restarted as systemd does."""

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

from menu.documents.manifest_reader import read_manifest
from player.display.media.crash_guard import MOST_CRASHES, CrashLog
from player.domain.pairing.pairing import Credentials
from player.domain.recovery import fallback
from player.storage.failures import FailureFile
from player.storage.store import StateStore
from tests.e2e.conftest import Shop
from tests.support.films import film
from tests.support.menus import NOON, document, item, menu_scene
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import Player, eventually, on_glass

SERVICE = "http://127.0.0.1:9"
GREEN, RED, GROUND = "#20c020", "#c02020", "#203040"
LEFT, RIGHT, BELOW = (240, 60), (720, 60), (480, 530)


class Cinema:
    """A board that has its version on the disk and no service: two videos above a menu."""

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
        self.crash_on(at="open")

    def crash_on(self, *videos: str, at: str) -> None:
        self.player.environment |= {"MENU_TEST_DEADLY": ",".join(videos), "MENU_TEST_DEADLY_AT": at}

    def crashes(self) -> None:
        """Start the player; the decoder crashes it."""
        self.player.start()
        assert self.player.process is not None
        assert self.player.process.wait(PATIENCE_SECONDS) == -signal.SIGSEGV, self.player.log.read_text()

    def shows(self, *points: tuple[tuple[int, int], str]) -> None:
        """Wait until the glass has these colours, and the menu below them."""
        self.player.wait_for("the menu is on the glass", lambda state: "Espresso" in on_glass(state))

        def seen() -> bool:
            image = QImage.fromData(self.player.glass(), "PNG")  # type: ignore[call-overload]
            return all(near(image.pixelColor(*at), color) for at, color in (*points, (BELOW, GROUND)))

        eventually(seen, what=f"the glass shows {points}")

    def rejections(self) -> list[tuple[str, str]]:
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


@pytest.mark.long
@pytest.mark.parametrize("at", ["open", pytest.param("frames", marks=pytest.mark.long)])
def test_a_video_that_crashes_the_player_is_barred_and_the_rest_of_the_board_shows(cinema: Cinema, at: str) -> None:
    deadly, innocent = cinema.videos
    cinema.crash_on(deadly, at=at)
    for _ in range(MOST_CRASHES):
        cinema.crashes()

    cinema.player.start()

    cinema.shows((LEFT, RED), (RIGHT, GREEN))
    cinema.player.wait_for("it is reported", lambda _: cinema.rejections() == [("scn_films/film-0", "video_crashes")])
    assert cinema.player.end() == 0

    # The next start remembers it, and does not crash.
    cinema.player.start()
    cinema.shows((LEFT, RED), (RIGHT, GREEN))
    assert innocent not in [subject for subject, _ in cinema.rejections()]


@pytest.mark.long
def test_a_board_with_only_crashing_videos_shows_after_all_are_barred(cinema: Cinema) -> None:
    cinema.crash_on(*cinema.videos, at="open")
    for _ in range(MOST_CRASHES * len(cinema.videos) - 1):
        cinema.crashes()

    cinema.player.start()
    cinema.shows((LEFT, RED), (RIGHT, RED))


@pytest.mark.long
def test_one_power_cut_bars_no_video(cinema: Cinema) -> None:
    cinema.player.start()
    cinema.shows((LEFT, GREEN), (RIGHT, GREEN))
    cinema.player.kill()

    cinema.player.start()
    cinema.shows((LEFT, GREEN))
    assert cinema.rejections() == []


@pytest.mark.long
def test_an_operator_can_have_a_barred_video_tried_again(shop: Shop) -> None:
    clip = film(picture=f"color=c={GREEN}", seconds=1.0).read_bytes()
    asset = shop.service.upload(clip, "video/mp4")
    widget = {"id": "film", "type": "video", "x": 0, "y": 0, "width": 1920, "height": 400, "asset": asset}
    scene = shop.service.post("/scenes", {"name": "Film", "widgets": [widget]})["id"]
    shop.player.wait_for("it waits to be paired", lambda state: state["pairing"]["code"])
    shop.player.end()
    records = FailureFile(shop.player.state_folder).part(fallback.is_video)
    for _ in range(MOST_CRASHES):
        CrashLog(records).request(1, hashlib.sha256(clip).hexdigest(), datetime.now(UTC))
    shop.player.start()
    screen = shop.pair(shop.playlist("All day", (scene, 2), (shop.scene("Coffee", "Coffee"), 2)))

    def codes(state: dict[str, Any]) -> list[str]:
        return [part["code"] for part in state["rejections"]]

    shop.player.wait_for("the video is barred", lambda state: codes(state) == ["video_crashes"])
    shop.service.post(f"/screens/{screen}/commands", {"type": "reload"})

    def plays() -> bool:
        image = QImage.fromData(shop.player.glass(), "PNG")  # type: ignore[call-overload]
        return near(image.pixelColor(*LEFT), GREEN)

    eventually(plays, what="the video is on the glass")
