"""Amounts as people write them: what is shown reads back as itself, what may be two amounts is refused."""

import itertools
from collections.abc import Iterable
from decimal import Decimal

import pytest
from babel import localedata

from menu.documents.theme import PriceCents
from menu.text.price import PriceStyle, delta_text, price_text
from service.core.amounts import MAX_AMOUNT_LENGTH, AmountError, Notation, notation_of, read_amount, written_surely
from service.core.currencies import decimals_of, in_use, is_indivisible
from service.desk.formats import plain_price, price
from service.desk.words import LANGUAGES

WHOLE = ("0", "7", "450", "1250", "12900", "1234567", "99999999")
BROKEN = ("0.05", "3.4", "12.25", "1234.5", "1250.4", "1.259", "1250.0001")
STYLES = [PriceStyle(symbol=symbol, cents=cents) for symbol in (True, False) for cents in PriceCents]
CURRENCIES = ("EUR", "USD", "CHF", "JPY", "CLP", "HUF", "IDR", "PKR", "KWD", "BHD", "INR", "SEK", "CLF", "XXX")
PLACES = ("en-US", "de-DE", "de-AT", "de-CH", "fr-FR", "ar-EG", "ar-KW", "fa-IR", "hi-IN", "hu-HU", "sv-SE", "pl-PL")


TOKI_PONA = "tok"
"""Groups by two digits, and is the language of no place."""


def amounts_of(currency: str) -> list[Decimal]:
    return [Decimal(one) for one in (*WHOLE, *(() if is_indivisible(currency) else BROKEN))]


def lost_on_glass(
    currencies: Iterable[str], locales: Iterable[str], styles: Iterable[PriceStyle] = STYLES
) -> list[tuple[object, ...]]:
    """The texts of boards that are not read as the amount that they show."""
    lost = []
    for currency, locale in itertools.product(currencies, locales):
        notation = notation_of(currency, locale)
        for amount, style in itertools.product(amounts_of(currency), styles):
            text = price_text(amount, currency=currency, locale=locale, style=style).text
            delta = delta_text(-amount, currency=currency, locale=locale, style=style.in_text)
            for shown, meant in ((text, amount), (delta, -amount)):
                if shown and read(shown, notation) != meant:
                    lost.append((currency, locale, meant, shown, read(shown, notation)))
    return lost


def read(text: str, notation: Notation) -> Decimal | str:
    try:
        return read_amount(text, notation)
    except AmountError as error:
        return error.code


def locales() -> list[str]:
    return [
        one.replace("_", "-")
        for one in localedata.locale_identifiers()
        if one not in ("root", TOKI_PONA, f"{TOKI_PONA}_001")
    ]


@pytest.mark.parametrize("currency", CURRENCIES)
def test_what_a_board_shows_reads_back_as_itself(currency: str) -> None:
    assert lost_on_glass([currency], PLACES) == []


@pytest.mark.long
@pytest.mark.parametrize("currency", ["EUR", "JPY", "KWD"])
def test_what_a_board_shows_in_any_language_reads_back_as_itself(currency: str) -> None:
    assert lost_on_glass([currency], locales(), STYLES[1::3]) == []


@pytest.mark.long
@pytest.mark.parametrize("locale", PLACES)
def test_what_a_board_shows_in_any_currency_reads_back_as_itself(locale: str) -> None:
    assert lost_on_glass(sorted(in_use()), [locale], STYLES[1:2]) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_desk_shows_reads_back_as_itself(language: str) -> None:
    for currency, locale in itertools.product(sorted(in_use()), PLACES):
        notation = notation_of(currency, locale, language=language)
        for amount in amounts_of(currency):
            for shown in (plain_price(amount, currency, language=language), price(amount, currency, language=language)):
                assert read(shown, notation) == amount, (currency, locale, amount, shown)


