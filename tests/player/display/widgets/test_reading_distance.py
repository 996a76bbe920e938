"""The smallest words of a board are read from as far as docs/scene.md says."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QFont, QFontMetricsF, QPainterPath

from menu.documents.box import Box
from menu.documents.scene import GridWidget
from menu.text.price import PriceText
from player.domain.view import MenuRow
from tests.player.display.conftest import Glass, descendants
from tests.player.display.scenes import listing, menu, one_menu, row, scene, showing

PANEL_SIDE = 43 * 25.4 * 9 / math.hypot(16, 9)
"""The shorter side of a 43-inch panel, in mm."""
HEIGHTS_AWAY = 575
"""A capital letter is read from this many times its height."""
LEAST_METRES = 5.0
SMALL_LETTERS = 0.75
"""Height of Inter's small letters in that of its capitals: words in capitals are read as far with smaller type."""


def metres(font: QFont, text: str) -> float:
    """From how far away a word in this font is read, on a canvas of 1080."""
    height = QFontMetricsF(font).capHeight() / 1080 * PANEL_SIDE * HEIGHTS_AWAY / 1000
    return height / SMALL_LETTERS if text == text.upper() else height


@pytest.mark.parametrize("count", [3, 60, 300])
def test_the_words_of_a_menu_are_read_from_five_metres_on_a_panel_of_43_inches(glass: Glass, count: int) -> None:
    rows = [
        row(f"Flat white {number}", "3,40 €", item_id=f"itm_{number}", description="Double shot, steamed milk",
            tags=("new",), allergens=("milk",))
        for number in range(count)
    ]  # fmt: skip
    glass.show(one_menu(listing(("Coffee", rows))))

    words = {
        str(item.property("text")): metres(QFont(item.property("font")), str(item.property("text")))
        for item in descendants(glass.root)
        if item.objectName() in {"name", "price", "details", "legend", "headingText"} and item.isVisible()
    }
    assert {"COFFEE", "3,40 €", "Double shot, steamed milk"} <= set(words)
    assert {text: found for text, found in words.items() if found < LEAST_METRES - 0.05} == {}


RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"


def least_metres(font: QFont, text: str) -> float:
    """The same of the smallest of its letters: those of a frame may be small capitals, cents are raised."""
    raised = [letter for letter in text if letter in RAISED]
    if not raised:
        return metres(font, text)
    path = QPainterPath()
    path.addText(0, 0, font, raised[0])
    return path.boundingRect().height() / 1080 * PANEL_SIDE * HEIGHTS_AWAY / 1000 / SMALL_LETTERS


def sized(name: str, *variants: str, cost: str = "8,50 €", **more: object) -> MenuRow:
    return row(name, variants=[(variant, cost) for variant in variants], **more)


def everything(number: int) -> list[MenuRow]:
    """Rows with all that may stand in one."""
    market = PriceText(text="Tagespreis", decimal_at=0, in_words=True, per="/ 100 g", measure="100 g")
    ham = row(f"Ham {number}", "2,90 €", regular="3,40 €", tags=("vegan", "scharf"))
    sold_out = row(f"Bread {number}", sold_out=True, allergens=("A", "G"))
    offer = sized(f"Offer {number}", "Klein", "Groß")
    return [
        sized(f"Margherita {number}", "Klein", "Mittel", "Groß", description="Tomato, mozzarella", tags=("neu",)),
        sized(f"Diavola {number}", "Klein", "Mittel", "Groß"),
        sized(f"Calzone {number}", "mit Käse", "ohne"),
        replace(offer, variants=tuple(replace(one, regular="9,90 €", energy="640 kcal") for one in offer.variants)),
        replace(ham, price=replace(ham.price, before="ab", per="/ 100 g", measure="100 g")),
        replace(row(f"Lobster {number}"), price=market),
        row(f"Combo {number}", saving="Sie sparen 2,30 €", energy="720 kcal"),
        replace(sold_out, modifiers=row("", modifiers=[("Butter", "+0,50 €")]).modifiers),
    ]


def too_small(glass: Glass, *parents: str) -> dict[str, float]:
    """The texts within items of these names that cannot be read from five metres."""
    found: dict[str, float] = {}
    for parent in parents:
        for item in glass.find(parent):
            for text in (item, *descendants(item)):
                words = text.property("text")
                if isinstance(words, str) and words and isinstance(text.property("font"), QFont):
                    found[words] = min(found.get(words, math.inf), least_metres(text.property("font"), words))
    assert found
    return {words: far for words, far in found.items() if far < LEAST_METRES - 0.05}


@pytest.mark.parametrize("columns", ["columns", "lines"])
def test_sizes_tags_and_small_prices_of_a_menu_are_read_from_as_far(glass: Glass, columns: str) -> None:
    rows = [one for number in range(8) for one in everything(number)]
    rows += [sized(f"Funghi {number}", "Klein", "Mittel", "Groß") for number in range(8)]
    width = 1760 if columns == "columns" else 420
    glass.show(
        one_menu(listing(("Pizza", rows)), box=Box(x=80, y=80, width=width, height=920), columns=1, max_text_size=28)
    )
    assert glass.find("columnPrice" if columns == "columns" else "lineName")
    assert glass.find("tag")
    assert too_small(glass, "menu") == {}


def test_raised_cents_of_a_menu_are_read_from_as_far(glass: Glass) -> None:
    rows = [row(f"Flat white {number}", "3,⁵⁰ €", item_id=f"itm_{number}") for number in range(90)]
    least = menu(columns=2, max_text_size=28)
    glass.show(showing(scene(least), {"menu": listing(("Coffee", rows))}))
    assert too_small(glass, "menu") == {}


@pytest.mark.parametrize("count", [4, 24])
def test_the_words_of_cards_are_read_from_as_far(glass: Glass, count: int) -> None:
    rows = [replace(one, item_id=f"{number}") for number, one in enumerate((everything(1) * 3)[:count])]
    raised = [row(f"Espresso {number}", "2,⁵⁰ €", item_id=f"e{number}") for number in range(2)]
    widget = GridWidget(id="grid", box=Box(x=60, y=60, width=1800, height=960), max_text_size=28)
    glass.show(showing(scene(widget), {"grid": listing(("", [*rows[2:], *raised]))}))
    assert too_small(glass, "grid") == {}
