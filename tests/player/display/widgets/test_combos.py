"""Combos on the glass: what they save stands below the price, in the accent's colour."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF

from menu.documents.box import Box
from menu.documents.scene import ItemWidget
from menu.text.wording import Locality
from tests.player.display.conftest import Glass, text_width
from tests.player.display.scenes import ARABIC, GERMAN, listing, menu, one_menu, row, scene, showing

COMBOS = [
    row("Burger Menü", "9,90 €", saving="Sie sparen 2,20 €", description="Burger + Pommes + Cola oder Wasser"),
    row("Kindermenü", "6,50 €", saving="Sie sparen 0,80 €"),
    row("Cola", "3,20 €"),
]


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
@pytest.mark.parametrize("width", [1760, 420])
def test_it_stands_below_the_price_beside_the_details(glass: Glass, locality: Locality, width: int) -> None:
    widget = menu(box=Box(x=80, y=80, width=width, height=920), columns=1, min_text_size=28, max_text_size=40)
    glass.show(showing(scene(widget), {"menu": listing(("Menüs", COMBOS))}, locality=locality))
    [canvas] = glass.find("canvas")
    assert glass.texts("saving") == ["Sie sparen 2,20 €", "Sie sparen 0,80 €"]
    for item in glass.find("row"):
        [price] = glass.find("price", item)
        for saving in glass.find("saving", item):
            top, below = (one.mapToItem(canvas, QPointF(0, 0)) for one in (price, saving))
            assert below.y() > top.y()
            assert saving.property("color") != price.property("color")
            ends = [(at.x(), at.x() + text_width(one)) for at, one in ((top, price), (below, saving))]
            edge = 0 if locality.right_to_left else 1
            assert abs(ends[0][edge] - ends[1][edge]) <= 2
            assert ends[1][0] >= 80 - 1
            assert ends[1][1] <= 80 + width + 1
            for details in glass.find("details", item):
                at = details.mapToItem(canvas, QPointF(0, 0))
                beside = (
                    ends[1][1] <= at.x() + details.width() - text_width(details)
                    if locality.right_to_left
                    else at.x() + text_width(details) <= ends[1][0]
                )
                assert beside or at.y() + details.height() <= below.y() + 2


def test_long_details_stand_above_it_in_their_whole_width(glass: Glass) -> None:
    parts = "Rinderhacksteakbrötchen mit Bergkäse + Süßkartoffelpommes groß + Holunderblütenschorle oder Mineralwasser"
    long = row("Mittagsmenü", "14,00 €", saving="Sie sparen 4,28 €", description=f"980–1.120 kcal · {parts}")
    widget = menu(box=Box(x=80, y=80, width=560, height=920), columns=1, min_text_size=28, max_text_size=32)
    glass.show(showing(scene(widget), {"menu": listing(("Menüs", [long]))}))
    [details], [saving] = glass.find("details"), glass.find("saving")
    assert text_width(details) > 0.7 * 560
    assert saving.y() + saving.baselineOffset() > details.y() + details.height()


def test_what_is_no_longer_saved_moves_no_row_of_others(glass: Glass) -> None:
    view = one_menu(listing(("Menüs", COMBOS)))
    glass.show(view)
    before = [(item.x(), item.y()) for item in glass.find("row")]
    first = replace(COMBOS[0], saving="")
    glass.show(replace(view, menus={"menu": listing(("Menüs", [first, *COMBOS[1:]]))}))
    assert [(item.x(), item.y()) for item in glass.find("row")] == before
    assert glass.texts("saving") == ["Sie sparen 0,80 €"]


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
@pytest.mark.parametrize("height", [700, 260], ids=["below", "beside"])
def test_an_item_widget_has_it_below_the_price(glass: Glass, locality: Locality, height: int) -> None:
    widget = ItemWidget(id="item", box=Box(x=60, y=60, width=1200, height=height), item_id="x")
    glass.show(replace(showing(scene(widget), locality=locality), items={"item": COMBOS[0]}))
    [price], [saving], [details] = (glass.find(name) for name in ("price", "saving", "itemDetails"))
    assert saving.y() > price.y()
    assert saving.x() >= 0
    assert saving.x() + text_width(saving) <= 1200 + 1
    assert saving.y() + saving.property("baselineOffset") <= height
    above = details.y() + details.height() <= saving.y() + 4
    assert above or saving.y() + saving.property("baselineOffset") <= details.y() + 4
