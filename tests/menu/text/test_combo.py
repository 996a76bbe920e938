"""Combos: what they save, what is said of their parts, and their energy."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, Item, Location, Part, PartChoice, PriceKind, PriceUnit, Variant
from menu.documents.scene import ItemWidget, MenuWidget, SoldOut
from player.domain.view import MenuRow
from tests.menu.rules.versions import utc
from tests.player.domain.playing.listed import listing, row_of

BOX = Box(x=0, y=0, width=800, height=600)
BURGER = Item(id="burger", name="Burger", category="Grill", price=Decimal("6.50"), energy=540)
SIZES = (Variant(name="M", price=Decimal(3), energy=300), Variant(name="L", price=Decimal(4), energy=450))
FRIES = Item(id="fries", name="Fries", category="Grill", price=Decimal(3), variants=SIZES)
COLA = Item(id="cola", name="Cola", category="Drinks", price=Decimal("3.20"), energy=140)
WATER = Item(id="water", name="Water", category="Drinks", price=Decimal("2.60"), energy=0)
PARTS = (BURGER, FRIES, COLA, WATER)


def part(*choices: str, **more: object) -> Part:
    named = (choice.partition("/") for choice in choices)
    return Part(
        choices=tuple(PartChoice(item_id=item, variant=variant or None) for item, _, variant in named),
        **more,  # type: ignore[arg-type]
    )


COMBO = Item(
    id="combo",
    name="Menu",
    category="Menus",
    price=Decimal("9.90"),
    parts=(part("burger"), part("fries/M"), part("cola", "water")),
)


def row(combo: Item = COMBO, parts: Sequence[Item] = PARTS, *, locale: str = "en-IE", currency: str = "EUR") -> MenuRow:
    """The combo on a menu that lists none of its parts."""
    items = {one.id: one for one in (combo, *parts)}
    card = Catalogue(revision=1, revision_at=utc("2026-11-20T08:00"), items=items)
    widget = MenuWidget(id="menu", box=BOX, categories=("Menus",), sold_out=SoldOut.MARK)
    location = Location(id="loc", name="", timezone="UTC", currency=currency, locale=locale)
    [section] = listing(widget, card, location=location).sections
    [found] = section.rows
    poster = row_of(ItemWidget(id="item", box=BOX, item_id="combo"), card, location=location)
    if poster is not None:
        assert (poster.saving, poster.description, poster.energy) == (found.saving, found.description, found.energy)
    return found


def plain(text: str) -> str:
    return " ".join("".join(letter for letter in text if letter.isprintable() or letter.isspace()).split())


@pytest.mark.parametrize(
    ("locale", "saving", "parts"),
    [
        ("en-IE", "Save €2.20", "Burger + Fries M + Cola or Water"),
        ("de-DE", "Sie sparen 2,20 €", "Burger + Fries M + Cola oder Water"),
        ("es-ES", "Ahorras 2,20 €", "Burger + Fries M + Cola o Water"),
        ("fr-FR", "Économisez 2,20 €", "Burger + Fries M + Cola ou Water"),
        ("ar-EG", "وفر ٢٫٢٠ €", "Burger + Fries M + Cola أو Water"),
        ("ja-JP", "€2.20お得", "Burger + Fries M + ColaまたはWater"),
    ],
)
def test_what_it_saves_and_its_parts_are_said_in_the_location_s_language(locale: str, saving: str, parts: str) -> None:
    found = row(locale=locale)
    assert (plain(found.saving), plain(found.description)) == (saving, parts)
    assert " " not in found.saving, "it does not break"


def test_it_saves_against_the_cheapest_choice_whichever_is_left() -> None:
    assert plain(row().saving) == "Save €2.20"
    gone = replace(WATER, eighty_sixed=True)
    assert plain(row(parts=(BURGER, FRIES, COLA, gone)).saving) == "Save €2.20"
    any_size = replace(COMBO, parts=(part("burger", quantity=2), part("fries")))
    assert plain(row(any_size).saving) == "Save €6.10"


@pytest.mark.parametrize(
    ("combo", "parts"),
    [
        (replace(COMBO, price=Decimal("12.10")), PARTS),
        (replace(COMBO, price=Decimal("20.00")), PARTS),
        (replace(COMBO, price=Decimal("12.099")), PARTS),
        (COMBO, PARTS[1:]),
        (replace(COMBO, parts=(part("fries/XXL"), part("burger", quantity=9))), PARTS),
        (replace(COMBO, parts=(part(), part("burger", quantity=9))), PARTS),
        (replace(COMBO, variants=SIZES), PARTS),
        (replace(COMBO, eighty_sixed=True), PARTS),
        (replace(COMBO, parts=()), PARTS),
    ],
    ids=["equal", "dearer", "less than a cent", "deleted", "no such size", "nothing left", "sizes", "sold out", "none"],
)
def test_where_nothing_is_saved_or_it_is_not_known_nothing_is_said(combo: Item, parts: Sequence[Item]) -> None:
    assert row(combo, parts).saving == ""


def test_its_parts_are_told_where_it_has_no_description() -> None:
    assert row(replace(COMBO, description="As at home")).description == "As at home"
    named = replace(COMBO, parts=(part("burger", quantity=2), part("cola", "water", name="Drink 0.4 l")))
    assert plain(row(named).description) == "2 × Burger + Drink 0.4 l"
    assert row(COMBO, PARTS[1:]).description == ""


def test_a_choice_that_is_sold_out_is_not_offered() -> None:
    gone = replace(COLA, eighty_sixed=True)
    assert plain(row(parts=(BURGER, FRIES, gone, WATER)).description) == "Burger + Fries M + Water"
    marked = replace(COMBO, eighty_sixed=True)
    none = (BURGER, FRIES, gone, replace(WATER, eighty_sixed=True))
    assert plain(row(marked, none).description) == "Burger + Fries M + Cola or Water"


def test_its_energy_is_its_own_or_the_sum_of_its_parts() -> None:
    assert plain(row().energy) == "840–980 kcal"
    assert plain(row(replace(COMBO, parts=(part("burger", quantity=2), part("fries/L")))).energy) == "1,530 kcal"
    assert plain(row(replace(COMBO, parts=(part("burger"), part("fries")))).energy) == "840–990 kcal"
    assert plain(row(replace(COMBO, energy=900)).energy) == "900 kcal"
    assert row(parts=(BURGER, FRIES, replace(COLA, energy=None), WATER)).energy == ""


def test_a_price_without_an_amount_for_the_item_saves_nothing() -> None:
    market = replace(COLA, price=Decimal(0), price_kind=PriceKind.MARKET)
    for parts in ((BURGER, FRIES, market, WATER), (BURGER, FRIES, replace(COLA, price_unit=PriceUnit.LITRE), WATER)):
        assert row(parts=parts).saving == ""
    assert row(replace(COMBO, price_kind=PriceKind.FROM)).saving == "", "the guest may pay more"
