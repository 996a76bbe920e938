"""Figures of prices have one width in every family, so that prices under each other are in line."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontDatabase

from menu.documents.theme import Theme
from menu.text.price import RAISED
from player.display.layout.text.bidi import RIGHT_TO_LEFT_MARK as RLM
from player.display.typography.theme import MeasuredFont, family_chain
from tests.player.display.conftest import Glass, text_width
from tests.player.display.scenes import listing, one_menu, row

pytestmark = pytest.mark.usefixtures("qapp")

FAMILIES = (
    *("Inter", "Inter Display", "Noto Sans", "Noto Serif", "Noto Serif Display"),
    *("Roboto Slab", "Roboto Condensed", "Comfortaa"),
)
FIGURES = {
    "en": "0123456789",
    "ar": "٠١٢٣٤٥٦٧٨٩",
    "fa": "۰۱۲۳۴۵۶۷۸۹",
    "hi": "०१२३४५६७८९",
    "th": "๐๑๒๓๔๕๖๗๘๙",
}


def price_font(family: str, locale: str) -> MeasuredFont:
    chain = family_chain(family, locale=locale)
    return MeasuredFont(chain, QFont.Weight.DemiBold, tabular=True, in_cells=True)


@pytest.mark.parametrize("locale", FIGURES)
@pytest.mark.parametrize("family", FAMILIES)
def test_figures_have_one_width_in_every_family(family: str, locale: str) -> None:
    assert family in QFontDatabase.families(), "packaging/set-up installs it"
    font = price_font(family, locale)
    for figures in (FIGURES[locale], RAISED):
        widths = [font.width(f"{figure},{figure}{figure} €") for figure in figures]
        assert max(widths) - min(widths) <= 0.03
        places = [font.cursor(f"{figure}{figure},{figure}", 2) for figure in figures]
        assert max(places) - min(places) <= 0.03


@pytest.mark.parametrize(
    ("text", "read"),
    [
        # As they stand on the glass, from the left.
        (f"{RLM}١٢٫٧٥٠\N{NO-BREAK SPACE}د.ك.{RLM}", ["د.ك.", "١", "٢", "٫", "٧", "٥", "٠"]),
        ("١٫٢٥٠", ["١", "٫", "٢", "٥", "٠"]),
        ("\N{LEFT-TO-RIGHT MARK}ریال\N{NO-BREAK SPACE}۲۵٬۰۰۰", ["۲", "۵", "٬", "۰", "۰", "۰", "ریال"]),
    ],
)
def test_figures_keep_their_order(text: str, read: list[str]) -> None:
    cells = price_font("Inter", "ar").cells(text)
    assert cells is not None
    assert [cell.text.strip(f"{RLM}\N{LEFT-TO-RIGHT MARK}\N{NO-BREAK SPACE}") for cell in cells.parts] == read
    assert [cell.x for cell in cells.parts] == sorted(cell.x for cell in cells.parts)


def test_a_family_with_figures_of_one_width_draws_them_itself() -> None:
    assert price_font("Noto Sans", "en").cells("12,50 €") is None
    assert price_font("Comfortaa", "en").cells("market price") is None


def test_prices_in_a_face_without_tabular_figures_end_in_line(glass: Glass) -> None:
    sausages = [row(f"Sausage {number}", cost) for number, cost in enumerate(("£1.11", "£8.40", "£4.44", "£3.17"))]
    glass.show(one_menu(listing(("Grill", sausages)), theme=Theme(font_family="Comfortaa")))
    prices = glass.find("price")
    [canvas] = glass.find("canvas")
    edges = [price.mapToItem(canvas, QPointF(0, 0)).x() + price.width() for price in prices]
    assert max(edges) - min(edges) <= 0.5
    for price in prices:
        drawn = sorted((line for line in price.childItems() if line.property("text")), key=lambda one: one.x())
        assert "".join(str(line.property("text")) for line in drawn) == price.property("text")
        assert text_width(price) <= price.width() + 1
