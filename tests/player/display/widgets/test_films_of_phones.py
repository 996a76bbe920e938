"""Films as phones and their programs write them: with a picture that comes late, and in HDR."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtMultimedia import QMediaPlayer

from menu.documents.box import Box
from menu.documents.scene import VideoWidget
from tests.player.display.conftest import Glass
from tests.player.display.scenes import scene, showing
from tests.support.films import FFMPEG, film
from tests.support.patience import PATIENCE_SECONDS

FILM = "a" * 64
CANVAS = Box(x=0, y=0, width=1920, height=1080)
LATE_SECONDS = 300

pytestmark = pytest.mark.film


def late_film(folder: Path, container: str) -> Path:
    """Its sound begins at once, its picture after five minutes."""
    path = folder / f"late.{container}"
    picture = ("-itsoffset", str(LATE_SECONDS), "-i", str(film(seconds=1.0)))
    sound = ("-f", "lavfi", "-i", f"anullsrc=duration={LATE_SECONDS + 1}")
    streams = ("-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "aac")
    subprocess.run([*FFMPEG, *picture, *sound, *streams, str(path)], check=True, timeout=PATIENCE_SECONDS)
    return path


@pytest.mark.first_case
@pytest.mark.parametrize("container", ["mp4", "mkv"])
def test_a_film_whose_picture_comes_late_plays_from_that_picture_on_round_after_round(
    glass: Glass, tmp_path: Path, container: str
) -> None:
    glass.files[FILM] = late_film(tmp_path, container)
    glass.show(showing(scene(VideoWidget(id="film", box=CANVAS, asset=FILM))))
    glass.until(lambda: glass.grab().pixelColor(480, 270).lightness() > 0 and bool(glass.find("frame")))
    [player] = glass.display.stage.findChildren(QMediaPlayer)
    rounds = [0]

    def played_twice() -> bool:
        rounds.append(player.position())
        return sum(one > two for one, two in pairwise(rounds)) >= 2

    glass.until(played_twice)
    assert glass.undrawable == []


@pytest.mark.first_case
@pytest.mark.parametrize(("transfer", "name"), [("arib-std-b67", "HLG"), ("smpte2084", "PQ"), ("bt709", None)])
def test_a_film_in_hdr_shows_and_is_reported(glass: Glass, transfer: str, name: str | None) -> None:
    glass.files[FILM] = film("hevc", more=("-color_primaries", "bt2020", "-color_trc", transfer))
    glass.show(showing(scene(VideoWidget(id="film", box=CANVAS, asset=FILM))))
    glass.until(lambda: bool(glass.find("frame")))

    told = [(event.subject, event.code, event.detail) for event in glass.undrawable]
    assert told == ([] if name is None else [("scn_1/film", "video_hdr", f"the film “film” is HDR ({name})")])
