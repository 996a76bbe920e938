"""The lines of a menu: prices in every currency, descriptions and categories; what is not read is shown."""

from decimal import Decimal

import pytest
from babel.numbers import get_currency_name, get_currency_symbol

from service.core.amounts import Notation, notation_of
from service.core.currencies import in_use
from service.services.imports.lines import MAX_LINES, MAX_PRICED_LINE
from service.services.imports.sheets import read_sheet
from service.services.pos.feed import FeedContent, FeedFailure

EURO = Notation("EUR", ("en", "de-DE"))


def read(text: str, notation: Notation = EURO) -> FeedContent:
    found = read_sheet(text, category="Menu", notation=notation).content
    assert isinstance(found, FeedContent), found
    return found


def items(text: str, notation: Notation = EURO) -> list[tuple[str | None, str, str | None]]:
    return [
        (row.name, "" if row.price is None else f"{row.price:.2f}", row.price_kind) for row in read(text, notation).rows
    ]


@pytest.mark.parametrize(
    ("line", "currency", "locale", "name", "price"),
    [
        ("Latte 45 kr", "SEK", "sv-SE", "Latte", "45.00"),
        ("Latte 45:-", "SEK", "sv-SE", "Latte", "45.00"),
        ("Chai Rs. 40", "INR", "en-IN", "Chai", "40.00"),
        ("Chai ₹40", "INR", "hi-IN", "Chai", "40.00"),
        ("Café R$ 7,50", "BRL", "pt-BR", "Café", "7.50"),
        ("Kawa 12 zł", "PLN", "pl-PL", "Kawa", "12.00"),
        ("Gipfeli Fr. 1.80", "CHF", "de-CH", "Gipfeli", "1.80"),
        ("Fondue CHF 24.50", "CHF", "de-CH", "Fondue", "24.50"),
        ("FONDUE CHF 24.50", "CHF", "de-CH", "FONDUE", "24.50"),
        ("Suppe 8,-", "EUR", "de-DE", "Suppe", "8.00"),
        ("Suppe 3,–", "EUR", "de-DE", "Suppe", "3.00"),
        ("Caffè 3.40 euro", "EUR", "it-IT", "Caffè", "3.40"),
        ("Koffie € 3,-", "EUR", "nl-NL", "Koffie", "3.00"),
        ("Koffie€3,40", "EUR", "nl-NL", "Koffie", "3.40"),
        ("Pho 45.000 ₫", "VND", "vi-VN", "Pho", "45000.00"),
        ("寿司 1,250円", "JPY", "ja-JP", "寿司", "1250.00"),
        ("Gulyás 2 490 Ft", "HUF", "hu-HU", "Gulyás", "2490.00"),
        ("شاي ٠٫٥٠٠ د.ك.", "KWD", "ar-KW", "شاي", "0.50"),
        ("Tea .......... 3.40 €", "EUR", "en-IE", "Tea", "3.40"),
        ("Tea _____ 3.40", "EUR", "en-IE", "Tea", "3.40"),
        ("Tea — 3.40", "EUR", "en-IE", "Tea", "3.40"),
        ("Donuts 2 for 5", "EUR", "en-IE", "Donuts 2 for", "5.00"),
        ("SOUP CUP 3.50", "EUR", "en-IE", "SOUP CUP", "3.50"),
        ("Cola 0,5 l 3,90", "EUR", "de-DE", "Cola 0,5 l", "3.90"),
    ],
)
def test_a_line_ends_with_its_price_in_the_currency_of_the_menu(
    line: str, currency: str, locale: str, name: str, price: str
) -> None:
    # A no-break space groups; another one could as well stand before the price.
    line = line.replace("2 490", "2\N{NO-BREAK SPACE}490")
    assert items(line, notation_of(currency, locale)) == [(name, price, None)]


@pytest.mark.parametrize("locale", ["en", "de_DE", "ar_EG", "ja_JP"])
def test_every_currency_is_known_by_symbol_code_and_name_before_and_after(locale: str) -> None:
    for currency in sorted(in_use()):
        notation = Notation(currency, (locale,))
        for sign in (currency, get_currency_symbol(currency, locale), get_currency_name(currency, 5, locale)):
            lines = (f"Tea 12 {sign}", f"Tea {sign} 12") if " " not in sign else (f"Tea 12 {sign}",)
            for line in lines:
                assert items(line, notation) == [("Tea", "12.00", None)], line


