"""Variants on a menu: columns with their names, lines where columns do not fit, and one that is sold out alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtQuick import QQuickItem

from player.display.layout.variants import MOST_PRICE_COLUMNS
from player.domain.documents.scene import Box, SoldOut
from player.domain.view import MenuRow, SceneView
from tests.player.display.conftest import Glass, text_width
from tests.player.display.scenes import ARABIC, listing, one_menu, row

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
    # A single price is led to through the columns, so that it is not read as that of the last size.
    assert glass.find("leader", row_named(glass, "Pizza bread"))
    assert not glass.find("leader", row_named(glass, "Margherita"))


def test_where_columns_do_not_fit_there_are_lines(glass: Glass) -> None:
    glass.show(one_menu(listing(("Pizza", PIZZAS)), box=NARROW))
    assert glass.texts("label") == []
    assert glass.texts("lineName", row_named(glass, "Margherita")) == ["S", "M", "L"]
    lines = [item.y() for item in glass.find("linePrice", row_named(glass, "Margherita"))]
    assert all(below > above for above, below in pairwise(lines))


def test_more_sizes_than_columns_stand_in_lines(glass: Glass) -> None:
    sizes = [(f"{number} cl", f"{number},00 €") for number in range(MOST_PRICE_COLUMNS + 1)]
    wine = row("Wine", variants=sizes)
    glass.show(one_menu(listing(("Wine", [wine]))))
    assert glass.texts("label") == []
    assert glass.texts("linePrice") == [cost for _, cost in sizes]


def test_the_names_of_sizes_are_repeated_in_every_column_of_the_board(glass: Glass) -> None:
    many = [replace(PIZZAS[0], item_id=str(number), name=f"Pizza {number}") for number in range(24)]
    glass.show(one_menu(listing(("Pizza", many)), columns=2))
    assert glass.texts("label") == ["S", "M", "L"] * 2
    assert glass.texts("headingText") == ["PIZZA"] * 2


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
