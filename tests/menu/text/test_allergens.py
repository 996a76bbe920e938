"""Allergens in a menu: marks that are the same on every board, and a legend of those in use."""

from decimal import Decimal
from typing import get_args

import pytest
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, Item, Location
from menu.documents.scene import MenuWidget, SoldOut
from menu.text.allergens import LETTERS, MOST_UNKNOWN, allergen_legend, allergen_names, allergens_title
from menu.text.menu_words import all_words, menu_words
from player.domain.view import MenuListing
from service.schema.content.item import Allergen
from tests.menu.rules.versions import utc
from tests.player.domain.playing.listed import listing

LOCATION = Location(id="loc", name="Café", timezone="Europe/Berlin", currency="EUR", locale="de-DE")
MENU = MenuWidget(id="m", box=Box(x=0, y=0, width=800, height=600))


def item(name: str, *allergens: str, gone: bool = False) -> Item:
    return Item(
        id=name, name=name, category="Food", price=Decimal("3.4"), eighty_sixed=gone, allergens=tuple(allergens)
    )


def listed(*items: Item, widget: MenuWidget = MENU) -> MenuListing:
    catalogue = Catalogue(revision=1, revision_at=utc("2026-11-20T08:00"), items={item.id: item for item in items})
    return listing(widget, catalogue, location=LOCATION)


def marks(found: MenuListing) -> dict[str, tuple[str, ...]]:
    return {row.name: row.allergens for section in found.sections for row in section.rows}


def legend(found: MenuListing) -> list[tuple[str, str]]:
    return [(line.mark, line.text) for line in found.legend]


def test_rows_have_letters_and_the_legend_explains_those_in_use() -> None:
    found = listed(item("Cake", "milk", "gluten"), item("Tea"), item("Egg", "eggs"))

    assert marks(found) == {"Cake": ("A", "G"), "Tea": (), "Egg": ("C",)}
    assert legend(found) == [("A", "Gluten"), ("C", "Eier"), ("G", "Milch")]
    assert found.legend_title == "Allergene:"


def test_the_allergens_of_an_86d_item_are_listed_only_if_it_is_marked() -> None:
    items = (item("Cake", "gluten"), item("Prawns", "crustaceans", gone=True))

    assert legend(listed(*items)) == [("A", "Gluten")]
    assert legend(listed(*items, widget=replace(MENU, sold_out=SoldOut.MARK))) == [
        ("A", "Gluten"),
        ("B", "Krebstiere"),
    ]


def test_a_menu_without_allergens_or_with_allergens_off_has_no_legend() -> None:
    assert (listed(item("Tea")).legend, listed(item("Tea")).legend_title) == ((), "")
    plain = listed(item("Cake", "gluten"), widget=replace(MENU, show_allergens=False))
    assert (plain.legend, marks(plain)) == ((), {"Cake": ()})


def test_an_unknown_allergen_is_listed_under_a_number() -> None:
    found = listed(item("Curry", "kiwi", "fish"), item("Cake", "kiwi"))

    assert marks(found) == {"Curry": ("D", "1"), "Cake": ("1",)}
    assert legend(found) == [("D", "Fische"), ("1", "kiwi")]


def test_each_allergen_of_the_service_has_its_own_letter() -> None:
    assert set(LETTERS) == set(get_args(Allergen))
    assert len(set(LETTERS.values())) == 14


@pytest.mark.parametrize(
    ("locale", "title", "milk"),
    [
        ("en-GB", "Allergens:", "milk"),
        ("fr-CA", "Allergènes\u00a0:", "lait"),
        ("zh-CN", "过敏原：", "奶"),
        ("zh-TW", "過敏原：", "奶"),
        ("ja-JP", "アレルゲン：", "乳"),
        ("el-GR", "Αλλεργιογόνα:", "γάλα"),
        ("bg-BG", "Алергени:", "мляко"),
        ("cs-CZ", "Alergeny:", "mléko"),
        ("hu-HU", "Allergének:", "tej"),
        ("sv-SE", "Allergener:", "mjölk"),
        ("sv-FI", "Allergener:", "mjölk"),
        ("xx-YY", "Allergens:", "milk"),
    ],
)
def test_the_legend_is_in_the_language_of_the_location(locale: str, title: str, milk: str) -> None:
    assert allergens_title(locale) == title
    assert [line.text for line in allergen_legend({"milk": "G"}, locale)] == [milk]


def test_every_official_language_of_the_union_is_known() -> None:
    official = "bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv"
    assert set(official.split()) <= set(all_words())


@pytest.mark.parametrize("locale", [*all_words(), "zh-TW"])
def test_every_language_has_fourteen_different_names(locale: str) -> None:
    texts = [line.text for line in allergen_legend(LETTERS, locale)]

    assert tuple(menu_words(locale).allergens) == tuple(LETTERS)
    assert len(set(texts)) == 14
    assert all(texts)
    assert allergen_names(tuple(LETTERS), locale) == tuple(texts), "and an item widget has the same names"


def test_a_legend_explains_as_many_unknown_words_as_its_bound_and_the_marks_of_the_others_stay() -> None:
    words = [f"word {number}" for number in range(len(LETTERS) + MOST_UNKNOWN + 1)]
    shown = listed(item("Everything", "milk", *words))
    assert len(shown.legend) <= len(LETTERS) + MOST_UNKNOWN < 1 + len(words) + len(LETTERS)
    (section,) = shown.sections
    assert len(section.rows[0].allergens) == 1 + len(words)
