"""Allergens as shops write them: words of the desk's languages, and codes by the legend of the shop alone."""

import pytest

from service.desk.formats import allergen_name
from service.desk.words import translated
from service.services.imports.sheets import ImportSettings, read_sheet
from service.services.pos.allergens import ALLERGENS, LEGENDS, read_allergens, read_legend, written
from service.services.pos.feed import FeedContent

MILK_EGG = ["milk", "eggs"]


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ar"])
@pytest.mark.parametrize("allergen", ALLERGENS)
def test_what_the_desk_writes_is_read(allergen: str, language: str) -> None:
    shown = str(translated(allergen_name(allergen, language=language), language))
    assert read_allergens(shown, {}) == ([allergen], [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Milch, Eier", MILK_EGG),
        ("lait et œufs", MILK_EGG),
        ("LECHE / HUEVO", MILK_EGG),
        ("Fruits à coque; MILK", ["nuts", "milk"]),
        ("الحليب، البيض", MILK_EGG),
    ],
)
def test_words_are_read_however_they_are_separated(text: str, found: list[str]) -> None:
    assert read_allergens(text, {}) == (found, [])


@pytest.mark.parametrize("text", ["A, C, G", "A C G", "ACG", "(a,c,g)", "A/C/G"])
def test_codes_mean_what_the_legend_says_and_nothing_without_one(text: str) -> None:
    assert read_allergens(text, LEGENDS["austria"]) == (["gluten", "eggs", "milk"], [])
    found, unknown = read_allergens(text, {})
    assert found == []
    assert unknown


def test_the_same_letter_is_another_allergen_in_another_country() -> None:
    assert read_allergens("L", LEGENDS["austria"])[0] == ["celery"]
    assert read_allergens("L", LEGENDS["germany"])[0] == ["sulphites"]
    assert read_allergens("1,3,7", LEGENDS["numbers"])[0] == ["gluten", "eggs", "milk"]


def test_a_legend_is_read_as_the_shop_writes_it() -> None:
    legend, unknown = read_legend("A Gluten, B = Krebstiere; G: Milch\n1 Farbstoff")
    assert legend == {"A": "gluten", "B": "crustaceans", "G": "milk", "1": ""}
    assert unknown == ["1 Farbstoff"]
    # A code of an additive is no allergen, and no fault.
    assert read_allergens("A, 1, G", legend) == (["gluten", "milk"], [])
    assert read_legend(written(legend))[0] == {code: one for code, one in legend.items() if one}


def test_an_unknown_allergen_costs_no_row_and_is_named() -> None:
    text = "Name\tPreis\tAllergene\nSuppe\t4,50\tMilch, Kamut\nTee\t2,80\tA"
    settings = ImportSettings(legend={"A": "gluten"})
    found = read_sheet(text, category="Menu", settings=settings).content
    assert isinstance(found, FeedContent)
    assert [(row.name, row.allergens) for row in found.rows] == [("Suppe", ["milk"]), ("Tee", ["gluten"])]
    assert [(one.row, one.code) for one in found.errors] == [(2, "unknown_allergen")]
    assert "Kamut" in found.errors[0].detail
    assert found.error_count == 0