@pytest.mark.parametrize(
    ("text", "notation", "amount"),
    [
        ("12.900", Notation("CLP", ("en", "es-CL")), "12900"),
        ("12.900 CLP", Notation("CLP", ("es-CL",)), "12900"),
        ("1,250", Notation("JPY", ("de", "ja-JP")), "1250"),
        ("12,800", Notation("JPY", ("ja-JP",), ","), "12800"),
        ("1,250", Notation("JPY", ("ja-JP",), "\t"), "1250"),
        ("25.000", Notation("IDR", ("en", "id-ID")), "25000"),
        ("2.490", Notation("HUF", ("en", "hu-HU")), "2490"),
        ("2490,- Ft", Notation("HUF", ("hu-HU",)), "2490"),
        ("$1,250", Notation("USD", ("en-US",)), "1250"),
        ("1.250,00 €", Notation("EUR", ("de-DE",)), "1250"),
        ("1.250", Notation("KWD", ("en-KW",)), "1.25"),
        ("1.250", Notation("KWD", ("de", "en-KW")), "1.25"),
        ("1.250", Notation("KWD", ("ar-KW",), ","), "1.25"),
        ("١٫٢٥٠ د.ك.", Notation("KWD", ("ar-KW",)), "1.25"),
        ("¥1,250", Notation("JPY", ("en",)), "1250"),
        ("1'250.50", Notation("CHF", ("de-CH",)), "1250.5"),
        ("1’250", Notation("CHF", ("de-CH",)), "1250"),
        ("12,50,000", Notation("INR", ("en-IN",)), "1250000"),
        ("1\N{NARROW NO-BREAK SPACE}250,50\N{NO-BREAK SPACE}€", Notation("EUR", ("fr-FR",)), "1250.5"),
        ("３，４００", Notation("JPY", ("ja-JP",)), "3400"),
        ("1,250.00", Notation("EUR", ("de-DE",), "\t"), "1250"),
        ("1.250.000", Notation(delimiter=";"), "1250000"),
        ("1,250", Notation("EUR", ("de-DE",), ";"), "1.25"),
        ("12500.250", Notation("EUR", ("de-DE",), "\t"), "12500.25"),
        ("1.250", Notation(delimiter=","), "1.25"),
        ("1.250", Notation("MXN", notation_of("MXN", "es-MX", language="es").locales), "1.25"),
        ("8,-", Notation("EUR", ("de-DE",)), "8"),
        ("8.–", Notation("CHF", ("de-CH",)), "8"),
        ("€ 3,-", Notation("EUR", ("nl-NL",)), "3"),
        ("45:-", Notation("SEK", ("sv-SE",)), "45"),
        ("45 kr", Notation("SEK", ("en", "sv-SE")), "45"),
        ("kr. 45", Notation("DKK", ("de",)), "45"),
        ("Rs. 340", Notation("PKR", ("en-PK",)), "340"),
        ("₹85", Notation("INR", ("en-IN",)), "85"),
        ("R$ 12,90", Notation("BRL", ("en",)), "12.9"),
        ("12,90 zł", Notation("PLN", ("en",)), "12.9"),
        ("Fr. 24.50", Notation("CHF", ("de-CH",)), "24.5"),
        ("Fr.24.50", Notation("CHF", ("de-CH",)), "24.5"),
        ("CHF24.50", Notation("CHF", ("fr-CH",)), "24.5"),
        ("3.40 euro", Notation("EUR", ("it-IT",)), "3.4"),
        ("5 dollars", Notation("USD", ("de-DE",)), "5"),
        ("5 francs", Notation("CHF", ("de-CH", "fr-CH")), "5"),
        ("CAD $5", Notation("CAD", ("en-CA",)), "5"),
        ("$.50", Notation("USD", ("en-US",)), "0.5"),
        ("-0,30", Notation("EUR", ("de-DE",)), "-0.3"),
        ("−€0.30", Notation("EUR", ("en-IE",)), "-0.3"),
        ("3,⁴⁰ €", Notation("EUR", ("de-DE",)), "3.4"),
    ],
)
def test_an_amount_is_read_as_it_is_meant(text: str, notation: Notation, amount: str) -> None:
    assert read_amount(text, notation) == Decimal(amount)


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("1,250", Notation("EUR", (), ";")),
        ("1,250", Notation("EUR", ("en-IE",), ";")),
        ("1,250", Notation("EUR", ("en", "de-DE"))),
        ("1.250", Notation("EUR", ("en", "de-DE"))),
        ("1.250", Notation("EUR", ("hu-HU",))),
        ("1.250", Notation("EUR", ("de-DE",), ",")),
        ("1.250", Notation("EUR", ("de-DE",), ";")),
        ("1.250", Notation("EUR", ("de-DE",), "\t")),
        ("€1,250", Notation("EUR", ("en-IE",), "\t")),
        ("1,250", Notation("KWD", (), "\t")),
    ],
)
def test_what_may_be_two_amounts_is_refused_and_both_are_named(text: str, notation: Notation) -> None:
    with pytest.raises(AmountError) as refused:
        read_amount(text, notation)
    assert refused.value.code == "ambiguous_number"
    assert refused.value.readings == (Decimal(1250), Decimal("1.25"))
    assert "may be 1250 or 1.25." in str(refused.value)
    for one in refused.value.readings:
        assert read_amount(written_surely(one), notation) == one


@pytest.mark.parametrize(
    ("text", "currency", "code"),
    [
        ("12.8", "JPY", "no_decimals"),
        ("1.250,50", "CLP", "no_decimals"),
        ("24,50 CHF", "EUR", "other_currency"),
        ("45 kr", "EUR", "other_currency"),
        ("£3", "EUR", "other_currency"),
        ("3 US dollars", "EUR", "other_currency"),
        ("0,5 l", "EUR", "not_a_number"),
        ("12 XAU", "EUR", "not_a_number"),
        ("", "EUR", "not_a_number"),
        ("€", "EUR", "not_a_number"),
        ("free", "EUR", "not_a_number"),
        ("1e3", "EUR", "not_a_number"),
        ("1_000", "EUR", "not_a_number"),
        ("0x10", "EUR", "not_a_number"),
        ("3-4", "EUR", "not_a_number"),
        ("3 40", "EUR", "not_a_number"),
        ("1,25.00", "EUR", "not_a_number"),
        ("1,250,00", "EUR", "not_a_number"),
        ("1.250 000", "EUR", "not_a_number"),
        ("--3", "EUR", "not_a_number"),
        ("-3-", "EUR", "not_a_number"),
        # An accountant's minus.
        ("12.50-", "EUR", "not_a_number"),
        # Footnotes and fractions.
        ("9.50²", "EUR", "not_a_number"),
        ("4½", "EUR", "not_a_number"),
        ("9" * (MAX_AMOUNT_LENGTH + 1), "EUR", "not_a_number"),
    ],
)
def test_what_is_no_amount_of_the_menu_is_refused(text: str, currency: str, code: str) -> None:
    with pytest.raises(AmountError) as refused:
        read_amount(text, Notation(currency, ("de-DE",)))
    assert refused.value.code == code
    assert str(refused.value)


def test_decimals_are_those_of_shops() -> None:
    assert [decimals_of(one) for one in ("JPY", "KRW", "CLP", "HUF", "IDR", "EUR", "KWD", "BHD")] == [0] * 5 + [2, 3, 3]
