"""Variants on a menu: columns with their names, lines where columns do not fit, and one that is sold out alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import SoldOut
from menu.text.price import PriceText
from menu.text.wording import Locality
from player.display.layout.variants import MOST_PRICE_COLUMNS
from player.domain.view import MenuRow, SceneView
from tests.player.display.conftest import Glass, text_width
from tests.player.display.scenes import ARABIC, GERMAN, listing, one_menu, row

PIZZAS = [
    row("Margherita", variants=[("S", "8,50 €"), ("M", "10,50 €"), ("L", "13,00 €")], description="Basil"),
    row("Prosciutto", variants=[("S", "9,40 €"), ("M", "11,40 €", True), ("L", "13,90 €")]),
    row("Diavola", variants=[("S", "10,30 €"), ("L", "104,80 €")]),
]
CALZONE = row("Calzone", variants=[("Normal", "11,50 €"), ("Doppio", "17,00 €")])
BREAD = row("Pizza bread", "4,50 €")
DRINKS = [
    row("Cola", variants=[("0,3 l", "2,80 €"), ("0,5 l", "3,90 €")]),
    row("Water", variants=[("0,3 l", "2,20 €"), ("0,5 l", "3,20 €"), ("0,75 l", "5,90 €")]),
]
MIXED = listing(("Pizza", [*PIZZAS, CALZONE, BREAD]), ("Drinks", DRINKS))
NARROW = Box(x=40, y=40, width=400, height=1000)


def cells(glass: Glass, kind: str) -> Iterator[tuple[str, float, float]]:
    """Text, left and right edge on the canvas of everything of this kind."""
    [canvas] = glass.find("canvas")
    for item in glass.find(kind):
        left = item.mapToItem(canvas, QPointF(0, 0)).x()
        yield str(item.property("text")), left, left + text_width(item)


def row_named(glass: Glass, name: str) -> QQuickItem:
    [found] = [item for item in glass.find("row") if glass.texts("name", item) == [name]]
    return found


def separators(glass: Glass, label: str) -> list[float]:
    """Where the decimal commas of the column of this name are."""
    columns = {text: right for text, _, right in cells(glass, "label")}
    found = []
    [canvas] = glass.find("canvas")
    for item in (*glass.find("columnPrice"), *glass.find("columnStruck")):
        text = str(item.property("text"))
        left, metrics = item.mapToItem(canvas, QPointF(0, 0)).x(), QFontMetricsF(QFont(item.property("font")))
        if text and left < columns[label] <= left + text_width(item) + 1:
            found.append(left + metrics.horizontalAdvance(text[: text.index(",")]))
    return found


@pytest.fixture
def board(glass: Glass) -> SceneView:
    view = one_menu(listing(("Pizza", PIZZAS)), sold_out=SoldOut.MARK)
    glass.show(view)
    return view


@pytest.mark.usefixtures("board")
def test_prices_stand_in_columns_under_one_name_each(glass: Glass) -> None:
    assert [text for text, _, _ in cells(glass, "label")] == ["S", "M", "L"]
    assert glass.texts("columnPrice", row_named(glass, "Margherita")) == ["8,50 €", "10,50 €", "13,00 €"]
    for label in "SML":
        commas = separators(glass, label)
        assert len(commas) >= 2
        assert max(commas) - min(commas) <= 0.5
    assert glass.texts("lineName") == []


@pytest.mark.usefixtures("board")
def test_one_size_alone_is_struck_or_missing(glass: Glass) -> None:
    assert glass.texts("columnStruck") == ["11,40 €"]
    diavola = row_named(glass, "Diavola")
    assert (glass.texts("columnNone", diavola), glass.texts("columnPrice", diavola)) == (["–"], ["10,30 €", "104,80 €"])
    assert row_named(glass, "Prosciutto").opacity() == 1.0, "the item is not sold out"


def test_a_size_that_is_sold_out_leaves_its_row_in_place(glass: Glass, board: SceneView) -> None:
    before = {name: (row_named(glass, name).x(), row_named(glass, name).y()) for name in ("Margherita", "Diavola")}
    gone = replace(PIZZAS[0], variants=(replace(PIZZAS[0].variants[0], sold_out=True), *PIZZAS[0].variants[1:]))
    glass.show(replace(board, menus={"menu": listing(("Pizza", [gone, *PIZZAS[1:]]))}))

    assert glass.texts("columnStruck", row_named(glass, "Margherita")) == ["8,50 €"]
    assert before == {name: (row_named(glass, name).x(), row_named(glass, name).y()) for name in before}


def test_an_item_with_other_sizes_lists_them_in_lines(glass: Glass) -> None:
    glass.show(one_menu(MIXED))
    calzone = row_named(glass, "Calzone")
    assert glass.texts("lineName", calzone) == ["Normal", "Doppio"]
    assert glass.texts("linePrice", calzone) == ["11,50 €", "17,00 €"]
    assert glass.texts("label") == ["S", "M", "L", "0,3 l", "0,5 l", "0,75 l"], "each category has its own columns"


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
@pytest.mark.parametrize("width", [1100, 1760])
def test_a_single_price_among_sizes_stands_where_all_prices_of_the_board_end(
    glass: Glass, locality: Locality, width: int
) -> None:
    offer = replace(row("Bruschetta", "4,60 €", featured=True), regular="9,50 €")
    market = replace(row("Oysters"), price=PriceText(text="Tagespreis", decimal_at=0, in_words=True))
    box = Box(x=80, y=80, width=width, height=920)
    shown = listing(("Pizza", [*PIZZAS, BREAD, offer, market]), ("Sides", [row("Olives", "3,90 €")]))
    glass.show(one_menu(shown, locality=locality, box=box, columns=1))

    assert glass.texts("label") == ["S", "M", "L"]
    singly = [cell for kind in ("price", "priceInWords") for cell in cells(glass, kind)]
    assert len(singly) == 4
    edge = (lambda cell: cell[1]) if locality is ARABIC else (lambda cell: cell[2])
    outermost = column_edges(glass)[0 if locality is ARABIC else 1]
    if locality is not ARABIC:  # There the decimals are in line, and the sign of the currency is on their outer side.
        assert [edge(cell) for cell in singly] == pytest.approx([outermost] * 4, abs=1)
    assert glass.texts("columnNone", row_named(glass, "Pizza bread")) == []


def test_no_name_breaks_for_the_sizes_of_others(glass: Glass) -> None:
    beers = [row(f"Beer {number}", variants=[("Pint", "5,20 €"), ("Half", "2,70 €")]) for number in range(3)]
    whisky = replace(row("Whisky of the week", "7,50 €", description="From Skye"), regular="9,50 €")
    box = Box(x=80, y=80, width=700, height=900)
    glass.show(one_menu(listing(("Bar", [*beers, whisky])), box=box, min_text_size=40, max_text_size=40, columns=1))

    assert glass.texts("name")[-1] == "Whisky of the week"
    [name], [regular] = glass.find("name", row_named(glass, whisky.name)), glass.find("regular")
    assert regular.y() + regular.height() / 2 < name.y() + name.height(), "before its price, in one line"


def test_sizes_that_two_items_share_stand_in_columns(glass: Glass) -> None:
    fish = [row(name, variants=[("Regular", "8,20 €"), ("Large", "10,90 €")]) for name in ("Cod", "Haddock")]
    glass.show(one_menu(listing(("Fryer", [*fish, *(row(f"Pie {number}") for number in range(7))]))))

    assert (glass.texts("label"), glass.texts("lineName")) == (["Regular", "Large"], [])


def test_names_of_sizes_are_not_repeated_above_single_prices(glass: Glass) -> None:
    fish = [row(name, variants=[("Regular", "8,20 €"), ("Large", "10,90 €")]) for name in ("Cod", "Haddock")]
    glass.show(one_menu(listing(("Fryer", [*fish, *(row(f"Pie {number}") for number in range(14))])), columns=2))

    assert len({round(item.x()) for item in glass.find("row")}) == 2
    assert glass.texts("label") == ["Regular", "Large"]


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_sizes_in_lines_stand_beside_the_name_each_before_its_price(glass: Glass, locality: Locality) -> None:
    wings = row("Wings", variants=[("6", "8,00 €"), ("12", "14,50 €")], description="With celery and a blue-cheese dip")
    rings = [row(f"Rings {number}", "4,50 €") for number in range(2)]
    glass.show(one_menu(listing(("Wings", [wings, *rings])), locality=locality, columns=1))

    found = row_named(glass, "Wings")
    [name], [details] = glass.find("name", found), glass.find("details", found)
    labels, prices = glass.find("lineName", found), glass.find("linePrice", found)
    assert labels[0].y() + labels[0].property("baselineOffset") == pytest.approx(baseline(name), abs=1)
    assert baseline(prices[0]) == pytest.approx(baseline(name), abs=1)
    assert baseline(prices[1]) < baseline(details) + details.height(), "beside the description"
    sizes = {item.property("font").pixelSize() for item in (*prices, *glass.find("price"))}
    assert len(sizes) == 1, "as large as any other price"
    for label, price in zip(cells(glass, "lineName"), cells(glass, "linePrice"), strict=True):
        apart = label[1] - price[2] if locality is ARABIC else price[1] - label[2]
        assert 0 < apart < 2 * name.property("font").pixelSize()


def baseline(item: QQuickItem) -> float:
    return float(item.y() + item.property("baselineOffset"))


def test_few_sizes_among_single_prices_stand_in_lines(glass: Glass) -> None:
    singles = [row(f"Dish {number}", "9,50 €") for number in range(2)]
    glass.show(one_menu(listing(("Sides", [row("Fries", variants=[("S", "3,50 €"), ("L", "4,90 €")]), *singles]))))

    assert (glass.texts("label"), glass.texts("lineName")) == ([], ["S", "L"])
    ends = [right for kind in ("price", "linePrice") for _, _, right in cells(glass, kind)]
    assert max(ends) - min(ends) < 1, "all end at the column's edge"


def test_sizes_with_as_many_dashes_and_single_prices_as_prices_stand_in_lines(glass: Glass) -> None:
    cones = [row(f"Cone {size}", variants=[(size, "3,00 €")]) for size in ("2 gusti", "3 gusti")]
    cup = row("Cup", variants=[(f"{number} gusti", f"{number + 1},00 €") for number in (2, 3, 4)])
    glass.show(one_menu(listing(("Gelato", [*cones, cup, row("Brioche", "4,50 €")]))))

    assert (glass.texts("label"), glass.texts("columnNone")) == ([], [])
    assert glass.texts("lineName", row_named(glass, "Cup")) == ["2 gusti", "3 gusti", "4 gusti"]
    ends = [right for kind in ("price", "linePrice") for _, _, right in cells(glass, kind)]
    assert max(ends) - min(ends) < 1, "all end at the column's edge"


def column_edges(glass: Glass) -> tuple[float, float]:
    """Left and right edge of the columns of sizes with their names."""
    edges = [cell[1:] for kind in ("label", "columnPrice") for cell in cells(glass, kind)]
    return min(left for left, _ in edges), max(right for _, right in edges)


def test_what_a_combo_saves_stands_below_its_single_price(glass: Glass) -> None:
    glass.show(one_menu(listing(("Pizza", [*PIZZAS, row("Pizza + Cola", "11,00 €", saving="2,00 € gespart")]))))

    [(_, _, saved)], [(_, _, price)] = cells(glass, "saving"), cells(glass, "price")
    assert abs(saved - price) < 1


def test_where_columns_do_not_fit_there_are_lines(glass: Glass) -> None:
    glass.show(one_menu(listing(("Pizza", PIZZAS)), box=NARROW))
    assert glass.texts("label") == []
    assert glass.texts("lineName", row_named(glass, "Margherita")) == ["S", "M", "L"]
    lines = [item.y() for item in glass.find("linePrice", row_named(glass, "Margherita"))]
    assert all(below > above for above, below in pairwise(lines))


def test_more_sizes_than_columns_stand_in_lines(glass: Glass) -> None:
    sizes = [(f"{number} cl", f"{number},00 €") for number in range(MOST_PRICE_COLUMNS + 1)]
    wine = row("Wine", variants=sizes)
    glass.show(one_menu(listing(("Wine", [wine, row("Cheese", "4,00 €"), row("Bread", "2,00 €")])), max_text_size=48))
    assert glass.texts("label") == []
    assert glass.texts("linePrice") == [cost for _, cost in sizes]
    ends = [right for kind in ("linePrice", "price") for _, _, right in cells(glass, kind)]
    assert max(ends) - min(ends) < 1, "all end at the column's edge"
    rows = [row_named(glass, name) for name in ("Wine", "Cheese", "Bread")]
    gaps = [below.y() - above.y() - above.height() for above, below in pairwise(rows)]
    assert gaps[0] < gaps[1] + 24, "no hole below the sizes"


def test_the_names_of_sizes_are_repeated_in_every_column_of_the_board(glass: Glass) -> None:
    many = [replace(PIZZAS[0], item_id=str(number), name=f"Pizza {number}") for number in range(24)]
    glass.show(one_menu(listing(("Pizza", many)), columns=2))
    assert glass.texts("label") == ["S", "M", "L"] * 2
    assert [text for text in glass.texts("headingText") if text] == ["PIZZA"], "beside itself there is no heading"


def test_columns_without_a_category_have_names_too(glass: Glass) -> None:
    glass.show(one_menu(listing(("", PIZZAS))))
    assert glass.texts("label") == ["S", "M", "L"]


def test_columns_are_mirrored(glass: Glass) -> None:
    sizes = [("صغير", "١٫٢٥٠"), ("وسط", "١٫٧٥٠"), ("كبير", "١٢٫٥٠٠")]
    drinks: list[MenuRow] = [row(name, variants=sizes, decimals=3) for name in ("قهوة", "شاي")]
    glass.show(one_menu(listing(("المشروبات", drinks)), locality=ARABIC))
    [name, *_] = glass.find("name")
    [canvas] = glass.find("canvas")
    lefts = [left for _, left, _ in cells(glass, "label")]
    assert [text for text, _, _ in cells(glass, "label")] == ["صغير", "وسط", "كبير"]
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[0] < name.mapToItem(canvas, QPointF(0, 0)).x() + name.width()
