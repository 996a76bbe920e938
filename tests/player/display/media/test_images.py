"""Image widgets, backgrounds and thumbnails: how they fill their box, and images that cannot be drawn."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Q_ARG, QMetaObject, QPointF
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter

from menu.documents.box import Box
from menu.documents.scene import Background, Fit, Focus, ImageWidget
from player.display.media import first_images, image_plan
from player.display.media.asset_images import AssetImages
from player.display.media.first_images import FirstImage, first_image, read_first
from player.display.media.image_plan import MOST_PIXELS, SPARE_PIXELS, ImagePlan, ImageRefused, plan_image
from player.display.window.stage import IMAGES_FIRST_SECONDS
from tests.player.display.conftest import Glass, descendants
from tests.player.display.scenes import listing, one_menu, row, scene, showing
from tests.support.obstacles import OBSTACLES, obstruct

PHOTO, BROKEN, HUGE, GONE = "a" * 64, "b" * 64, "c" * 64, "d" * 64
CANVAS = Box(x=0, y=0, width=1920, height=1080)


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """400 x 100 pixels: red, green, blue and white from left to right. Its name has no suffix, as in the store."""
    image = QImage(400, 100, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    for at, color in enumerate(("#ff0000", "#00ff00", "#0000ff", "#ffffff")):
        painter.fillRect(at * 100, 0, 100, 100, QColor(color))
    painter.end()
    path = tmp_path / PHOTO
    assert QImageWriter(str(path), b"png").write(image)
    return path


def png_header(path: Path, width: int, height: int) -> Path:
    """The start of a PNG with a size in its header and almost no data."""
    chunks = (b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), b"IDAT" + zlib.compress(b"\0")[:6])
    framed = (struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(framed))
    return path


def with_image(asset: str, **more: object) -> ImageWidget:
    return ImageWidget(**{"id": "photo", "box": CANVAS, "asset": asset, **more})  # type: ignore[arg-type]


def colors(image: QImage, *points: tuple[int, int]) -> list[str]:
    return [image.pixelColor(x, y).name() for x, y in points]


@pytest.mark.parametrize(
    ("more", "seen"),
    [
        ({"fit": Fit.STRETCH}, ["#ff0000", "#00ff00", "#0000ff", "#ffffff"]),
        ({"fit": Fit.COVER}, ["#00ff00", "#00ff00", "#0000ff", "#0000ff"]),
        ({"fit": Fit.COVER, "focus": Focus(x=0.0)}, ["#ff0000", "#ff0000", "#00ff00", "#00ff00"]),
        ({"fit": Fit.COVER, "focus": Focus(x=1.0)}, ["#0000ff", "#0000ff", "#ffffff", "#ffffff"]),
    ],
)
def test_an_image_fills_its_box_as_its_fit_says(
    glass: Glass, photo: Path, more: dict[str, object], seen: list[str]
) -> None:
    glass.files[PHOTO] = photo
    glass.show(showing(scene(with_image(PHOTO, **more))))
    glass.until(lambda: colors(glass.grab(), (110, 270), (370, 270), (590, 270), (850, 270)) == seen)


def test_a_contained_image_is_shown_whole(glass: Glass, photo: Path) -> None:
    glass.files[PHOTO] = photo
    glass.show(showing(scene(with_image(PHOTO, fit=Fit.CONTAIN), background=Background(color="#123456"))))

    glass.until(lambda: colors(glass.grab(), (110, 270), (850, 270)) == ["#ff0000", "#ffffff"])
    assert glass.undrawable == []


def test_behind_a_cut_out_and_beside_a_contained_image_is_the_background(glass: Glass, photo: Path) -> None:
    cut_out = QImage(400, 100, QImage.Format.Format_ARGB32)
    cut_out.fill(QColor("transparent"))
    painter = QPainter(cut_out)
    painter.fillRect(0, 0, 200, 100, QColor("#ff0000"))
    painter.end()
    assert QImageWriter(str(photo), b"png").write(cut_out)
    glass.files[PHOTO] = photo
    glass.show(showing(scene(with_image(PHOTO, fit=Fit.CONTAIN), background=Background(color="#123456"))))
    wanted = ["#ff0000", "#123456", "#123456"]
    glass.until(lambda: colors(glass.grab(), (110, 270), (850, 270), (110, 20)) == wanted)


def test_an_image_is_decoded_at_the_size_at_which_it_is_drawn(photo: Path) -> None:
    small = plan_image(photo, width=200, height=100, pixels_per_unit=0.5)
    large = plan_image(photo, width=4000, height=1000)

    assert isinstance(small, ImagePlan)
    assert isinstance(large, ImagePlan)
    assert (small.pixel_width, small.pixel_height) == (200, 50)
    assert (large.pixel_width, large.pixel_height) == (400, 100)


@pytest.mark.first_case
@pytest.mark.parametrize("form", ["png", "jpg", "webp"])
@pytest.mark.parametrize("size", [(90, 60), (2700, 1800)])
def test_what_sticks_out_of_the_box_is_not_kept_and_nobody_sees_a_difference(
    glass: Glass, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], form: str
) -> None:
    noise = QImage(*size, QImage.Format.Format_RGB32)
    noise.fill(QColor("#406080"))
    painter = QPainter(noise)
    for at in range(0, size[0], 7):
        painter.setPen(QColor(at * 37 % 256, at * 91 % 256, at * 53 % 256))
        painter.drawLine(at, 0, size[0] - at, size[1])
    painter.end()
    glass.files[PHOTO] = tmp_path / PHOTO
    assert QImageWriter(str(glass.files[PHOTO]), form.encode()).write(noise)
    box = Box(x=333, y=111, width=477, height=803)

    def seen(entry: str) -> QImage:
        glass.show(showing(scene(with_image(PHOTO, box=box, focus=Focus(x=0.3)), scene_id=entry), entry=entry))
        glass.until(lambda: any(image.property("ready") for image in glass.find("image")))
        return glass.grab()

    cut = seen("cut")
    plan = plan_image(glass.files[PHOTO], width=box.width, height=box.height, focus=Focus(x=0.3), pixels_per_unit=0.5)
    assert isinstance(plan, ImagePlan)
    kept = plan.describe()
    assert kept["cutHeight"] == kept["pixelHeight"]
    assert kept["cutWidth"] == pytest.approx(plan.pixel_width * 477 / (803 * 1.5), abs=2 * SPARE_PIXELS + 2)
    monkeypatch.setattr(image_plan, "SPARE_PIXELS", 10_000)
    assert seen("whole") == cut


@pytest.mark.parametrize("kind", ["png", "webp"])
def test_a_picture_on_a_transparent_ground_is_whole(tmp_path: Path, kind: str) -> None:
    glass_of_beer = QImage(76, 100, QImage.Format.Format_ARGB32)
    glass_of_beer.fill(QColor("#40F0A000"))
    glass_of_beer.save(str(tmp_path / "beer"), kind)

    plan = plan_image(tmp_path / "beer", width=100, height=100, fit=None)

    assert isinstance(plan, ImagePlan)
    assert plan.height == 100


@pytest.mark.parametrize(("height", "whole"), [(150, True), (135, False)])
def test_no_more_than_three_tenths_of_a_picture_are_cut_where_nothing_else_is_said(
    tmp_path: Path, height: int, *, whole: bool
) -> None:
    square = tmp_path / "square"
    QImage(400, 400, QImage.Format.Format_RGB32).save(str(square), "png")

    plan = plan_image(square, width=100, height=height, fit=None)

    assert isinstance(plan, ImagePlan)
    assert (plan.height == 100) is whole


def test_an_upright_photo_is_measured_as_it_is_seen(tmp_path: Path) -> None:
    plain = tmp_path / "plain.jpg"
    QImage(400, 100, QImage.Format.Format_RGB32).save(str(plain))
    exif = (
        b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
    )
    rotated = tmp_path / "turned"
    body = plain.read_bytes()
    rotated.write_bytes(body[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + body[2:])

    plan = plan_image(rotated, width=100, height=400)

    assert isinstance(plan, ImagePlan)
    assert (plan.pixel_width, plan.pixel_height) == (100, 400)
    whole = plan_image(rotated, width=100, height=50)
    assert isinstance(whole, ImagePlan)
    assert whole.describe()["cutWidth"] < 100, "Qt cuts before it turns: the file's columns are the rows that are seen"  # type: ignore[operator]


def test_a_photo_with_exif_rotation_is_drawn_upright(glass: Glass, tmp_path: Path) -> None:
    plain = tmp_path / "plain.jpg"
    image = QImage(400, 100, QImage.Format.Format_RGB32)
    image.fill(QColor("#ff0000"))
    painter = QPainter(image)
    painter.fillRect(200, 0, 200, 100, QColor("#0000ff"))
    painter.end()
    image.save(str(plain), None, 100)
    exif = (
        b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
    )
    body = plain.read_bytes()
    glass.files[PHOTO] = tmp_path / PHOTO
    glass.files[PHOTO].write_bytes(body[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + body[2:])

    glass.show(showing(scene(with_image(PHOTO, fit=Fit.CONTAIN), background=Background(color="#00ff00"))))

    def upright() -> bool:
        grabbed = glass.grab()
        top, bottom = grabbed.pixelColor(480, 100), grabbed.pixelColor(480, 440)
        return top.red() > 200 and top.blue() < 60 and bottom.blue() > 200 and bottom.red() < 60

    glass.until(upright)
    assert glass.grab().pixelColor(300, 270).green() > 200, "an upright photo leaves the sides free"


def test_an_image_that_is_too_large_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    side = int(MOST_PIXELS**0.5)

    refused = plan_image(png_header(tmp_path / HUGE, side + 1, side), width=10, height=10)
    accepted = plan_image(png_header(tmp_path / "just", side, side), width=10, height=10)

    assert isinstance(refused, ImageRefused)
    assert refused.code == "asset_too_large"
    assert isinstance(accepted, ImagePlan)


@pytest.mark.parametrize(
    ("asset", "code"), [(GONE, "asset_missing"), (BROKEN, "asset_undecodable"), (HUGE, "asset_too_large")]
)
def test_an_image_that_cannot_be_drawn_is_reported_and_the_board_goes_on(
    glass: Glass, tmp_path: Path, asset: str, code: str
) -> None:
    glass.files[BROKEN] = tmp_path / BROKEN
    glass.files[BROKEN].write_bytes(b"<html>not an image</html>")
    glass.files[HUGE] = png_header(tmp_path / HUGE, 30_000, 30_000)
    view = one_menu(listing(("", [row("Soup")])))
    both = showing(scene(with_image(asset), *view.scene.widgets), view.menus)

    glass.show(both)

    assert [(event.subject, event.code) for event in glass.undrawable] == [("scn_1/photo", code)]
    assert glass.texts("name") == ["Soup"]
    [image] = glass.find("image")
    assert image.property("color") != QColor("transparent")


@pytest.mark.proves("pipe-socket-link")
@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_stands_in_an_images_place_costs_that_widget_and_its_scene_shows(
    glass: Glass, tmp_path: Path, obstacle: str
) -> None:
    glass.files[PHOTO] = tmp_path / PHOTO
    obstruct(tmp_path / PHOTO, obstacle)
    view = one_menu(listing(("", [row("Soup")])))
    glass.show(showing(scene(with_image(PHOTO), *view.scene.widgets), view.menus))
    expected = "asset_missing" if obstacle == "a dangling link" else "asset_unreadable"
    assert [(event.subject, event.code) for event in glass.undrawable] == [("scn_1/photo", expected)]
    assert glass.texts("name") == ["Soup"]


def test_an_image_that_breaks_off_is_reported_and_the_scene_still_comes(
    glass: Glass, tmp_path: Path, qtlog: Any
) -> None:
    glass.files[BROKEN] = png_header(tmp_path / BROKEN, 100, 100)
    glass.show(showing(scene(scene_id="first")))

    # Qt says so in its log as well.
    with qtlog.disabled():
        glass.show(showing(scene(with_image(BROKEN), scene_id="second"), entry="second"))

    assert [(event.subject, event.code) for event in glass.undrawable] == [("second/photo", "asset_undecodable")]


def test_a_missing_background_is_reported_and_its_colour_shows(glass: Glass) -> None:
    glass.show(showing(scene(background=Background(color="#204060", asset=GONE))))

    assert [event.subject for event in glass.undrawable] == ["scn_1/background"]
    assert colors(glass.grab(), (480, 270)) == ["#204060"]


def test_a_background_is_covered_by_its_scrim(glass: Glass, photo: Path) -> None:
    glass.files[PHOTO] = photo
    glass.show(showing(scene(background=Background(asset=PHOTO, fit=Fit.STRETCH, scrim="#80000000"))))

    glass.until(lambda: glass.grab().pixelColor(110, 270).red() == pytest.approx(127, abs=2))


def test_a_menu_shows_its_items_images(glass: Glass, photo: Path) -> None:
    glass.files[PHOTO] = photo
    glass.show(one_menu(listing(("", [row("Soup", image=PHOTO), row("Stew", image=GONE)])), show_images=True))
    [soup, _] = glass.find("row")
    [name] = glass.find("name", soup)

    at = soup.mapToItem(None, QPointF(60, soup.height() / 2)).toPoint()
    glass.until(lambda: glass.grab().pixelColor(at).name() == "#00ff00")
    assert name.x() > 100
    assert [event.code for event in glass.undrawable] == ["asset_missing"]


def test_an_image_that_failed_is_tried_again_when_its_scene_comes_back(glass: Glass, photo: Path) -> None:
    with_photo = showing(scene(with_image(PHOTO, fit=Fit.STRETCH)), entry="with photo")
    other = showing(scene(scene_id="other", background=Background(color="#123456")), entry="other")
    glass.show(with_photo)
    assert [fault.code for fault in glass.undrawable] == ["asset_missing"]
    glass.show(other)
    glass.settle()

    glass.files[PHOTO] = photo
    glass.show(with_photo)

    glass.until(lambda: colors(glass.grab(), (110, 270), (850, 270)) == ["#ff0000", "#ffffff"])


def test_a_picture_that_is_said_to_have_failed_after_its_file_has_come_is_drawn_all_the_same(
    glass: Glass, photo: Path
) -> None:
    glass.files[PHOTO] = photo
    menu = one_menu(listing(("", [row("Soup", image=PHOTO)])), show_images=True)
    for view in (menu, replace(menu, lacking=frozenset({PHOTO})), menu):
        glass.show(view)
    [soup] = glass.find("row")
    at = soup.mapToItem(None, QPointF(60, soup.height() / 2)).toPoint()
    glass.until(lambda: glass.grab().pixelColor(at).name() == "#00ff00")
    [picture] = [item for item in descendants(soup) if item.property("plan") and item.isVisible()]
    scene_before = glass.display.stage.top

    # A slow decoder has failed with the file that was there before.
    picture.setProperty("plan", None)
    QMetaObject.invokeMethod(picture, "settled", Q_ARG(bool, False))

    glass.until(lambda: glass.grab().pixelColor(at).name() == "#00ff00")
    assert glass.display.stage.top is not scene_before
    assert [event.code for event in glass.undrawable] == ["asset_undecodable"]


def test_the_first_view_has_its_images_before_the_next_scene_is_built(glass: Glass, photo: Path) -> None:
    glass.files[PHOTO] = photo
    seen: list[tuple[str, int]] = []
    stage = glass.display.stage
    stage.firstViewShown.connect(lambda: seen.append((glass.grab().pixelColor(5, 270).name(), stage.rowCount())))

    glass.show(showing(scene(with_image(PHOTO, fit=Fit.STRETCH))), showing(scene(scene_id="next"), entry="next"))
    glass.until(lambda: stage.is_prepared)

    assert seen == [("#ff0000", 1)]


def test_the_first_frame_has_its_images(glass: Glass, photo: Path) -> None:
    glass.files[PHOTO] = photo

    glass.order(showing(scene(with_image(PHOTO, fit=Fit.STRETCH))))

    # No frame has been drawn yet.
    assert glass.display.stage.top is not None
    assert glass.display.stage.top.is_ready


def test_only_a_first_view_waits_for_images_and_for_no_more_than_the_bound(photo: Path, tmp_path: Path) -> None:
    large = png_header(tmp_path / HUGE, 1000, 2000)
    files = {PHOTO: photo, HUGE: large}

    def at_once(*assets: str, is_first: bool) -> list[object]:
        images = AssetImages(
            "scn", asset_path=files.__getitem__, pixels_per_unit=1.0, emit=lambda _: None, is_first=is_first
        )
        plans = [images.plan(asset[0], asset, 400, 400) for asset in assets]
        return [plan["atOnce"] for plan in plans if plan is not None]

    assert at_once(PHOTO, HUGE, PHOTO, is_first=True) == [True, False, True]
    assert at_once(HUGE, PHOTO, is_first=True) == [True, False]
    assert at_once(PHOTO, is_first=False) == [False]


def test_slow_images_do_not_hold_up_the_next_scene(glass: Glass) -> None:
    stage = glass.display.stage
    glass.order(showing(scene()), showing(scene(scene_id="next"), entry="next"))
    assert stage.top is not None
    stage.top.expect("an image that never comes")
    wait = stage._images_first
    glass.until(wait.isActive)
    assert wait.interval() == IMAGES_FIRST_SECONDS * 1000
    assert stage.rowCount() == 1

    wait.timeout.emit()

    glass.until(lambda: stage.is_prepared)


def source_of(glass: Glass) -> str:
    """The URL of the first image that QML draws."""
    return str(glass.find("image")[0].childItems()[0].property("source").toString())


@pytest.mark.parametrize("fit", list(Fit))
@pytest.mark.parametrize("form", [b"jpeg", b"png"])
def test_an_image_that_the_player_reads_has_the_pixels_that_qml_would_read(
    glass: Glass, tmp_path: Path, fit: Fit, form: bytes
) -> None:
    image = QImage(641, 487, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    for at in range(0, 641, 8):
        painter.fillRect(at, at * 487 // 641, 641, 8, QColor.fromHsv(at % 360, 255, 255))
    painter.end()
    glass.files[PHOTO] = tmp_path / PHOTO
    assert QImageWriter(str(tmp_path / PHOTO), form).write(image)
    widget = with_image(PHOTO, box=Box(x=100, y=100, width=831, height=377), fit=fit)

    glass.show(showing(scene(widget)))
    first, source = glass.grab(), source_of(glass)
    glass.show(showing(scene(widget, scene_id="again"), entry="again"))
    glass.until(lambda: glass.display.is_at_rest)

    assert source.startswith("image:")
    assert source_of(glass).startswith("file:")
    assert glass.grab() == first


def test_an_image_of_the_first_view_is_read_anew_when_it_shows_again_and_not_kept_unseen(
    glass: Glass, photo: Path
) -> None:
    plan = plan_image(photo, width=400, height=100)
    assert isinstance(plan, ImagePlan)
    number = read_first(photo, plan).rpartition("/")[2]
    first, again = first_image(number), first_image(number)
    unseen = FirstImage(photo, plan)
    first_images._images.append(unseen)
    unseen.join()

    glass.show(showing(scene()))

    assert (first.width(), first) == (400, again)
    assert first.cacheKey() != again.cacheKey()
    glass.until(lambda: unseen._image is None)
