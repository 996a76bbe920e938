"""The styles of prices: with a symbol or not, with which decimals, and in a second currency."""

from __future__ import annotations

from decimal import Decimal

import pytest
from babel import localedata
from babel.numbers import get_currency_precision

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, Item, Location, Modifier, SecondCurrency, Variant
from menu.documents.scene import ItemWidget, MenuWidget, Scene
from menu.documents.theme import PriceCents, Theme
from menu.text.price import PriceStyle, board_price, price_text
from player.domain.view import MenuRow
from tests.menu.rules.versions import utc
from tests.player.domain.playing.listed import listing, listings_of, row_of

NBSP, RLM = "\N{NO-BREAK SPACE}", "\N{RIGHT-TO-LEFT MARK}"
BOX = Box(x=0, y=0, width=800, height=600)
LEV = SecondCurrency(currency="BGN", rate=Decimal("1.95583"))
LANGUAGES = [tag for tag in localedata.locale_identifiers() if "_" not in tag]
STYLES = [
    # amount, currency, locale, style, text, the part before the decimal separator
    ("3.5", "EUR", "de-DE", PriceStyle(symbol=False), "3,50", "3"),
    ("3.5", "USD", "en-US", PriceStyle(symbol=False), "3.50", "3"),
    ("450", "JPY", "ja-JP", PriceStyle(symbol=False), "450", "450"),
    ("1.25", "KWD", "ar-KW", PriceStyle(symbol=False), "١٫٢٥٠", "١"),
    ("3.5", "EUR", "de-DE", PriceStyle(cents=PriceCents.IF_ANY), f"3,50{NBSP}€", "3"),
    ("3", "EUR", "de-DE", PriceStyle(cents=PriceCents.IF_ANY), f"3{NBSP}€", "3"),
    ("1234", "USD", "en-US", PriceStyle(cents=PriceCents.IF_ANY), "$1,234", "$1,234"),
    ("3.004", "USD", "en-US", PriceStyle(cents=PriceCents.IF_ANY), "$3.0040", "$3"),
    ("450", "JPY", "ja-JP", PriceStyle(cents=PriceCents.IF_ANY), "¥450", "¥450"),
    ("12", "KWD", "en-KW", PriceStyle(cents=PriceCents.IF_ANY), f"KWD{NBSP}12", f"KWD{NBSP}12"),
    ("12.5", "KWD", "en-KW", PriceStyle(cents=PriceCents.IF_ANY), f"KWD{NBSP}12.500", f"KWD{NBSP}12"),
    ("12", "KWD", "ar-KW", PriceStyle(cents=PriceCents.IF_ANY), f"{RLM}١٢{NBSP}د.ك.{RLM}", f"{RLM}١٢"),
    ("12", "KWD", "ar-KW", PriceStyle(symbol=False, cents=PriceCents.IF_ANY), "١٢", "١٢"),
    ("3.5", "EUR", "de-DE", PriceStyle(cents=PriceCents.RAISED), f"3,⁵⁰{NBSP}€", "3"),
    ("1234.99", "USD", "en-US", PriceStyle(cents=PriceCents.RAISED), "$1,234.⁹⁹", "$1,234"),
    ("3.5", "ILS", "he-IL", PriceStyle(cents=PriceCents.RAISED), f"{RLM}3.⁵⁰{NBSP}{RLM}₪", f"{RLM}3"),
    ("12.5", "KWD", "en-KW", PriceStyle(cents=PriceCents.RAISED), f"KWD{NBSP}12.⁵⁰⁰", f"KWD{NBSP}12"),
    ("450", "JPY", "ja-JP", PriceStyle(cents=PriceCents.RAISED), "¥450", "¥450"),
    # Arabic figures have no small ones.
    ("12.5", "KWD", "ar-KW", PriceStyle(cents=PriceCents.RAISED), f"{RLM}١٢٫٥٠٠{NBSP}د.ك.{RLM}", f"{RLM}١٢"),
    ("3.5", "EUR", "de-DE", PriceStyle(symbol=False, cents=PriceCents.RAISED), "3,⁵⁰", "3"),
    ("950", "JPY", "ja-JP", PriceStyle(word=True), "950円", "950"),
    ("5000", "KRW", "ko-KR", PriceStyle(word=True), "5,000원", "5,000"),
    ("38", "CNY", "zh-CN", PriceStyle(word=True), "38元", "38"),
    ("50", "THB", "th-TH", PriceStyle(word=True), f"50{NBSP}บาท", "50"),
    ("950", "JPY", "ja-JP", PriceStyle(symbol=False, word=True), "950", "950"),
    # Without such a word there is the symbol.
    ("3", "EUR", "de-DE", PriceStyle(word=True), f"3,00{NBSP}€", "3"),
    ("50", "THB", "th-TH", PriceStyle(cents=PriceCents.ALWAYS), "฿50.00", "฿50"),
    ("8", "CHF", "de-CH", PriceStyle(cents=PriceCents.IF_ANY), f"CHF{NBSP}8", f"CHF{NBSP}8"),
]


@pytest.mark.parametrize(("amount", "currency", "locale", "style", "text", "before"), STYLES)
def test_a_price_in_a_style(amount: str, currency: str, locale: str, style: PriceStyle, text: str, before: str) -> None:
    found = price_text(Decimal(amount), currency=currency, locale=locale, style=style)
    assert (found.text, found.text[: found.decimal_at]) == (text, before)


