"""Frames become images: every layout that a decoder gives, every fit, every width."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtMultimedia import QMediaPlayer, QVideoFrame, QVideoFrameFormat

from menu.documents.scene import Fit
from player.display.media import frame_scaler
from player.display.media.frame_scaler import LAYOUTS, FrameScaler, part_shown, size_shown

Pixels = QVideoFrameFormat.PixelFormat
Spaces = QVideoFrameFormat.ColorSpace
Ranges = QVideoFrameFormat.ColorRange

RED_IN_SD, RED_IN_HD, RED_IN_FULL_SD = (81, 90, 240), (63, 102, 240), (76, 85, 255)
"""Y, Cb and Cr of pure red under BT.601, BT.709 and BT.601 with the full range."""
SHADES = 4
"""A colour may be off by so many of 255."""

pytestmark = pytest.mark.film


@pytest.fixture(autouse=True)
def _loaded(qapp: object) -> Iterator[None]:
    """FFmpeg's libraries come with the first decoder."""
    del qapp
    player = QMediaPlayer()
    assert frame_scaler._libraries() is not None
    yield
    player.deleteLater()


def frame(
    size: QSize,
    color: tuple[int, int, int] = RED_IN_SD,
    *,
    pixels: Pixels = Pixels.Format_YUV420P,
    space: Spaces = Spaces.ColorSpace_Undefined,
    colors: Ranges = Ranges.ColorRange_Unknown,
) -> QVideoFrame:
    """A frame of one colour."""
    form = QVideoFrameFormat(size, pixels)
    form.setColorSpace(space)
    form.setColorRange(colors)
    made = QVideoFrame(form)
    assert made.map(QVideoFrame.MapMode.WriteOnly)
    y, cb, cr = color
    shift = 6 if pixels is Pixels.Format_P010 else 0
    for number in range(made.planeCount()):
        samples = (y,) if number == 0 else (cb, cr) if made.planeCount() == 2 else ((cb, cr)[number - 1],)
        if pixels in (Pixels.Format_YUV420P10, Pixels.Format_P010):
            unit = b"".join((sample << 2 + shift).to_bytes(2, "little") for sample in samples)
        else:
            unit = bytes(samples)
        plane = made.bits(number)
        plane[:] = (unit * len(plane))[: len(plane)]
    made.unmap()
    return made


