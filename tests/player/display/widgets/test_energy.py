"""Energies on the glass: beside names or prices, as large as the law of the location says, with what an adult needs."""

from __future__ import annotations

from decimal import Decimal

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, Item, Location, Variant
from menu.documents.scene import ItemWidget, MenuWidget
from menu.text.wording import locality_of
from tests.player.display.conftest import Glass, text_width
from tests.player.display.scenes import NOON, scene, showing
from tests.player.domain.playing.listed import listing, row_of

BURGER = Item(id="1", name="Burger", category="Food", price=Decimal(9), energy=720, description="With cheese")
RINGS = Item(id="2", name="Rings", category="Food", price=Decimal(4), energy=410, energy_to=620)
FRIES = Item(
    id="3",
    name="Fries",
    category="Food",
    price=Decimal(4),
    variants=(Variant(name="S", price=Decimal(4), energy=340), Variant(name="L", price=Decimal(6), energy=560)),
)
WATER = Item(id="4", name="Water", category="Food", price=Decimal(2))


def show(glass: Glass, locale: str, *items: Item, **fields: object) -> None:
    location = Location(id="loc", name="", timezone="UTC", currency="EUR", locale=locale)
    fields.setdefault("box", Box(x=60, y=60, width=1800, height=900))
    widget = MenuWidget(id="menu", **fields)  # type: ignore[arg-type]
    card = Catalogue(revision=1, revision_at=NOON, items={item.id: item for item in items})
    menus = {"menu": listing(widget, card, location=location)}
    glass.show(showing(scene(widget), menus, locality=locality_of(location)))


def texts(glass: Glass, name: str) -> list[str]:
    return [" ".join(text.split()) for text in glass.texts(name)]


def size_of(item: QQuickItem) -> int:
    """The text size of a text, or of its first line."""
    font = item.property("font")
    return int(font.pixelSize())


@pytest.mark.parametrize("locale", ["en-GB", "de-DE", "en-AU", "en-IE"])
def test_an_energy_stands_before_the_description(glass: Glass, locale: str) -> None:
    show(glass, locale, BURGER, RINGS, WATER)
    unit, energies = ("kJ", ["3,012", "1,715–2,594"]) if locale == "en-AU" else ("kcal", ["720", "410–620"])
    assert texts(glass, "details") == [f"{energies[0]} {unit} · With cheese", f"{energies[1]} {unit}"]
    [note] = glass.find("energyNote")
    assert size_of(note) >= size_of(glass.find("details")[0])


def test_in_the_united_states_it_is_as_large_as_the_name_beside_it(glass: Glass) -> None:
    show(glass, "en-US", BURGER, RINGS, replace(FRIES, category="Sides"))
    assert texts(glass, "name") == ["Burger 720 Cal", "Rings 410–620 Cal", "Fries"]
    [note] = glass.find("energyNote")
    energies = glass.find("columnLargeEnergy")
    names = {size_of(item) for item in glass.find("name")}
    assert texts(glass, "columnLargeEnergy") == ["340 Cal", "560 Cal"]
    assert {size_of(item) for item in (*energies, note)} == names
    assert {item.property("color").name() for item in energies} == {
        item.property("color").name() for item in glass.find("name")
    }
    assert " ".join(texts(glass, "energyNote")[0].split()).endswith(
        "Additional nutrition information available upon request."
    )


def test_energies_of_sizes_stand_below_their_prices(glass: Glass) -> None:
    show(glass, "en-GB", FRIES)
    [canvas] = glass.find("canvas")
    assert texts(glass, "columnEnergy") == ["340 kcal", "560 kcal"]
    for price, energy in zip(glass.find("columnPrice"), glass.find("columnEnergy"), strict=True):
        above, below = (item.mapToItem(canvas, QPointF(text_width(item), 0)) for item in (price, energy))
        assert above.x() == pytest.approx(below.x(), abs=2)
        assert below.y() > above.y()


