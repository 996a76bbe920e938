"""Offers on the glass: the regular price struck beside the price, which has the accent's colour."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import ItemWidget
from menu.text.wording import Locality
from player.domain.view import MenuRow
from tests.player.display.conftest import Glass, text_width
from tests.player.display.scenes import ARABIC, GERMAN, listing, one_menu, row, scene, showing


def with_regular(item: MenuRow, **regular: str) -> MenuRow:
    """The item with these variants on offer."""
    return replace(item, variants=tuple(replace(one, regular=regular.get(one.name, "")) for one in item.variants))


OFFERS = [
    row("Croissant", "2,90 €", regular="12,40 €"),
    row("Avocado toast on sourdough bread", "19,80 €"),
    row("Flat white", "3,80 €", regular="4,20 €"),
]


VARIANTS = [
    with_regular(
        row("Margherita", variants=[("S", "8,50 €"), ("L", "9,90 €")]),
        L="13,00 €",
    ),
    row("Diavola", variants=[("S", "10,30 €"), ("L", "14,80 €")]),
    with_regular(row("Calzone", variants=[("Normal", "9,50 €"), ("Doppio", "17,00 €")]), Normal="11,50 €"),
]


def assert_struck(line: QQuickItem, text: QQuickItem) -> None:
    """One line from edge to edge, through the middle."""
    assert (line.x(), line.width()) == pytest.approx((text.x(), text_width(text)), abs=1.5)
    size, baseline = text.property("font").pixelSize(), text.y() + text.baselineOffset()
    assert baseline - 0.5 * size < line.y() < baseline - 0.2 * size


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_the_regular_price_is_struck_between_name_and_price(glass: Glass, locality: Locality) -> None:
    glass.show(one_menu(listing(("Food", OFFERS)), locality=locality))
    [canvas] = glass.find("canvas")
    assert glass.texts("regular") == ["12,40 €", "4,20 €"]
    for item in glass.find("row"):
        [price] = glass.find("price", item)
        for struck in glass.find("regular", item):
            [line] = glass.find("strike", item)
            assert_struck(line, struck)
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
    assert glass.texts("regular") == ["12,40 €", "4,20 €"]


def test_an_item_widget_strikes_it_beside_the_price(glass: Glass) -> None:
    widget = ItemWidget(id="item", box=Box(x=60, y=60, width=800, height=500), item_id="x")
    glass.show(replace(showing(scene(widget)), items={"item": OFFERS[0]}))
    [price], [struck] = glass.find("price"), glass.find("regular")
    assert price.x() + text_width(price) <= struck.x()
    assert struck.x() + text_width(struck) <= 800
    [line] = glass.find("strike")
    assert_struck(line, struck)


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_a_variant_on_offer_has_its_regular_price_below(glass: Glass, locality: Locality) -> None:
    glass.show(one_menu(listing(("Pizza", VARIANTS)), locality=locality))
    first, second, third = glass.find("row")
    assert (glass.texts("columnOffer", first), glass.texts("columnPrice", first)) == (["9,90 €"], ["8,50 €"])
    [offer], [struck], [line] = (glass.find(name, first) for name in ("columnOffer", "variantRegular", "strike"))
    assert struck.property("text") == "13,00 €"
    assert_struck(line, struck)
    assert offer.y() + offer.baselineOffset() < struck.y() + struck.baselineOffset() <= first.height()
    assert struck.x() + text_width(struck) == pytest.approx(offer.x() + text_width(offer), abs=1.5) or struck.x() == (
        pytest.approx(offer.x(), abs=1.5)
    ), "under its outer edge"
    assert offer.property("color") != glass.find("columnPrice", first)[0].property("color")
    assert glass.find("variantRegular", second) == []
    # In lines it stands before the price.
    [offer], [struck], [line] = (glass.find(name, third) for name in ("lineOffer", "variantRegular", "strike"))
    assert_struck(line, struck)
    edges = sorted((one.x(), one.x() + text_width(one)) for one in (offer, struck))
    assert edges[0][1] <= edges[1][0]


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_an_item_widget_strikes_those_of_variants(glass: Glass, locality: Locality) -> None:
    widget = ItemWidget(id="item", box=Box(x=60, y=60, width=700, height=500), item_id="x")
    glass.show(replace(showing(scene(widget), locality=locality), items={"item": VARIANTS[0]}))
    [struck], [line] = glass.find("variantRegular"), glass.find("strike")
    whole = struck.parentItem()
    assert whole is not None
    assert line.x() == pytest.approx(struck.x(), abs=1.5)
    assert line.width() == pytest.approx(text_width(struck), abs=1.5)
    assert -1 <= struck.x() <= struck.x() + text_width(struck) <= whole.width() + 1


def test_in_a_narrow_menu_a_struck_price_leaves_a_name_its_room(glass: Glass) -> None:
    name = "Doppio con latte"
    pizza = row("Calzone", variants=[(name, "9,50 €"), ("Normal", "17,00 €")])
    narrow = Box(x=40, y=40, width=420, height=900)
    glass.show(one_menu(listing(("Pizza", [with_regular(pizza, **{name: "11,50 €"})])), box=narrow, max_text_size=36))
    assert glass.texts("lineName") == [name, "Normal"]
    [offer], [struck], [line] = (glass.find(kind) for kind in ("lineOffer", "variantRegular", "strike"))
    assert offer.y() + offer.baselineOffset() < struck.y() + struck.baselineOffset()
    assert_struck(line, struck)
    below = glass.find("linePrice")[0]
    assert struck.y() + struck.baselineOffset() < below.y() + below.baselineOffset() - 10
