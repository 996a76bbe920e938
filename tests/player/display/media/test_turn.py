"""Photos that a camera has turned are seen upright, in every format, by every widget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QColor, QImage

from menu import exif as reading
from menu.documents.box import Box
from menu.documents.scene import Background, Fit, Focus, ImageWidget, Slide, SlideshowWidget
from player.display.media.image_plan import ImagePlan, plan_image
from player.display.media.turn import NO_TURN, noted_turn
from tests.player.display.conftest import Glass
from tests.player.display.scenes import scene, showing
from tests.support.oriented import CORNERS, ORIENTATIONS, exif, oriented, upright, with_exif, written

PHOTO = "a" * 64
BOX = Box(x=480, y=0, width=960, height=1080)
"""On a glass of half the canvas: 480 x 540 pixels, from 240 to 720."""
FORMS = ("jpg", "png", "webp")


def nearly(seen: QColor, wanted: str) -> bool:
    color = QColor(wanted)
    pairs = ((seen.red(), color.red()), (seen.green(), color.green()), (seen.blue(), color.blue()))
    return all(abs(one - other) < 24 for one, other in pairs)


def corners(image: QImage, part: QRect) -> list[QColor]:
    """The colours in the middle of each quarter of the part."""
    across, down = part.width() // 4, part.height() // 4
    return [image.pixelColor(part.left() + x * across, part.top() + y * down) for y in (1, 3) for x in (1, 3)]


def is_upright(image: QImage, part: QRect) -> bool:
    return all(map(nearly, corners(image, part), CORNERS))


def photo_widget(**more: Any) -> ImageWidget:
    return ImageWidget(id="photo", box=BOX, asset=PHOTO, **more)


WIDGETS = {
    "cover": (photo_widget(fit=Fit.COVER), QRect(240, 0, 480, 540)),
    "contain": (photo_widget(fit=Fit.CONTAIN), QRect(480 - 202, 0, 405, 540)),
    "stretch": (photo_widget(fit=Fit.STRETCH), QRect(240, 0, 480, 540)),
    "slideshow": (
        SlideshowWidget(id="photo", box=BOX, slides=(Slide(asset=PHOTO, seconds=10),)),
        QRect(240, 0, 480, 540),
    ),
}


@pytest.mark.first_case
@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("widget", WIDGETS)
def test_a_photo_is_upright_as_its_camera_notes(
    glass: Glass, tmp_path: Path, widget: str, form: str, orientation: int
) -> None:
    glass.files[PHOTO] = tmp_path / PHOTO
    glass.files[PHOTO].write_bytes(oriented(form, orientation))
    one, part = WIDGETS[widget]

    glass.show(showing(scene(one, background=Background(color="#123456"))))

    glass.until(lambda: is_upright(glass.grab(), part))
    assert glass.undrawable == []
    outside = glass.grab().pixelColor(part.left() - 6, 270)
    assert nearly(outside, "#123456"), "it is not wider than its place"


@pytest.mark.first_case
@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("form", FORMS)
def test_a_background_is_upright(glass: Glass, tmp_path: Path, form: str, orientation: int) -> None:
    glass.files[PHOTO] = tmp_path / PHOTO
    glass.files[PHOTO].write_bytes(oriented(form, orientation, 160, 120))
    glass.show(showing(scene(background=Background(asset=PHOTO))))
    glass.until(lambda: is_upright(glass.grab(), QRect(0, 0, 960, 540)))


@pytest.mark.first_case
@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("form", FORMS)
def test_the_part_that_the_box_cuts_off_is_the_one_that_is_off_upright(
    glass: Glass, tmp_path: Path, form: str, orientation: int
) -> None:
    """A high photo in a low box, with the focus at its top: only red and green are seen."""
    glass.files[PHOTO] = tmp_path / PHOTO
    glass.files[PHOTO].write_bytes(oriented(form, orientation, 600, 800))
    low = Box(x=0, y=0, width=1920, height=800)
    glass.show(showing(scene(ImageWidget(id="photo", box=low, asset=PHOTO, focus=Focus(x=0.5, y=0.0)))))

    def seen() -> list[QColor]:
        image = glass.grab()
        return [image.pixelColor(x, y) for x, y in ((20, 10), (20, 390), (940, 10), (940, 390))]

    glass.until(lambda: all(map(nearly, seen(), ("#ff0000", "#ff0000", "#00ff00", "#00ff00"))))
    plan = plan_image(glass.files[PHOTO], width=1920, height=800, focus=Focus(x=0.5, y=0.0), pixels_per_unit=0.5)
    assert isinstance(plan, ImagePlan)
    described = plan.describe()
    cut = described["cutWidth"] * described["cutHeight"]  # type: ignore[operator]
    assert cut < 0.7 * plan.pixel_width * plan.pixel_height, "what is not seen is not kept"


@pytest.mark.first_case
@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("form", FORMS)
def test_a_large_photo_is_stretched_whole(glass: Glass, tmp_path: Path, form: str, orientation: int) -> None:
    """Into a low box, and a high one."""
    glass.files[PHOTO] = tmp_path / PHOTO
    glass.files[PHOTO].write_bytes(oriented(form, orientation, 600, 800))
    low, high = Box(x=0, y=0, width=1920, height=200), Box(x=0, y=200, width=300, height=880)
    boxes = {"low": (low, QRect(0, 0, 960, 100)), "high": (high, QRect(0, 100, 150, 440))}
    widgets = [ImageWidget(id=name, box=box, asset=PHOTO, fit=Fit.STRETCH) for name, (box, _) in boxes.items()]
    glass.show(showing(scene(*widgets)))
    glass.until(lambda: all(is_upright(glass.grab(), part) for _, part in boxes.values()))


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_a_part_of_the_image_is_found_in_the_file(tmp_path: Path, orientation: int) -> None:
    path = tmp_path / "photo"
    path.write_bytes(oriented("png", orientation, 12, 20))
    one = noted_turn(path)
    file = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)

    part = one.in_file(QRect(1, 13, 4, 6), QSize(12, 20))

    assert one.of(QSize(12, 20)) == file.size()
    turned = file.copy(part).transformed(one.transform).convertToFormat(QImage.Format.Format_RGB32)
    assert turned == upright(12, 20).copy(1, 13, 4, 6)


def bad_notes() -> list[bytes]:
    good = exif(6)
    return [
        b"",
        good[:9],
        good[:14],
        exif(0),
        exif(9),
        exif(65535),
        b"XX" + good[2:],
        good[:4] + b"\xff\xff\xff\xff" + good[8:],
        good[:8] + b"\xff\xff" + good[10:12] + b"\0\0" + good[14:],
    ]


@pytest.mark.parametrize("note", bad_notes(), ids=lambda note: note.hex())
@pytest.mark.parametrize("form", FORMS)
def test_a_note_that_is_malformed_turns_nothing(tmp_path: Path, form: str, note: bytes) -> None:
    path = tmp_path / "photo"
    path.write_bytes(with_exif(written(form, upright(120, 160)), note))

    plan = plan_image(path, width=120, height=160)

    assert isinstance(plan, ImagePlan)
    assert plan.turn == NO_TURN


@pytest.mark.goes_beyond("MOST_CHUNKS", "MOST_EXIF_BYTES", "MOST_ENTRIES")
def test_a_note_is_looked_for_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "photo"
    path.write_bytes(oriented("png", 6))
    assert noted_turn(path) != NO_TURN
    for name, value in (("MOST_CHUNKS", 2), ("MOST_EXIF_BYTES", 10), ("MOST_ENTRIES", 0)):
        with monkeypatch.context() as bound:
            bound.setattr(reading, name, value)
            assert noted_turn(path) == NO_TURN, name


def test_the_file_may_be_gone(tmp_path: Path) -> None:
    assert noted_turn(tmp_path / "gone") == NO_TURN
