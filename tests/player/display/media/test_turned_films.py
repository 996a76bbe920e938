"""Films that a phone has recorded on its side are seen upright where there is no GPU, as they are on one."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QColor, QImage
from PySide6.QtMultimedia import QMediaPlayer, QtVideo, QVideoFrame, QVideoFrameFormat

from menu.documents.box import Box
from menu.documents.scene import Background, Fit, VideoWidget
from player.display.media import frame_scaler
from player.display.media.frame_scaler import FrameScaler
from tests.player.display.conftest import Glass
from tests.player.display.scenes import scene, showing
from tests.support.films import FFMPEG
from tests.support.oriented import CORNERS, upright
from tests.support.patience import PATIENCE_SECONDS

FILM = "f" * 64
BOX = Box(x=480, y=0, width=960, height=1080)
PARTS = {
    Fit.COVER: QRect(240, 0, 480, 540),
    Fit.CONTAIN: QRect(480 - 202, 0, 405, 540),
    Fit.STRETCH: QRect(240, 0, 480, 540),
}
DEGREES = (0, 90, 180, 270)
_FILTERS = {0: "null", 90: "transpose=cclock", 180: "hflip,vflip", 270: "transpose=clock"}
"""From the film that is seen to its pixels, before they are turned clockwise by so much."""

pytestmark = pytest.mark.film


@cache
def turned_film(degrees: int) -> Path:
    """A second of CORNERS, 120 x 160 pixels as it is seen, which says that it is to be turned clockwise by so much."""
    folder = Path(mkdtemp(prefix="turned-"))
    upright(120, 160).save(str(folder / "picture.png"))
    encode = ("-c:v", "libx264", "-preset", "ultrafast", "-qp", "10", "-pix_fmt", "yuv420p")
    still = ("-loop", "1", "-framerate", "25", "-t", "1", "-i", str(folder / "picture.png"))
    run = {"check": True, "timeout": PATIENCE_SECONDS}
    subprocess.run([*FFMPEG, *still, "-vf", _FILTERS[degrees], *encode, str(folder / "plain.mp4")], **run)  # type: ignore[call-overload]
    # FFmpeg counts against the clock.
    note = ("-metadata:s:v:0", f"rotate={(360 - degrees) % 360}")
    copied = [*FFMPEG, "-i", str(folder / "plain.mp4"), "-c", "copy", *note, str(folder / "film.mp4")]
    subprocess.run(copied, **run)  # type: ignore[call-overload]
    return folder / "film.mp4"


def nearly(seen: QColor, wanted: str) -> bool:
    color = QColor(wanted)
    pairs = ((seen.red(), color.red()), (seen.green(), color.green()), (seen.blue(), color.blue()))
    return all(abs(one - other) < 40 for one, other in pairs)


def is_upright(image: QImage, part: QRect) -> bool:
    across, down = part.width() // 4, part.height() // 4
    points = [(part.left() + x * across, part.top() + y * down) for y in (1, 3) for x in (1, 3)]
    return all(nearly(image.pixelColor(*point), color) for point, color in zip(points, CORNERS, strict=True))


@pytest.mark.first_case
@pytest.mark.parametrize("fit", PARTS)
@pytest.mark.parametrize("degrees", DEGREES)
def test_a_film_is_upright_as_its_phone_notes(glass: Glass, fit: Fit, degrees: int) -> None:
    glass.files[FILM] = turned_film(degrees)
    one = VideoWidget(id="film", box=BOX, asset=FILM, fit=fit)
    glass.show(showing(scene(one, background=Background(color="#123456"))))

    glass.until(lambda: is_upright(glass.grab(), PARTS[fit]))
    assert glass.undrawable == []
    assert nearly(glass.grab().pixelColor(PARTS[fit].left() - 6, 270), "#123456")


@pytest.mark.parametrize("asked", [QtVideo.Rotation.None_, QtVideo.Rotation.Clockwise90])
@pytest.mark.parametrize("noted", list(QtVideo.Rotation))
def test_a_frame_has_the_turns_of_the_film_and_of_whoever_plays_it(
    qapp: object, noted: QtVideo.Rotation, asked: QtVideo.Rotation
) -> None:
    del qapp
    player = QMediaPlayer()
    form = QVideoFrameFormat(QSize(64, 48), QVideoFrameFormat.PixelFormat.Format_YUV420P)
    form.setRotation(noted)
    frame = QVideoFrame(form)
    frame.setRotation(asked)
    box = QSize(300, 300)
    scaler = FrameScaler(fit=Fit.CONTAIN, box=box)
    assert frame_scaler._libraries() is not None

    _, shown = scaler.scale(frame)

    assert scaler._context is not None, "not by Qt, which looks for a GPU"
    assert (shown.width() < shown.height()) is ((noted.value + asked.value) % 180 == 90)
    scaler.close()
    player.deleteLater()
