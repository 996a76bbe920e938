"""Allergens on a menu: marks that are the same on every board, and a legend of those that are used."""

from decimal import Decimal
from typing import get_args

import pytest
from msgspec.structs import replace

from player.domain.allergens import _WORDS, LETTERS, allergen_legend, allergen_names, allergens_title
from player.domain.manifest import Catalogue, Item, Location
from player.domain.menu import listing
from player.domain.scene import Box, MenuWidget, SoldOut
from player.domain.view import MenuListing
from service.schema.item import Allergen
from tests.player.domain.versions import utc

PLACE = Location(id="loc", name="Café", timezone="Europe/Berlin", currency="EUR", locale="de-DE")
MENU = MenuWidget(id="m", box=Box(x=0, y=0, width=800, height=600))


def dish(name: str, *allergens: str, gone: bool = False) -> Item:
    return Item(
        id=name, name=name, category="Food", price=Decimal("3.4"), eighty_sixed=gone, allergens=tuple(allergens)
    )


def listed(*items: Item, widget: MenuWidget = MENU) -> MenuListing:
    card = Catalogue(revision=1, revision_at=utc("2026-11-20T08:00"), items={item.id: item for item in items})
    return listing(widget, card, location=PLACE)


def badges(found: MenuListing) -> dict[str, tuple[str, ...]]:
    return {row.name: row.allergens for section in found.sections for row in section.rows}


def legend(found: MenuListing) -> list[tuple[str, str]]:
    return [(line.mark, line.text) for line in found.legend]


def test_rows_carry_letters_and_the_legend_lists_those_that_are_used() -> None:
    found = listed(dish("Cake", "milk", "gluten"), dish("Tea"), dish("Egg", "eggs"))

    assert badges(found) == {"Cake": ("A", "G"), "Tea": (), "Egg": ("C",)}
    assert legend(found) == [("A", "Gluten"), ("C", "Eier"), ("G", "Milch")]
    assert found.legend_title == "Allergene:"


def test_an_86d_dish_takes_its_allergens_with_it_unless_it_is_marked() -> None:
    dishes = (dish("Cake", "gluten"), dish("Prawns", "crustaceans", gone=True))

    assert legend(listed(*dishes)) == [("A", "Gluten")]
    assert legend(listed(*dishes, widget=replace(MENU, sold_out=SoldOut.MARK))) == [
        ("A", "Gluten"),
        ("B", "Krebstiere"),
    ]


def test_a_menu_without_allergens_or_that_does_not_want_them_has_no_legend() -> None:
    assert (listed(dish("Tea")).legend, listed(dish("Tea")).legend_title) == ((), "")
    plain = listed(dish("Cake", "gluten"), widget=replace(MENU, show_allergens=False))
    assert (plain.legend, badges(plain)) == ((), {"Cake": ()})


def test_a_word_that_is_none_of_the_fourteen_is_warned_of_all_the_same() -> None:
    found = listed(dish("Curry", "kiwi", "fish"), dish("Cake", "kiwi"))

    assert badges(found) == {"Curry": ("D", "1"), "Cake": ("1",)}
    assert legend(found) == [("D", "Fisch"), ("1", "kiwi")]


def test_the_letters_are_those_of_the_service_s_allergens_and_each_stands_for_one() -> None:
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
        ("xx-YY", "Allergens:", "milk"),
    ],
)
def test_the_legend_speaks_the_place_s_language(locale: str, title: str, milk: str) -> None:
    assert allergens_title(locale) == title
    assert [line.text for line in allergen_legend([("milk",)], locale)] == [milk]


@pytest.mark.parametrize("locale", [*_WORDS, "zh-TW"])
def test_every_language_names_all_fourteen_and_each_once(locale: str) -> None:
    texts = [line.text for line in allergen_legend([tuple(LETTERS)], locale)]

    assert len(set(texts)) == 14
    assert all(texts)
    assert allergen_names(tuple(LETTERS), locale) == tuple(texts), "and a dish alone says the same"
