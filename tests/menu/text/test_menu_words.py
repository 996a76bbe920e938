"""The words of menus in each language, and a board whose file of them is damaged."""

from decimal import Decimal
from importlib import resources
from pathlib import Path

import pytest
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, Item, Location, PriceKind
from menu.documents.scene import MenuWidget
from menu.text.allergens import allergen_names, allergens_title
from menu.text.menu_words import all_words, is_spoken
from menu.text.price_words import worded_price
from menu.text.wording import back_text, locality_of, saved_words, sold_out_text
from tests.menu.rules.versions import utc
from tests.player.domain.playing.listed import listing


@pytest.mark.parametrize(
    ("locale", "known"), [("bg-BG", True), ("en", True), ("zh-Hant-TW", True), ("is-IS", False), ("vi", False)]
)
def test_a_language_is_known_or_not(locale: str, known: bool) -> None:
    assert is_spoken(locale) is known


@pytest.mark.parametrize("locale", sorted(set(all_words()) - {"en"}))
def test_what_else_a_board_says_is_in_the_same_languages(locale: str) -> None:
    place = Location(id="l", name="", timezone="UTC", currency="EUR", locale=locale)
    price = worded_price(Decimal(3), kind=PriceKind.FROM, unit=None, location=place)
    assert "Sold out" not in sold_out_text(locale)
    assert "Save" not in saved_words(locale)
    assert "Back" not in back_text(utc("2026-11-20T18:00"), utc("2026-11-20T08:00"), locality_of(place))
    assert price.whole != price.text
    assert price.before != "from"


@pytest.mark.parametrize("body", [None, b"{", b'{"en": 1}'])
def test_a_board_whose_words_are_damaged_says_allergens_in_english(
    body: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if body is not None:
        (tmp_path / "menu_words.json").write_bytes(body)
    all_words.cache_clear()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(resources, "files", lambda _: tmp_path)
            assert (allergens_title("bg-BG"), allergen_names(["milk"], "bg-BG")) == ("Allergens:", ("milk",))
    finally:
        all_words.cache_clear()


def test_a_menu_without_tags_and_allergens_loads_no_words() -> None:
    place = Location(id="l", name="", timezone="UTC", currency="EUR", locale="en-IE")
    tea = Item(id="tea", name="Tea", category="Drinks", price=Decimal(3))
    catalogue = Catalogue(revision=1, revision_at=utc("2026-11-20T08:00"), items={"tea": tea})
    menu = MenuWidget(id="m", box=Box(x=0, y=0, width=800, height=600))
    all_words.cache_clear()

    listing(menu, catalogue, location=place)
    assert all_words.cache_info().currsize == 0

    listing(menu, replace(catalogue, items={"tea": replace(tea, tags=("vegan",))}), location=place)
    assert all_words.cache_info().currsize == 1
