"""Item widgets: one dish like a poster, its price live, and what stands there when it is sold out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage
from PySide6.QtQuick import QQuickItem

from player.display.dish_plan import DETAIL_LINES, NAME_LINES, DishPlan, DishRulers, plan_dish
from player.domain.picture import Locality, MenuRow, ScenePicture
from player.domain.scene import Box, ItemWidget, Theme
from tests.player.display.boards import ARABIC, GERMAN, row, scene, showing
from tests.player.display.conftest import Glass

BOX = Box(x=100, y=100, width=1600, height=800)
PHOTO = "p" * 64
WORDS = "With herbs from our garden and a slice of the bread that we bake every morning."


class EvenRuler:
    """Every character is half an em wide, and words break at blanks."""

    def width(self, text: str, /) -> float:
        return len(text) / 2

    def cursor(self, text: str, index: int) -> float:
        return len(text[:index]) / 2

    def widest_piece(self, text: str) -> float:
        return max((len(word) / 2 for word in text.split()), default=0.0)

    def lines(self, text: str, width: float, limit: int) -> tuple[str, ...]:
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and len(longer) / 2 > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return tuple(lines[:limit])


RULERS = DishRulers(name=EvenRuler(), detail=EvenRuler(), price=EvenRuler())


def dish(shown: MenuRow | None, *, locality: Locality = GERMAN, box: Box = BOX, **more: object) -> ScenePicture:
    widget = replace(ItemWidget(id="dish", box=box, item_id="any"), **more)  # type: ignore[arg-type]
    picture = showing(scene(widget), locality=locality)
    return replace(picture, dishes={"dish": shown} if shown else {})


def extent(item: QQuickItem, root: QQuickItem) -> QRectF:
    return item.mapRectToItem(root, QRectF(0, 0, item.width(), item.height()))


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / PHOTO
    image = QImage(300, 300, QImage.Format.Format_RGB32)
    image.fill(QColor("#20C020"))
    assert image.save(str(path), "PNG")  # type: ignore[call-overload]
    return path


def test_a_dish_is_named_priced_and_described(glass: Glass) -> None:
    glass.show(dish(row("Soup", "4,80 €", description=WORDS)))

    assert glass.texts("dishName") == ["Soup"]
    assert glass.texts("dishPrice") == ["4,80 €"]
    assert " ".join(glass.texts("dishDetails")[0].split("\n")) == WORDS
    name, details = glass.items("dishName")[0], glass.items("dishDetails")[0]
    assert name.property("font").pixelSize() >= 2 * details.property("font").pixelSize()


def test_a_new_price_changes_in_place_and_moves_nothing_else(glass: Glass) -> None:
    glass.show(dish(row("Soup", "4,80 €", description=WORDS)))
    [name] = glass.items("dishName")
    before = extent(name, glass.root), name.property("font")

    glass.show(dish(row("Soup", "12,80 €", description=WORDS)))

    assert glass.texts("dishPrice") == ["12,80 €"]
    assert glass.items("dishName") == [name], "the scene is not built anew"
    assert (extent(name, glass.root), name.property("font")) == before


def test_a_dish_that_is_sold_out_leaves_and_comes_back(glass: Glass) -> None:
    glass.show(dish(row("Soup")))
    glass.show(dish(None))
    assert glass.items("dish") == []

    glass.show(dish(row("Soup")))
    assert glass.texts("dishName") == ["Soup"]


def test_another_dish_takes_the_place_of_one_that_is_sold_out(glass: Glass, photo: Path) -> None:
    glass.files[PHOTO] = photo
    glass.show(dish(row("Soup", image=PHOTO)))
    glass.show(dish(row("Stew", "9,00 €")))

    assert glass.texts("dishName") == ["Stew"]
    assert glass.items("dishPicture") == []


def test_the_picture_of_a_dish_stands_before_its_words_in_reading_direction(glass: Glass, photo: Path) -> None:
    glass.files[PHOTO] = photo
    sides = []
    for locality in (GERMAN, ARABIC):
        glass.show(dish(row("Soup", image=PHOTO), locality=locality))
        [picture], [name] = glass.items("dishPicture"), glass.items("dishName")
        spot = extent(picture, glass.root)
        sides.append(spot.center().x() < extent(name, glass.root).center().x())
        glass.until(
            lambda spot=spot: glass.grab().pixelColor(spot.center().toPoint()).name() == "#20c020"  # type: ignore[misc]
        )

    assert sides == [True, False]


def test_a_picture_that_cannot_be_drawn_leaves_a_calm_panel_and_is_reported(glass: Glass) -> None:
    glass.show(dish(row("Soup", image=PHOTO)))

    assert [(event.subject, event.code) for event in glass.undrawable] == [("scn_1/dish", "asset_missing")]
    assert glass.texts("dishName") == ["Soup"]


@pytest.mark.parametrize(
    ("box", "size"),
    [
        (Box(x=60, y=60, width=960, height=1800), (540, 960)),
        (Box(x=0, y=0, width=1080, height=260), (540, 960)),
        (Box(x=0, y=0, width=1000, height=1000), (960, 960)),
    ],
)
@pytest.mark.parametrize("theme", [Theme(), Theme(panel_color="#30FFFFFF")])
def test_words_stay_in_their_box_and_off_the_picture(
    make_glass: Callable[..., Glass], photo: Path, box: Box, size: tuple[int, int], theme: Theme
) -> None:
    glass = make_glass(size=size, files={PHOTO: photo})
    shown = dish(row("Slow-braised ox cheek", "18,50 €", description=WORDS, image=PHOTO), box=box, theme=theme)
    glass.show(replace(shown, scene=replace(shown.scene, width=1080, height=1920)))
    [whole], [picture] = glass.items("dish"), glass.items("dishPicture")
    frame, image = extent(whole, glass.root), extent(picture, glass.root)

    for name in ("dishName", "dishPrice", "dishDetails"):
        for item in glass.items(name):
            place = extent(item, glass.root)
            assert frame.adjusted(-2, -2, 2, 2).contains(place), name
            assert not image.intersects(place.adjusted(2, 2, -2, -2)), name


words = st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=14), min_size=1, max_size=12).map(" ".join)


@settings(max_examples=60)
@given(
    name=words,
    description=st.one_of(st.just(""), words),
    width=st.floats(min_value=20, max_value=4000),
    height=st.floats(min_value=20, max_value=4000),
    pictured=st.booleans(),
    panelled=st.booleans(),
    right_to_left=st.booleans(),
)
def test_any_dish_is_placed_in_any_box(
    name: str, description: str, width: float, height: float, pictured: bool, panelled: bool, right_to_left: bool
) -> None:
    shown, box = row(name, description=description), Box(x=0, y=0, width=width, height=height)

    def plan(kept: DishPlan | None = None) -> DishPlan:
        return plan_dish(
            shown, box, rulers=RULERS, pictured=pictured, panelled=panelled, right_to_left=right_to_left, kept=kept
        )

    placed = plan()

    assert 1 <= len(placed.name) <= NAME_LINES
    assert len(placed.details) <= DETAIL_LINES
    assert placed.size >= 1
    assert plan(placed) == placed, "what has not changed stays where it is"
    if min(width, height) >= 400:
        assert placed.price_box.y + placed.price_box.height <= height + 1
        assert placed.name_box.y >= -1