def test_energies_of_sizes_in_lines_stand_after_their_names(glass: Glass) -> None:
    show(glass, "en-GB", FRIES, box=Box(x=60, y=60, width=265, height=900), max_text_size=28)
    assert texts(glass, "lineName") == ["S · 340 kcal", "L · 560 kcal"]


def test_what_an_adult_needs_is_said_only_beside_energies_and_can_be_changed(glass: Glass) -> None:
    show(glass, "en-GB", WATER)
    assert glass.find("energyNote") == []
    show(glass, "en-GB", BURGER)
    assert texts(glass, "energyNote") == ["Adults need around 2000 kcal a day."]
    show(glass, "en-GB", BURGER, energy_note="Ask us about calories")
    assert texts(glass, "energyNote") == ["Ask us about calories"]
    show(glass, "en-GB", BURGER, energy_note="")
    assert glass.find("energyNote") == []
    show(glass, "en-GB", BURGER, show_energy=False)
    assert (texts(glass, "details"), glass.find("energyNote")) == (["With cheese"], [])


@pytest.mark.parametrize(
    ("locale", "item", "details", "prices"),
    [
        ("en-GB", BURGER, ["720 kcal · With cheese"], ["€9.00"]),
        ("en-US", BURGER, ["With cheese"], ["€9.00 720 Cal"]),
        ("en-US", FRIES, [], ["€4.00 340 Cal", "€6.00 560 Cal"]),
    ],
)
def test_an_item_widget_shows_energies(
    glass: Glass, locale: str, item: Item, details: list[str], prices: list[str]
) -> None:
    location = Location(id="loc", name="", timezone="UTC", currency="EUR", locale=locale)
    widget = ItemWidget(id="item", box=Box(x=60, y=60, width=900, height=600), item_id=item.id)
    card = Catalogue(revision=1, revision_at=NOON, items={item.id: item})
    row = row_of(widget, card, location=location)
    assert row is not None
    view = showing(scene(widget), locality=locality_of(location))
    glass.show(replace(view, items={"item": row}))
    assert [text for text in texts(glass, "itemDetails") if text] == details
    assert [*texts(glass, "price"), *texts(glass, "variantPrice")] == prices


def poster(glass: Glass, locale: str, item: Item, note: str, **box: float) -> None:
    location = Location(id="loc", name="", timezone="UTC", currency="EUR", locale=locale)
    widget = ItemWidget(id="one", box=Box(**{"x": 60, "y": 60, "width": 900, "height": 900, **box}), item_id=item.id)
    card = Catalogue(revision=1, revision_at=NOON, items={item.id: item})
    row = row_of(widget, card, location=location)
    assert row is not None
    items = {"one": replace(row, energy_note=note)}
    glass.show(replace(showing(scene(widget), locality=locality_of(location)), items=items))


@pytest.mark.parametrize("locale", ["de-AT", "en-US"])
def test_a_poster_says_what_an_adult_needs_at_its_foot(glass: Glass, locale: str) -> None:
    poster(glass, locale, replace(BURGER, allergens=("milk", "gluten")), "Adults need energy.")
    [note], [allergens], [name] = glass.find("energyNote"), glass.find("itemAllergens"), glass.find("itemName")
    assert texts(glass, "energyNote") == ["Adults need energy."]
    assert size_of(note) == size_of(allergens)
    assert name.y() + name.height() < note.y() < allergens.y()
    assert (note.property("color") == name.property("color")) is (locale == "en-US")
    assert glass.undrawable == []


def test_a_poster_too_small_for_the_sentence_keeps_name_price_and_allergens_and_reports_it(glass: Glass) -> None:
    note = "What an adult needs in a day, at some length. " * 6
    poster(glass, "de-AT", replace(BURGER, allergens=("milk",)), note, width=260, height=200)
    assert texts(glass, "itemName") == ["Burger"]
    assert len(glass.find("itemAllergens")) == 1
    assert [one.code for one in glass.undrawable] == ["item_cut"]
