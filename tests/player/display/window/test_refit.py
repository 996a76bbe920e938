"""A change of rotation or window size: images become as sharp as the glass, without a blank frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QSize
from PySide6.QtGui import QColor, QImage, QPainter

from menu.documents.box import Box
from menu.documents.scene import Background, ImageWidget, Transition, TransitionKind, VideoWidget
from player.display.views.scene import DECODE_SECONDS
from player.domain.view import SceneView
from tests.player.display.conftest import Glass
from tests.player.display.scenes import listing, menu, row, scene, showing
from tests.support.films import film

STRIPES, FILM = "a" * 64, "b" * 64
BLUE, GREEN = "#2020c0", "#20c020"
UPRIGHT = Box(x=0, y=0, width=540, height=960)
FADE = Transition(kind=TransitionKind.FADE, milliseconds=400)


@pytest.fixture
def stripes(tmp_path: Path) -> Path:
    """A photograph of 540 x 960 pixels, of alternating black and white columns: the finest pattern."""
    image = QImage(540, 960, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    for x in range(0, 540, 2):
        painter.fillRect(x, 0, 1, 960, QColor("black"))
    painter.end()
    path = tmp_path / STRIPES
    assert image.save(str(path), "PNG")
    return path


@pytest.fixture
def photo(glass: Glass, stripes: Path) -> Glass:
    """A display with the photograph in its files."""
    glass.files[STRIPES] = stripes
    return glass


def upright(name: str = "upright", **more: object) -> SceneView:
    """The photograph on a canvas that stands upright, over blue."""
    image = ImageWidget(id="photo", box=UPRIGHT, asset=STRIPES)
    shown = scene(
        image, scene_id=name, width=540, height=960, background=Background(color=BLUE), transition=FADE, **more
    )
    return showing(shown, entry=name)


def is_sharp(image: QImage) -> bool:
    """Whether columns next to each other are black and white."""
    across = [image.pixelColor(x, image.height() // 2).lightness() for x in range(200, 300)]
    return min(across) < 8 and max(across) > 247


def shows_photo(image: QImage) -> bool:
    """Whether the photo shows, and neither the background nor a placeholder."""
    color = image.pixelColor(image.width() // 2, image.height() // 2)
    return max(color.red(), color.green(), color.blue()) - min(color.red(), color.green(), color.blue()) < 8


def decoded(glass: Glass) -> list[tuple[int, int]]:
    """The sizes in pixels of the visible images."""
    sizes: list[QSize] = [item.childItems()[0].property("sourceSize") for item in glass.find("image")]
    return [(size.width(), size.height()) for size in sizes]


def test_after_a_rotation_images_are_sharp_and_no_frame_is_blank(photo: Glass) -> None:
    photo.show(upright())
    photo.until(lambda: shows_photo(photo.grab()))
    assert decoded(photo) == [(304, 540)]
    assert not is_sharp(photo.seen())
    photo.order(upright(), rotation=90)
    seen: list[QImage] = []

    def sharp() -> bool:
        seen.append(photo.seen())
        return is_sharp(seen[-1])

    photo.until(sharp)
    assert (seen[0].width(), seen[0].height()) == (540, 960), "it is rotated at once"
    assert [shows_photo(image) for image in seen] == [True] * len(seen)
    assert decoded(photo) == [(540, 960)]
    assert len(photo.find("host")) == 1, "it is replaced without a transition"


def test_an_image_that_is_drawn_smaller_takes_less_memory(photo: Glass) -> None:
    photo.show(upright(), rotation=90)
    assert decoded(photo) == [(540, 960)]
    photo.order(upright(), rotation=0)
    photo.until(lambda: decoded(photo) == [(304, 540)])
    photo.until(lambda: len(photo.find_all("canvas")) == 1)


def test_after_a_change_of_window_size_images_are_sharp(photo: Glass) -> None:
    photo.show(upright())
    assert not is_sharp(photo.grab())
    photo.display.view.resize(540, 960)
    photo.until(lambda: is_sharp(photo.grab()))
    assert decoded(photo) == [(540, 960)]


def test_the_old_view_stays_until_the_new_one_is_decoded(photo: Glass, monkeypatch: pytest.MonkeyPatch) -> None:
    photo.show(upright())
    photo.until(lambda: shows_photo(photo.grab()))
    old = photo.display.stage.top
    photo.order(upright(), rotation=90)
    [waiting] = photo.hidden
    waiting.expect("photo that takes its time")
    photo.until(lambda: waiting.is_built)
    timeout = photo.display.stage._ready_timeout
    timeout.stop()
    timeout.timeout.emit()
    assert photo.display.stage.top is old
    assert shows_photo(photo.seen())

    photo.pass_seconds(1)
    photo.pass_seconds(DECODE_SECONDS)
    photo.until(lambda: is_sharp(photo.seen()))


def test_an_order_meanwhile_changes_both_the_old_and_the_new_view(photo: Glass) -> None:
    view = upright()
    widget = menu(box=Box(x=0, y=0, width=540, height=300))
    shown = replace(view.scene, widgets=(*view.scene.widgets, widget))
    before, after = (listing(("", [row(name) for name in names])) for names in (("Soup", "Stew"), ("Soup",)))
    photo.show(showing(shown, {"menu": before}))
    photo.order(showing(shown, {"menu": before}), rotation=90)
    [waiting] = photo.hidden
    photo.order(showing(shown, {"menu": after}), rotation=90)

    assert photo.texts("name") == ["Soup"]
    photo.until(lambda: photo.display.stage.top is waiting)
    photo.until(lambda: is_sharp(photo.seen()))
    assert photo.texts("name") == ["Soup"]


def test_cached_and_prepared_scenes_are_sharp_too(photo: Glass) -> None:
    """One cached scene, and one prepared."""
    first, second, third = (upright(name) for name in ("first", "second", "third"))
    photo.show(first, second)
    photo.settle()
    photo.show(second, third)
    photo.settle()
    photo.until(lambda: photo.display.stage.is_prepared)

    photo.order(second, third, rotation=90)
    photo.until(lambda: is_sharp(photo.seen()))
    photo.until(lambda: photo.display.stage.is_prepared)
    for view in (third, first):
        photo.show(view, rotation=90)
        photo.settle()
        assert decoded(photo) == [(540, 960)]


def test_a_scene_without_images_is_not_rebuilt(glass: Glass) -> None:
    view = showing(scene(menu()), {"menu": listing(("", [row("Soup")]))})
    glass.show(view)
    before = glass.display.stage.top
    glass.show(view, rotation=90)
    glass.display.stage.refit()
    for _ in range(10):
        QCoreApplication.processEvents()

    assert glass.display.stage.top is before
    assert glass.hidden == []


@pytest.mark.film
def test_a_video_is_rebuilt_at_the_new_resolution_without_showing_its_poster(make_glass: Callable[..., Glass]) -> None:
    glass = make_glass()
    glass.files[FILM] = film(picture=f"color=c={GREEN}")
    widget = VideoWidget(id="film", box=UPRIGHT, asset=FILM)
    view = showing(scene(widget, width=540, height=960, background=Background(color=BLUE)))
    glass.show(view)

    def green() -> bool:
        color = glass.grab().pixelColor(480, 270)
        return color.green() > 150 and color.blue() < 80

    glass.until(green)
    old = glass.display.stage.top
    glass.order(view, rotation=90)
    seen: list[bool] = []

    def changed() -> bool:
        seen.append(green())
        return glass.display.stage.top is not old

    glass.until(changed)
    seen.append(green())
    assert all(seen), "its poster never came back"