@pytest.mark.first_case
@pytest.mark.parametrize("currency", ["EUR", "JPY", "KWD", "INR", "CHF"])
@pytest.mark.parametrize("symbol", [True, False])
@pytest.mark.parametrize("cents", [None, *PriceCents])
def test_no_style_makes_two_prices_look_alike(currency: str, symbol: bool, cents: PriceCents | None) -> None:
    step = Decimal(1).scaleb(-get_currency_precision(currency))
    style = PriceStyle(symbol=symbol, cents=cents)
    amounts = [Decimal(whole) + part * step for whole in (0, 1, 1234) for part in (0, 1, 10)]
    for tag in LANGUAGES:
        texts = {price_text(amount, currency=currency, locale=tag, style=style).text for amount in amounts}
        assert len(texts) == len(set(amounts)), tag


def place(locale: str = "de-DE", currency: str = "EUR", second: SecondCurrency | None = LEV) -> Location:
    return Location(id="loc", name="", timezone="UTC", currency=currency, locale=locale, second_currency=second)


@pytest.mark.parametrize(
    ("amount", "location", "text"),
    [
        ("4.25", place("bg-BG"), "4,25 € · 8,31 лв."),
        # Half of a stotinka is rounded up: 0.5 × 1.95583 = 0.977915, 2.5 × 1.95 = 4.875.
        ("0.5", place("bg-BG"), "0,50 € · 0,98 лв."),
        ("2.5", place("bg-BG", second=SecondCurrency(currency="BGN", rate=Decimal("1.95"))), "2,50 € · 4,88 лв."),
        ("10", place("de-CH", "CHF", SecondCurrency(currency="EUR", rate=Decimal("1.0666"))), "CHF 10.– · EUR 10.67"),
        ("3", place("en-IE", second=SecondCurrency(currency="JPY", rate=Decimal(170))), "€3.00 · JP¥510"),
        ("3", place("en-IE", second=SecondCurrency(currency="KWD", rate=Decimal("0.33"))), "€3.00 · KWD 0.990"),
        # What is converted is what is shown.
        ("3.405", place("en-IE", second=SecondCurrency(currency="USD", rate=Decimal(1000))), "€3.4050 · US$3,405.00"),
    ],
)
def test_a_second_currency_stands_beside_the_first(amount: str, location: Location, text: str) -> None:
    found = board_price(Decimal(amount), location=location)
    assert found.text.replace(NBSP, " ") == text
    assert not found.text[found.decimal_at : found.decimal_at + 1].isdigit()


def test_right_to_left_each_price_keeps_its_order() -> None:
    found = board_price(
        Decimal(3), location=place("ar-EG", "EGP", SecondCurrency(currency="USD", rate=Decimal("0.02")))
    )
    assert found.text.startswith(f"{RLM}\N{FIRST STRONG ISOLATE}")
    assert found.text.count("\N{POP DIRECTIONAL ISOLATE}") == 2
    assert found.text[found.decimal_at] == "\N{ARABIC DECIMAL SEPARATOR}"


def test_with_two_currencies_each_has_its_symbol() -> None:
    style = PriceStyle(symbol=False, cents=PriceCents.IF_ANY)
    assert board_price(Decimal(2), location=place("bg-BG"), style=style).text.replace(NBSP, " ") == "2 € · 3,91 лв."


ITEM = Item(
    id="itm",
    name="Tea",
    category="",
    price=Decimal(3),
    modifiers=(Modifier(name="Milk", price_delta=Decimal(1)), Modifier(name="Small", price_delta=Decimal(-1))),
)
SIZES = Item(id="sizes", name="Beer", category="", price=Decimal(3), variants=(Variant(name="L", price=Decimal(5)),))
CARD = Catalogue(revision=1, revision_at=utc("2026-11-20T08:00"), items={one.id: one for one in (ITEM, SIZES)})
BARE = Theme(price_symbol=False, price_cents=PriceCents.IF_ANY)


def rows(location: Location, scene: Theme, own: Theme) -> list[MenuRow]:
    menu = MenuWidget(id="menu", box=BOX, theme=own)
    found = listings_of(Scene(id="scn", name="", theme=scene, widgets=(menu,)), CARD, location=location)["menu"]
    assert listing(menu, CARD, location=location, theme=scene) == found
    poster = row_of(ItemWidget(id="i", box=BOX, item_id="itm", theme=own), CARD, location=location, theme=scene)
    [section] = found.sections
    assert poster is not None
    assert poster.price == section.rows[0].price
    return list(section.rows)


def test_a_scene_sets_the_style_and_a_widget_may_have_its_own() -> None:
    location = place(second=None)
    tea, beer = rows(location, BARE, Theme())
    assert (tea.price.text, beer.variants[0].price.text) == ("3", "5")
    assert [one.delta for one in tea.modifiers] == ["+1", "−1"]
    tea, _ = rows(location, BARE, Theme(price_symbol=True))
    assert tea.price.text == f"3{NBSP}€"
    tea, _ = rows(location, Theme(), Theme(price_cents=PriceCents.RAISED))
    assert tea.price.text == f"3,⁰⁰{NBSP}€"
    assert tea.modifiers[0].delta == "+1,00", "small letters have no smaller ones"


def test_options_tell_both_currencies() -> None:
    tea, _ = rows(place("bg-BG"), Theme(), Theme())
    assert [one.delta.replace(NBSP, " ") for one in tea.modifiers] == ["+1,00 € · 1,96 лв.", "−1,00 € · 1,96 лв."]
