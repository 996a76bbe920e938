"""Featured items on a menu: larger than the others, with their prices still in line."""

from __future__ import annotations

from collections import defaultdict

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from menu.documents.box import Box
from menu.documents.theme import Theme
from menu.text.wording import Locality
from player.display.typography.contrast import LEAST_CONTRAST, contrast
from tests.player.display.conftest import Glass, text_top, text_width
from tests.player.display.scenes import ARABIC, GERMAN, listing, one_menu, row

ROWS = [
    row("Espresso", "2,40 €"),
    row("Affogato", "12,90 €", featured=True, description="With vanilla ice cream", tags=("new",)),
    row("Flat white", "3,80 €", regular="4,20 €", featured=True),
    row("Pizza", variants=[("S", "8,50 €"), ("L", "11,00 €")], featured=True),
    row("Calzone", variants=[("Normal", "9,50 €"), ("Doppio", "17,00 €")], featured=True, description="Ham"),
    row("Water", "1,20 €"),
]


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_a_featured_item_is_larger_and_its_price_in_line(glass: Glass, locality: Locality) -> None:
    glass.show(one_menu(listing(("All", ROWS)), locality=locality, columns=1))
    [canvas] = glass.find("canvas")
    sizes, lines, edges = {}, [], defaultdict[int, list[float]](list)
    for item in glass.find("row"):
        [name] = glass.find("name", item)
        text = glass.texts("name", item)[0].replace("\n", " ")
        sizes[text] = name.property("font").pixelSize()
        lines.append((item.y(), item.y() + item.height()))
        for price in glass.find("price", item):
            shown = str(price.property("text"))
            if not shown:
                continue
            assert price.property("font").pixelSize() == sizes[text]
            assert price.y() + price.baselineOffset() == pytest.approx(name.y() + name.baselineOffset(), abs=1)
            left = price.mapToItem(canvas, QPointF(0, 0)).x()
            # Mirrored, figures before the decimals are on the outer side.
            figures = len(shown) if locality.right_to_left else 0
            edges[figures].append(left if locality.right_to_left else left + text_width(price))
    assert sizes["Affogato"] == sizes["Flat white"] == sizes["Pizza"] == sizes["Calzone"]
    assert sizes["Affogato"] >= 1.25 * sizes["Espresso"] == 1.25 * sizes["Water"]
    assert all(one[1] <= other[0] + 1 for one, other in zip(sorted(lines), sorted(lines)[1:], strict=False))
    assert all(max(found) - min(found) <= 1.5 for found in edges.values()), "prices end in line"
    assert glass.undrawable == []


def test_sizes_in_lines_stand_below_the_larger_name(glass: Glass) -> None:
    glass.show(one_menu(listing(("All", ROWS)), box=Box(x=40, y=40, width=420, height=1000)))
    [calzone] = [item for item in glass.find("row") if glass.texts("name", item) == ["Calzone"]]
    [name], [details], lines = (glass.find(part, calzone) for part in ("name", "details", "lineName"))
    assert text_top(details) >= text_top(name) + name.height() - 2
    tops = [line.y() + line.baselineOffset() - line.property("font").pixelSize() for line in lines]
    assert min(tops) >= text_top(details) + details.height() - 4
    assert max(line.y() + line.baselineOffset() for line in lines) <= calzone.height()


def test_an_item_that_becomes_featured_changes_in_place(glass: Glass) -> None:
    plain = [replace(one, featured=False) for one in ROWS]
    view = one_menu(listing(("All", plain)), max_text_size=30)
    glass.show(view)
    before = {glass.texts("name", item)[0].replace("\n", " "): item for item in glass.find("row")}
    glass.show(replace(view, menus={"menu": listing(("All", [*plain[:1], ROWS[1], *plain[2:]]))}))
    assert {glass.texts("name", item)[0].replace("\n", " "): item for item in glass.find("row")} == before


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_a_featured_item_stands_on_a_panel_and_moves_nothing(glass: Glass, locality: Locality) -> None:
    view = one_menu(listing(("All", ROWS)), locality=locality, columns=1, max_text_size=36)
    glass.show(view)
    places = [(item.x(), item.y()) for item in glass.find("row")]
    assert glass.find("featuredPanel") == []
    theme = Theme(featured_color="#F2A33A")
    glass.show(replace(view, scene=replace(view.scene, id="scn_2", theme=theme)))
    assert [(item.x(), item.y()) for item in glass.find("row")] == places
    panels = sorted(item.mapRectToScene(item.boundingRect()).top() for item in glass.find("featuredPanel"))
    assert len(panels) == sum(one.featured for one in ROWS)
    for item in glass.find("row"):
        [name] = glass.find("name", item)
        on_panel = glass.find("featuredPanel", item) != []
        assert contrast(name.property("color"), QColor("#F2A33A" if on_panel else "#101418")) >= LEAST_CONTRAST
        if on_panel:
            [panel] = glass.find("featuredPanel", item)
            box, inner = (one.mapRectToScene(one.boundingRect()) for one in (panel, item))
            assert box.contains(inner)