@pytest.mark.parametrize(
    ("line", "name", "price", "kind"),
    [
        ("Steak from 4.50", "Steak", "4.50", "from"),
        ("Steak ab 4,50", "Steak", "4.50", "from"),
        ("Steak ab € 4,50", "Steak", "4.50", "from"),
        ("Steak 4,50+", "Steak", "4.50", "from"),
        ("Hummer ... Tagespreis", "Hummer", "", "market"),
        ("Lobster market price", "Lobster", "", "market"),
        ("Lobster MP", "Lobster", "", "market"),
    ],
)
def test_a_price_may_be_the_least_one_or_that_of_the_market(line: str, name: str, price: str, kind: str) -> None:
    assert items(line) == [(name, price, kind)]


def test_descriptions_and_categories_are_told_apart() -> None:
    text = (
        "Coffee\nFlat white 3.40\n  with two shots\nEspresso 2.20\nfrom Ethiopia,\nroasted here\n\n"
        "Tea\nEarl grey\n3.10\nCAKE\nCarrot cake 4.20\nLarge cakes:\nWhole cake 38\n\n  # Drinks\nCola 3\n"
    )
    found = read(text)
    assert [(row.category, row.name, row.description) for row in found.rows] == [
        ("Coffee", "Flat white", "with two shots"),
        ("Coffee", "Espresso", "from Ethiopia, roasted here"),
        ("Coffee", "Earl grey", None),
        ("CAKE", "Carrot cake", None),
        ("Large cakes", "Whole cake", None),
        ("Drinks", "Cola", None),
    ]
    # Above a name without a price a category cannot be told from a title.
    assert [(one.row, one.code, one.text) for one in found.errors] == [(8, "no_price", "Tea")]


def test_no_line_vanishes() -> None:
    text = (
        "Café Central\nCoffee\nFlat white 3.40 / 4.20\nTea 12,50 CHF\n9.90\nCaviar 1.250\nSoup 3.40\n\n"
        "All prices include VAT\n----\n"
    )
    found = read(text)
    assert [(row.name, row.category) for row in found.rows] == [("Soup", "Coffee")]
    assert [(one.row, one.code, one.text) for one in found.errors] == [
        (1, "no_price", "Café Central"),
        (3, "two_prices", "Flat white 3.40 / 4.20"),
        (4, "other_currency", "Tea 12,50 CHF"),
        (5, "no_name", "9.90"),
        (6, "ambiguous_number", "Caviar 1.250"),
        (9, "no_price", "All prices include VAT"),
    ]
    assert found.error_count == 6


def test_a_price_with_a_space_in_it_is_not_guessed() -> None:
    [error] = read("Tea 3\nMenu 1 250", notation_of("EUR", "fr-FR")).errors
    assert (error.row, error.code) == (2, "spaced_number")
    assert items("Menu 1 250", notation_of("EUR", "de-DE")) == [("Menu 1", "250.00", None)]


def test_lines_without_any_price_are_told() -> None:
    found = read_sheet("Tea\nCake", category="Menu", notation=EURO).content
    assert isinstance(found, FeedFailure)
    assert (found.reason, [one.text for one in found.errors]) == ("empty", ["Tea", "Cake"])


def test_lines_are_bounded() -> None:
    found = read_sheet("Tea 3\n\n" * (MAX_LINES + 1), category="Menu", notation=EURO).content
    assert isinstance(found, FeedFailure)
    assert found.reason == "too_many_rows"
    long = "x" * MAX_PRICED_LINE + " 3"
    [row] = read(f"Tea 3\n{long}").rows
    assert (row.name, row.description) == ("Tea", long)


@pytest.mark.parametrize("line", ["Lachs-Bowl\tab 12,50 €", "Lachs-Bowl.....ab 12,50 €"])
def test_from_may_stand_behind_a_tab_or_leaders(line: str) -> None:
    [row] = read(line).rows
    assert (row.name, row.price, row.price_kind) == ("Lachs-Bowl", Decimal("12.5"), "from")