def colors_of(image: QImage, shown: QSize) -> set[str]:
    """The colours in the part that shows."""
    assert image.rect().contains(image.copy(0, 0, shown.width(), shown.height()).rect())
    return {
        image.pixelColor(x, y).name()
        for x in (0, shown.width() // 2, shown.width() - 1)
        for y in (0, shown.height() // 2, shown.height() - 1)
    }


def is_red(names: set[str]) -> bool:
    return all(
        color.red() >= 255 - SHADES and color.green() <= SHADES and color.blue() <= SHADES
        for color in map(QColor, names)
    )


@pytest.mark.parametrize("pixels", LAYOUTS)
@pytest.mark.parametrize("box", [QSize(64, 48), QSize(33, 29), QSize(200, 150)])
def test_a_frame_of_every_layout_fills_the_box_in_its_color(pixels: Pixels, box: QSize) -> None:
    scaler = FrameScaler(fit=Fit.COVER, box=box)
    image, shown = scaler.scale(frame(QSize(64, 48), pixels=pixels))

    assert shown == box
    assert is_red(colors_of(image, shown)), colors_of(image, shown)
    assert scaler._context is not None, "not by Qt, which looks for a GPU"
    scaler.close()


@pytest.mark.parametrize("width", range(50, 68))
def test_an_image_of_any_width_is_whole(width: int) -> None:
    """The library's fast way leaves out the last pixels of a row that is no multiple of eight."""
    scaler = FrameScaler(fit=Fit.COVER, box=QSize(width, 48))
    for _ in range(3):
        image, shown = scaler.scale(frame(QSize(width, 48)))
        assert is_red({image.pixelColor(x, y).name() for x in range(width) for y in (0, 47)})
        assert shown.width() == width
    scaler.close()


def test_all_frames_take_the_memory_of_one_image_even_while_it_is_shown() -> None:
    scaler = FrameScaler(fit=Fit.COVER, box=QSize(64, 48))
    image, _ = scaler.scale(frame(QSize(64, 48), (235, 128, 128)))
    shown = QImage(image)
    assert shown.pixelColor(0, 0).name() == "#ffffff"
    again, part = scaler.scale(frame(QSize(64, 48)))

    assert is_red(colors_of(shown, part))
    assert again.cacheKey() == shown.cacheKey()
    scaler.close()
    assert is_red(colors_of(shown, part)), "what is on the glass stays"


@pytest.mark.parametrize(
    ("size", "color", "space", "colors"),
    [
        (QSize(64, 48), RED_IN_SD, Spaces.ColorSpace_Undefined, Ranges.ColorRange_Unknown),
        (QSize(64, 720), RED_IN_HD, Spaces.ColorSpace_Undefined, Ranges.ColorRange_Unknown),
        (QSize(64, 48), RED_IN_HD, Spaces.ColorSpace_BT709, Ranges.ColorRange_Video),
        (QSize(64, 48), RED_IN_FULL_SD, Spaces.ColorSpace_BT601, Ranges.ColorRange_Full),
    ],
)
def test_colors_are_those_that_the_film_names_or_its_height_implies(
    size: QSize, color: tuple[int, int, int], space: Spaces, colors: Ranges
) -> None:
    scaler = FrameScaler(fit=Fit.STRETCH, box=QSize(32, 32))
    assert is_red(colors_of(*scaler.scale(frame(size, color, space=space, colors=colors))))
    scaler.close()


@pytest.mark.parametrize(
    ("fit", "part", "shown"),
    [
        (Fit.COVER, (40, 0, 80, 120), (40, 60)),
        (Fit.CONTAIN, (0, 0, 160, 120), (40, 30)),
        (Fit.STRETCH, (0, 0, 160, 120), (40, 60)),
    ],
)
def test_a_fit_says_which_part_shows_and_how_large(fit: Fit, part: tuple[int, ...], shown: tuple[int, int]) -> None:
    size, box = QSize(160, 120), QSize(40, 60)
    assert part_shown(size, fit, box).getRect() == part
    assert size_shown(size, fit, box).toTuple() == shown


def test_any_size_in_any_box_stays_within_its_frame() -> None:
    sizes = [QSize(width, height) for width in (1, 2, 3, 16, 1921) for height in (1, 2, 3, 1081)]
    for size in sizes:
        for box in sizes:
            for fit in Fit:
                part = part_shown(size, fit, box)
                assert not part.isEmpty()
                assert part.right() < size.width()
                assert part.bottom() < size.height()
                shown = size_shown(size, fit, box)
                assert not shown.isEmpty()
                if fit is Fit.CONTAIN:
                    keep = Qt.AspectRatioMode.KeepAspectRatio
                    assert shown == size.scaled(box, keep).expandedTo(QSize(1, 1)), "as Qt itself fits it"


@pytest.mark.parametrize("size", [QSize(2, 2), QSize(4, 6), QSize(18, 2)])
def test_tiny_frames_and_boxes_are_drawn_or_given_up(size: QSize) -> None:
    for box in (QSize(1, 1), QSize(2, 3), QSize(50, 1)):
        scaler = FrameScaler(fit=Fit.COVER, box=box)
        image, shown = scaler.scale(frame(size))
        assert image.isNull() or shown == box
        scaler.close()


def test_a_frame_that_is_none_gives_no_image(qapp: object) -> None:
    del qapp
    image, _ = FrameScaler(fit=Fit.COVER, box=QSize(8, 8)).scale(QVideoFrame())
    assert image.isNull()


def test_without_the_calls_that_are_known_qt_converts_the_frames_and_the_log_says_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def another_ffmpeg(name: str) -> object:
        del name
        return object()

    monkeypatch.setattr(frame_scaler.ctypes, "CDLL", another_ffmpeg)
    frame_scaler._loaded_libraries.cache_clear()
    try:
        scaler = FrameScaler(fit=Fit.COVER, box=QSize(64, 48))
        for _ in range(3):
            image, shown = scaler.scale(frame(QSize(64, 48)))
            assert is_red(colors_of(image, shown))
        frame_scaler.bound_ffmpeg()
        scaler.close()
    finally:
        frame_scaler._loaded_libraries.cache_clear()
    assert caplog.text.count("films are converted by Qt") == 1
