"""Offers on the glass: the regular price struck beside the price, which has the accent's colour."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF

from player.domain.scene import Box, ItemWidget
from player.domain.view import Locality
from tests.player.display.conftest import Glass, text_width
from tests.player.display.scenes import ARABIC, GERMAN, listing, one_menu, row, scene, showing

OFFERS = [
    row("Croissant", "2,90 €", regular="12,40 €"),
    row("Avocado toast on sourdough bread", "19,80 €"),
    row("Flat white", "3,80 €", regular="4,20 €"),
]


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_the_regular_price_is_struck_between_name_and_price(glass: Glass, locality: Locality) -> None:
    glass.show(one_menu(listing(("Food", OFFERS)), locality=locality))
    [canvas] = glass.find("canvas")
    assert glass.texts("regularPrice") == ["12,40 €", "4,20 €"]
    for item in glass.find("row"):
        [price] = glass.find("price", item)
        for struck in glass.find("regularPrice", item):
            assert struck.property("font").strikeOut()
            assert price.property("color") != struck.property("color")
            left, right = (one.mapToItem(canvas, QPointF(0, 0)).x() for one in (struck, price))
            if locality.right_to_left:
                assert right + text_width(price) <= left + 1
            else:
                assert left + text_width(struck) <= right + 1
    plain, offered = glass.find("price")[1], glass.find("price")[0]
    assert plain.property("color") != offered.property("color")


def test_a_new_offer_moves_no_row(glass: Glass) -> None:
    view = one_menu(listing(("Food", [replace(one, regular="") for one in OFFERS])))
    glass.show(view)
    before = [(item.x(), item.y()) for item in glass.find("row")]
    glass.show(replace(view, menus={"menu": listing(("Food", OFFERS))}))
    assert [(item.x(), item.y()) for item in glass.find("row")] == before
    assert glass.texts("regularPrice") == ["12,40 €", "4,20 €"]


def test_an_item_widget_strikes_it_beside_the_price(glass: Glass) -> None:
    widget = ItemWidget(id="item", box=Box(x=60, y=60, width=700, height=500), item_id="x")
    glass.show(replace(showing(scene(widget)), items={"item": OFFERS[0]}))
    [price], [struck] = glass.find("itemPrice"), glass.find("itemRegularPrice")
    assert price.x() + price.property("contentWidth") <= struck.x()
    assert struck.x() + struck.property("contentWidth") <= 700
    assert struck.property("font").strikeOut()
