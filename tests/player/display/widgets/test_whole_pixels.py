"""Hairlines and the outlines of tags lie on whole pixels, whatever the panel's size and the widget's place."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import Background, ItemWidget
from menu.documents.theme import Theme
from menu.text.allergens import LegendLine
from player.display.window.panel import Panel
from player.domain.view import SceneView
from tests.player.display.conftest import Glass
from tests.player.display.scenes import listing, one_menu, row, scene, showing

INK, PAPER = QColor("#FFFFFF"), QColor("#000000")
THEME = Theme(accent_color="#FFFFFF", text_color="#FFFFFF")
SIZES = [((1280, 720), 0.0), ((1366, 768), 0.0), ((1920, 1080), 0.0), ((1920, 1080), 3.0), ((1600, 900), 2.5)]
LEGEND = (LegendLine(mark="G", text="Milch"),)


def menu_view() -> SceneView:
    rows = [row("Soup", tags=("new", "vegan"), allergens=("G",)), row("Toast", tags=("new",)), row("Tea")]
    shown = replace(listing(("Today", rows)), legend=LEGEND, legend_title="Allergene:")
    box = Box(x=101.3, y=77.7, width=1500.5, height=800.1)
    return one_menu(shown, box=box, background=Background(color=PAPER.name()), theme=THEME)


def item_view() -> SceneView:
    box = Box(x=101.3, y=77.7, width=700.5, height=800.1)
    poster = ItemWidget(id="item", box=box, item_id="itm")
    shown = scene(poster, background=Background(color=PAPER.name()), theme=THEME)
    return replace(showing(shown), items={"item": row("Soup", tags=("new", "vegan"), allergens=("Milch",))})


def on_glass(item: QQuickItem) -> QRectF:
    return item.mapRectToScene(item.boundingRect())


def is_whole(number: float) -> bool:
    return abs(number - round(number)) < 0.01


def shades_across(image: QImage, rect: QRectF) -> set[str]:
    """The colours of the rows of pixels from above a hairline to below it, in its middle."""
    x = round(rect.center().x())
    return {image.pixelColor(x, y).name() for y in range(round(rect.top()) - 3, round(rect.bottom()) + 3)}


@pytest.mark.first_case
@pytest.mark.parametrize(("size", "overscan"), SIZES)
@pytest.mark.parametrize("view", [menu_view, item_view])
def test_hairlines_have_one_colour(
    make_glass: Callable[..., Glass], size: tuple[int, int], overscan: float, view: Callable[[], SceneView]
) -> None:
    glass = make_glass(size=size, panel=Panel(overscan=overscan))
    glass.show(view())
    image = glass.grab()
    lines = [*glass.find("headingRule"), *glass.find("legendRule"), *glass.find("itemRule")]

    assert lines
    for line in lines:
        rect = on_glass(line)
        assert is_whole(rect.top()), rect
        assert is_whole(rect.height()), rect
        assert rect.height() >= 1
        assert len(shades_across(image, rect)) == 2, "its own colour, and what is behind it"


@pytest.mark.parametrize(("size", "overscan"), SIZES)
@pytest.mark.parametrize("view", [menu_view, item_view])
def test_outlines_of_tags_are_sharp(
    make_glass: Callable[..., Glass], size: tuple[int, int], overscan: float, view: Callable[[], SceneView]
) -> None:
    glass = make_glass(size=size, panel=Panel(overscan=overscan))
    glass.show(view())
    image = glass.grab()
    tags = glass.find("tag")

    assert tags
    for tag in tags:
        rect = on_glass(tag)
        assert all(is_whole(edge) for edge in (rect.left(), rect.top(), rect.right(), rect.bottom())), rect
        x, top, bottom = round(rect.left() + rect.height()), round(rect.top()), round(rect.bottom())
        column = [image.pixelColor(x, y).name() for y in range(top - 2, bottom + 2)]
        letters = column[5:-5]
        edge = [*column[:5], *column[-5:]]
        assert set(edge) <= {INK.name(), PAPER.name(), *letters}
        assert column[1] == column[-2] == PAPER.name(), "nothing outside of it"
        assert column[2] == column[-3] == INK.name(), "full strength from its first pixel on"
