"""One board over several panels: what each draws, side by side, is the whole board but for what the frames hide."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage

from menu.documents.box import Box
from menu.documents.scene import (
    Background,
    Gradient,
    GridWidget,
    ImageWidget,
    MenuWidget,
    Place,
    ShapeKind,
    ShapeWidget,
    Span,
    TextWidget,
    Transition,
    TransitionKind,
)
from player.display.window.panel import Panel
from player.domain.view import HouseCard, Identity, SceneView, is_never_flat
from tests.player.display.conftest import Glass
from tests.player.display.scenes import GERMAN, listing, menu, row, scene, showing

PHOTO = "c" * 64
GAP = 40
GOLD = "#E0A030"
LEFT, RIGHT = Place(number=0, of=2), Place(number=1, of=2)
DISHES = [
    row(f"Dish number {number}", description="with fresh herbs", cost=f"{number + 3},50 €") for number in range(9)
]


def wide(panels: int = 2, *, height: int = 1080, width: int = 1920, gap: int = GAP, **more: object) -> SceneView:
    """A picture and a line over all panels, a menu on each, and on the last a text."""
    whole = panels * (width + gap) - gap
    menus = [
        menu(f"menu-{number}", box=Box(x=number * (width + gap) + 80, y=400, width=width - 160, height=height - 500))
        for number in range(panels)
    ]
    shown = scene(
        ImageWidget(id="photo", asset=PHOTO, box=Box(x=0, y=100, width=whole, height=250)),
        ShapeWidget(
            id="rule", shape=ShapeKind.LINE, color="#E0A030", box=Box(x=60, y=371, width=whole - 120, height=3)
        ),
        *menus,
        TextWidget(id="text", text="Good evening", box=Box(x=whole - width + 80, y=10, width=width - 160, height=80)),
        background=Background(gradient=Gradient(start="#102030", end="#503010", angle=20)),
        width=whole,
        height=height,
        span=Span(panels=panels, gap=gap),
        **more,
    )
    return showing(shown, {one.id: listing(("", DISHES)) for one in menus})


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A picture in which every place differs from its neighbours."""
    image = QImage(1000, 130, QImage.Format.Format_RGB32)
    for x in range(image.width()):
        for y in range(image.height()):
            image.setPixelColor(x, y, QColor(x * 255 // 999, y * 255 // 129, (x * 7) % 256))
    file = tmp_path_factory.mktemp("photo") / "photo.png"
    assert image.save(str(file), "PNG")  # type: ignore[call-overload]
    return {PHOTO: file}


def differing(one: QImage, other: QImage) -> float:
    """The share of pixels that anybody could tell apart."""
    assert one.size() == other.size()
    rows = [(first, second) for first, second in zip(_rows(one), _rows(other), strict=True) if first != second]
    apart = [
        any(abs(a - b) > 24 for a, b in zip(first[x : x + 3], second[x : x + 3], strict=True))
        for first, second in rows
        for x in range(0, len(first), 3)
    ]
    return sum(apart) / (one.width() * one.height())


def _rows(image: QImage) -> list[bytes]:
    """Red, green and blue of each pixel, by row."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    whole, line = bytes(plain.constBits()), plain.bytesPerLine()
    return [whole[start : start + 3 * plain.width()] for start in range(0, len(whole), line)]


@pytest.mark.first_case
@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("panels", [2, 3])
def test_the_panels_side_by_side_are_the_whole_board(
    make_glass: Callable[..., Glass], photo: dict[str, Path], panels: int, rotation: int
) -> None:
    width, height = (960, 540) if rotation == 0 else (540, 960)
    view = wide(panels, width=2 * width, height=2 * height)
    step = width + GAP // 2
    wall, turned = (panels * step - GAP // 2, height), Panel(rotation=rotation)
    whole = make_glass(size=wall if rotation == 0 else wall[::-1], files=photo, panel=turned)
    whole.show(view)
    whole.settle()
    board = whole.seen()
    for number in range(panels):
        one = make_glass(size=(960, 540), files=photo, panel=turned)
        one.show(view, place=Place(number=number, of=panels))
        one.settle()
        drawn = one.seen()
        assert differing(drawn, board.copy(QRect(number * step, 0, width, height))) < 0.001, number


@pytest.mark.parametrize("place", [None, Place(number=1, of=3)])
def test_a_screen_without_a_place_of_the_board_shows_it_whole(
    make_glass: Callable[..., Glass], photo: dict[str, Path], place: Place | None
) -> None:
    one, expected = make_glass(files=photo), make_glass(files=photo)
    view = wide()
    one.show(view, place=place)
    expected.show(replace(view, scene=replace(view.scene, span=None)))
    for glass in (one, expected):
        glass.settle()
    assert one.grab() == expected.grab()


def test_a_scene_for_one_panel_and_the_cards_show_whole_on_each(glass: Glass, photo: dict[str, Path]) -> None:
    glass.files.update(photo)
    card = HouseCard(location_name="Corner Café", locality=GERMAN, reason="")
    for view in (replace(wide(), scene=replace(wide().scene, span=None)), card):
        glass.show(view, place=LEFT, identify=Identity(name="Left", short_id="7F3A9C"))
        glass.settle()
        left = glass.grab()
        glass.show(view, place=RIGHT, identify=Identity(name="Left", short_id="7F3A9C"))
        glass.settle()
        assert glass.grab() == left
        [banner] = glass.find("banner")
        assert QRect(0, 0, 960, 540).contains(banner.mapRectToScene(banner.boundingRect()).toRect())


def test_another_place_shows_at_once_and_without_a_transition(glass: Glass, photo: dict[str, Path]) -> None:
    glass.files.update(photo)
    fade = Transition(kind=TransitionKind.FADE, milliseconds=5000)
    view = wide(transition=fade)
    glass.show(view, place=LEFT)
    glass.settle()
    left = glass.grab()
    for place in (RIGHT, LEFT):
        before = glass.grab()
        glass.order(view, place=place)
        glass.until(lambda before=before: glass.moving or glass.grab() != before)  # type: ignore[misc]
        assert not glass.moving
    assert glass.grab() == left


@pytest.mark.first_case
@pytest.mark.parametrize("changed", [1, 2])
@pytest.mark.parametrize("kind", [MenuWidget, GridWidget])
def test_panels_that_were_started_before_and_after_a_change_show_one_board(
    make_glass: Callable[..., Glass], kind: type[MenuWidget] | type[GridWidget], changed: int
) -> None:
    boxes = [Box(x=x, y=100, width=1720, height=900) for x in (100, 2060)]
    lists = [kind(id=f"list-{number}", box=box) for number, box in enumerate(boxes)]
    shown = scene(*lists, width=3880, span=Span(panels=2, gap=GAP))
    names = [f"Dish {number}" for number in range(60)]
    many, few = (listing(("", [row(name) for name in some])) for some in (names, names[:4]))
    before = showing(shown, {"list-0": many, "list-1": few if changed == 1 else many})
    after = showing(shown, {"list-0": few, "list-1": few})
    went_on, started = make_glass(), make_glass()
    went_on.show(before, place=RIGHT)
    went_on.show(after, place=RIGHT)
    started.show(after, place=RIGHT)
    for glass in (went_on, started):
        glass.settle()
        glass.until(lambda glass=glass: glass.display.is_at_rest)  # type: ignore[misc]
    assert went_on.grab() == started.grab()


def test_a_margin_shows_nothing_of_the_panel_beside_it(make_glass: Callable[..., Glass]) -> None:
    glass = make_glass(panel=Panel(overscan=5))
    box = Box(x=1920, y=0, width=1960, height=1080)
    beside = ShapeWidget(id="beside", shape=ShapeKind.RECTANGLE, color=GOLD, box=box)
    shown = scene(beside, background=Background(color="#204060"), width=3880, span=Span(panels=2, gap=GAP))
    glass.show(showing(shown), place=LEFT)
    image = glass.grab()
    assert {image.pixelColor(x, 270).name() for x in (1, 300, 920, 958)} == {"#204060"}
    glass.show(showing(shown), place=RIGHT)
    glass.settle()
    image = glass.grab()
    assert [image.pixelColor(x, 270).name().upper() for x in (2, 52, 300, 906, 957)] == [
        "#204060",
        GOLD,
        GOLD,
        GOLD,
        "#204060",
    ]


def test_pictures_of_other_panels_are_not_read(glass: Glass) -> None:
    box = Box(x=2000, y=0, width=800, height=800)
    shown = scene(ImageWidget(id="photo", asset=PHOTO, box=box), width=3880, span=Span(panels=2, gap=GAP))
    glass.show(showing(shown), place=LEFT)
    assert glass.undrawable == []
    glass.show(showing(shown), place=RIGHT)
    assert [event.code for event in glass.undrawable] == ["asset_missing"]


def test_a_panel_with_nothing_but_background_is_no_fault(glass: Glass) -> None:
    text = TextWidget(id="text", text="Good evening", box=Box(x=2000, y=100, width=1800, height=400))
    shown = scene(text, width=3880, span=Span(panels=2, gap=GAP))
    assert is_never_flat(showing(shown), shown.part(RIGHT))
    assert not is_never_flat(showing(shown), shown.part(LEFT))
    assert is_never_flat(showing(shown), shown.part(None))
