"""Single prices on the glass: words before, units after, words in place of an amount."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import ItemWidget
from menu.text.price import PriceText
from menu.text.price_words import NO_PRICE
from menu.text.wording import Locality
from player.domain.view import MenuRow
from tests.player.display.conftest import Glass, text_width
from tests.player.display.scenes import ARABIC, GERMAN, listing, one_menu, row, scene, showing


def worded(name: str, cost: str = "", **words: str) -> MenuRow:
    if not cost:
        market = PriceText(text="Tagespreis", decimal_at=0, in_words=True, **words)
        return replace(row(name), price=market)
    plain = row(name, cost)
    return replace(plain, price=replace(plain.price, **words))


CHEESE = [
    worded("Gouda", "2,90 €", per="/ 100 g", measure="100 g"),
    worded("Parmigiano Reggiano", "34,00 €", per="/ kg", measure="1 kg"),
    row("Bread", "4,50 €"),
]
FISH = [
    worded("Soup of the day", "6,50 €", before="ab"),
    worded("Lobster"),
    worded("Cod", per="/ 100 g", measure="100 g"),
    replace(worded("Oysters", "3,20 €", before="ab", per="/ Stück", measure="Stück"), regular="4,00 €"),
]


def extent(glass: Glass, item: QQuickItem) -> tuple[float, float]:
    [canvas] = glass.find("canvas")
    left = item.mapToItem(canvas, QPointF(0, 0)).x()
    return left, left + text_width(item)


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_words_stand_around_a_price_and_touch_nothing(glass: Glass, locality: Locality) -> None:
    glass.show(one_menu(listing(("Cheese", CHEESE), ("Fish", FISH)), locality=locality))
    assert glass.texts("priceWord") == ["100 g", "1 kg", "ab", "100 g", "Stück ab"]
    assert glass.texts("priceInWords") == ["Tagespreis", "Tagespreis"]
    kinds = ("name", "price", "priceWord", "priceInWords", "regular")
    for found in glass.find("row"):
        edges = sorted(whole(glass, item) for kind in kinds for item in glass.find(kind, found))
        edges = [edge for edge in edges if edge[0] < edge[1]]
        assert all(left[1] <= right[0] + 1 for left, right in pairwise(edges))


def whole(glass: Glass, item: QQuickItem) -> tuple[float, float]:
    """Left and right edge of a text, or of all its lines."""
    edges = [extent(glass, line) for line in (item, *item.childItems()) if line.property("text")]
    return min((left for left, _ in edges), default=0.0), max((right for _, right in edges), default=0.0)


def test_amounts_line_up_with_their_units_before_them(glass: Glass) -> None:
    glass.show(one_menu(listing(("Cheese", CHEESE))))
    commas = []
    for price in glass.find("price"):
        text, metrics = str(price.property("text")), QFontMetricsF(QFont(price.property("font")))
        commas.append(extent(glass, price)[0] + metrics.horizontalAdvance(text[: text.index(",")]))
    assert max(commas) - min(commas) <= 0.5
    units, amounts = ([extent(glass, item) for item in glass.find(kind)] for kind in ("priceWord", "price"))
    assert all(unit[1] < amount[0] for unit, amount in zip(units, amounts, strict=False))
    fonts = [item.property("font").pixelSize() for item in (*glass.find("priceWord"), *glass.find("price"))]
    assert fonts[0] < fonts[-1]


def test_beside_prices_without_decimals_all_end_at_the_edge_of_the_column(glass: Glass) -> None:
    spritz = row("Spritz", "£9", decimals=0)
    glass.show(one_menu(listing(("Cocktails", [spritz, row("Negroni", "£9.50"), row("Sour", "£12", decimals=0)]))))
    edges = [extent(glass, price)[1] for price in glass.find("price")]
    assert max(edges) - min(edges) <= 0.5


def test_a_unit_shifts_no_price(glass: Glass) -> None:
    glass.show(one_menu(listing(("Cheese", CHEESE), ("Bread", [row("Butter", "1,20 €")])), columns=1))
    edges = [extent(glass, price)[1] for price in glass.find("price")]
    assert edges == pytest.approx([edges[0]] * 4, abs=1)


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_a_heading_says_the_unit_of_all_its_prices_once(glass: Glass, locality: Locality) -> None:
    cheese = [CHEESE[0], worded("Emmental", "2,40 €", per="/ 100 g", measure="100 g")]
    glass.show(one_menu(listing(("Cheese", cheese), ("Bread", [CHEESE[2]])), locality=locality))

    assert (glass.texts("label"), glass.texts("priceWord")) == (["/ 100 g"], [])
    [label], price = glass.find("label"), glass.find("price")[0]
    side = 0 if locality is ARABIC else 1
    assert extent(glass, label)[side] == pytest.approx(extent(glass, price)[side], abs=1)


def test_the_market_price_ends_at_the_edge_of_the_column(glass: Glass) -> None:
    glass.show(one_menu(listing(("Fish", [row("Cod", "24,50 €"), worded("Lobster")]))))
    [words], [price] = glass.find("priceInWords"), glass.find("price")
    assert extent(glass, words)[1] == pytest.approx(extent(glass, price)[1], abs=1)
    assert words.property("color") == price.property("color"), "it is as much a price as the others"


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
@pytest.mark.parametrize("item", [FISH[3], FISH[1], FISH[2], CHEESE[0]], ids=lambda one: one.name)
def test_an_item_widget_has_the_words_beside_its_price(glass: Glass, locality: Locality, item: MenuRow) -> None:
    widget = ItemWidget(id="item", box=Box(x=60, y=60, width=700, height=500), item_id="x")
    glass.show(replace(showing(scene(widget), locality=locality), items={"item": item}))
    shown = [part for kind in ("priceWord", "price", "priceInWords") for part in glass.find(kind)]
    for regular in glass.find("regular"):
        if regular.y() < shown[0].y() + shown[0].height() / 2:
            shown.append(regular)
        else:
            assert text_width(regular) + sum(map(text_width, shown)) > 700, "below them for want of room"
    edges = sorted((part.x(), part.x() + text_width(part)) for part in shown)
    assert all(left[1] <= right[0] + 1 for left, right in pairwise(edges))
    assert edges[0][0] >= 0
    assert edges[-1][1] <= 700.5
    words = [word for word in (item.price.before, item.price.suffix) if word]
    assert glass.texts("priceWord") == words


FLAVOURS = [replace(row(name), price=NO_PRICE) for name in ("Fior di latte", "Stracciatella con amarena e cioccolato")]


def test_what_has_no_price_has_the_width_for_its_name(glass: Glass) -> None:
    box = Box(x=80, y=80, width=760, height=900)
    shown = listing(("Scoops", [row("One scoop", "2,20 €")]), ("Flavours", FLAVOURS))
    glass.show(one_menu(shown, box=box, columns=1, leader=True, min_text_size=36, max_text_size=36))

    assert glass.texts("price") == ["2,20 €"]
    assert glass.texts("name")[-1] == FLAVOURS[1].name, "in one line"
    assert len(glass.find("leader")) == 1, "dots lead to prices alone"


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_a_free_size_is_a_word_that_ends_with_the_prices(glass: Glass, locality: Locality) -> None:
    free = PriceText(text="kostenlos", decimal_at=0, in_words=True)
    sizes = [row(f"Water {number}", variants=[("S", "1,20 €"), ("L", "2,20 €")]) for number in range(2)]
    tap = replace(sizes[0], item_id="tap", name="Tap", variants=(sizes[0].variants[0], replace(sizes[0].variants[1])))
    tap = replace(tap, variants=tuple(replace(one, price=free) for one in tap.variants))
    glass.show(one_menu(listing(("Water", [*sizes, tap])), locality=locality, columns=1))

    edges = [extent(glass, price) for price in glass.find("columnPrice")]
    side = 0 if locality is ARABIC else 1
    outermost = [edge[side] for edge in edges[1::2]]
    assert max(outermost) - min(outermost) <= 1
    for one, other in pairwise(sorted(edges[-2:])):
        assert one[1] < other[0]
