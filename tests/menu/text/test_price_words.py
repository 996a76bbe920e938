"""Kind and unit of a price, in the words of the locale."""

from __future__ import annotations

from decimal import Decimal

import pytest

from menu.documents.manifest import Location, PriceKind, PriceUnit
from menu.text.price_words import measure_text, unit_text, worded_price

NBSP = "\N{NO-BREAK SPACE}"


def place(locale: str, currency: str) -> Location:
    return Location(id="loc", name="", timezone="UTC", currency=currency, locale=locale)


def worded(kind: PriceKind, unit: PriceUnit | None, locale: str, currency: str = "EUR") -> tuple[str, str, str]:
    found = worded_price(Decimal("3.5"), kind=kind, unit=unit, location=place(locale, currency))
    return found.before, found.text.replace(NBSP, " "), found.suffix.replace(NBSP, " ")


@pytest.mark.parametrize(
    ("locale", "currency", "words"),
    [
        ("en-IE", "EUR", ("from", "€3.50", "")),
        ("de-DE", "EUR", ("ab", "3,50 €", "")),
        ("es-ES", "EUR", ("desde", "3,50 €", "")),
        ("fr-FR", "EUR", ("dès", "3,50 €", "")),
        ("ja-JP", "JPY", ("", "¥3.50", "から")),
        ("zh-TW", "TWD", ("", "$3.50", "起")),
        # No word is known there.
        ("ka-GE", "GEL", ("from", "3,50 ₾", "")),
    ],
)
def test_the_least_price_has_a_word(locale: str, currency: str, words: tuple[str, str, str]) -> None:
    assert worded(PriceKind.FROM, None, locale, currency) == words


def test_the_least_price_in_arabic() -> None:
    found = worded_price(Decimal("3.5"), kind=PriceKind.FROM, unit=None, location=place("ar-KW", "KWD"))
    assert (found.before, "٣٫٥٠٠" in found.text) == ("من", True)


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("en-US", "market price"),
        ("de-DE", "Tagespreis"),
        ("es-MX", "precio de mercado"),
        ("fr-FR", "prix du jour"),
        ("ar-KW", "سعر السوق"),
        ("ja-JP", "時価"),
        ("zh-HK", "時價"),
        ("ka-GE", "market price"),
    ],
)
def test_the_market_price_is_words_alone(locale: str, text: str) -> None:
    assert worded(PriceKind.MARKET, None, locale) == ("", text, "")
    assert worded(PriceKind.MARKET, PriceUnit.KILOGRAM, locale)[2] != ""


@pytest.mark.parametrize(
    ("unit", "texts"),
    [
        (PriceUnit.HUNDRED_GRAMS, {"en-IE": "/ 100 g", "de-DE": "/ 100 g", "ar-KW": "/ ١٠٠ غرام", "ja-JP": "/ 100 g"}),
        (PriceUnit.KILOGRAM, {"en-US": "/ kg", "es-ES": "/ kg", "ar-KW": "/ كغم", "ru-RU": "/ кг"}),
        (PriceUnit.POUND, {"en-US": "/ lb"}),
        (PriceUnit.HUNDRED_MILLILITRES, {"en-GB": "/ 100 ml", "zh-CN": "/ 100毫升"}),
        (PriceUnit.LITRE, {"en-US": "/ L", "en-GB": "/ l", "ar-KW": "/ لتر", "ja-JP": "/ L"}),
        (
            PriceUnit.PIECE,
            {"en-GB": "each", "de-DE": "/ Stück", "fr-FR": "/ pièce", "es-ES": "/ ud.", "ar-KW": "/ قطعة"},
        ),
    ],
)
def test_units_are_written_as_in_the_locale(unit: PriceUnit, texts: dict[str, str]) -> None:
    assert {locale: unit_text(unit, locale, locale).replace(NBSP, " ") for locale in texts} == texts


@pytest.mark.parametrize(
    ("unit", "texts"),
    [
        (PriceUnit.HUNDRED_GRAMS, {"en-IE": "100 g", "ar-KW": "١٠٠ غرام", "ja-JP": "100 g"}),
        (PriceUnit.KILOGRAM, {"en-US": "1 kg", "ru-RU": "1 кг"}),
        (PriceUnit.PIECE, {"en-GB": "each", "de-DE": "Stück", "ja-JP": "1個", "ko-KR": "1개", "zh-CN": "1个"}),
    ],
)
def test_units_before_a_price_have_no_stroke(unit: PriceUnit, texts: dict[str, str]) -> None:
    assert {locale: measure_text(unit, locale, locale).replace(NBSP, " ") for locale in texts} == texts


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("en-GB", "free"),
        ("de-DE", "kostenlos"),
        ("ja-JP", "無料"),
        ("zh-HK", "免費"),
        ("ar-KW", "مجاناً"),
        ("ka-GE", "free"),
    ],
)
def test_what_costs_nothing_is_free(locale: str, text: str) -> None:
    for unit in (None, PriceUnit.PIECE):
        found = worded_price(Decimal("0.00"), kind=PriceKind.EXACT, unit=unit, location=place(locale, "EUR"))
        assert (found.whole, found.in_words) == (text, True)


def test_without_a_price_there_is_nothing() -> None:
    assert worded(PriceKind.NONE, PriceUnit.PIECE, "de-DE") == ("", "", "")


def test_from_and_a_unit_stand_together() -> None:
    assert worded(PriceKind.FROM, PriceUnit.HUNDRED_GRAMS, "de-DE") == ("ab", "3,50 €", "/ 100 g")
    assert worded(PriceKind.FROM, PriceUnit.HUNDRED_GRAMS, "ko-KR", "KRW")[2] == "부터 / 100g"
