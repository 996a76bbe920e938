"""Prices as text, by locale and currency."""

from decimal import Decimal

import pytest
from babel import localedata
from babel.numbers import get_currency_precision, get_decimal_symbol

from menu.text.price import delta_text, price_text
from menu.text.wording import cldr_locale

NBSP, RLM, LRM = "\N{NO-BREAK SPACE}", "\N{RIGHT-TO-LEFT MARK}", "\N{LEFT-TO-RIGHT MARK}"

PRICES = [
    # amount, currency, locale, text, the part before the decimal separator
    ("3.4", "EUR", "de-DE", f"3,40{NBSP}€", "3"),
    ("3.4", "EUR", "nl-NL", f"€{NBSP}3,40", f"€{NBSP}3"),
    ("3.4", "EUR", "en-IE", "€3.40", "€3"),
    ("1234.5", "USD", "en-US", "$1,234.50", "$1,234"),
    ("3.4", "USD", "en-CA", "US$3.40", "US$3"),
    ("1234.5", "EUR", "fr-FR", f"1\N{NARROW NO-BREAK SPACE}234,50{NBSP}€", "1\N{NARROW NO-BREAK SPACE}234"),
    ("4.2", "CHF", "de-CH", f"CHF{NBSP}4.20", f"CHF{NBSP}4"),
    ("32", "DKK", "da-DK", f"32,00{NBSP}kr.", "32"),
    ("450", "JPY", "ja-JP", "¥450", "¥450"),
    ("450.5", "JPY", "ja-JP", "¥450.50", "¥450"),
    ("4500", "KRW", "ko-KR", "₩4,500", "₩4,500"),
    ("1.25", "KWD", "en-KW", f"KWD{NBSP}1.250", f"KWD{NBSP}1"),
    ("1.25", "KWD", "ar-KW", f"{RLM}١٫٢٥٠{NBSP}د.ك.{RLM}", f"{RLM}١"),
    ("12.5", "JOD", "ar-JO", f"{RLM}١٢٫٥٠٠{NBSP}د.أ.{RLM}", f"{RLM}١٢"),
    ("12.5", "EGP", "ar-EG", f"{RLM}١٢٫٥٠{NBSP}ج.م.{RLM}", f"{RLM}١٢"),
    ("25000", "IRR", "fa-IR", f"{LRM}ریال{NBSP}۲۵٬۰۰۰", f"{LRM}ریال{NBSP}۲۵٬۰۰۰"),
    ("18.9", "ILS", "he-IL", f"{RLM}18.90{NBSP}{RLM}₪", f"{RLM}18"),
    ("3.4", "PKR", "ur-PK", f"Rs{NBSP}3.40", f"Rs{NBSP}3"),
    ("3.4", "GBP", "pt-PT", f"3,40{NBSP}£", "3"),
    ("85.5", "INR", "mr-IN", "₹८५.५०", "₹८५"),
    ("3.4", "XXX", "de-DE", "3,40", "3"),
    ("3.4", "ZZZ", "en", f"ZZZ{NBSP}3.40", f"ZZZ{NBSP}3"),
    ("0", "EUR", "de-DE", f"0,00{NBSP}€", "0"),
    ("-0", "EUR", "de-DE", f"0,00{NBSP}€", "0"),
    # A finer price than the currency has keeps its decimals; not three, which could be thousands.
    ("3.405", "EUR", "en-IE", "€3.4050", "€3"),
    ("3.4051", "EUR", "en-IE", "€3.4051", "€3"),
    ("1.2505", "KWD", "en-KW", f"KWD{NBSP}1.2505", f"KWD{NBSP}1"),
    ("99999999", "EUR", "en-IE", "€99,999,999.00", "€99,999,999"),
    # Of an unknown locale as much is used as CLDR knows; or else English.
    ("3.4", "EUR", "de-XX", f"3,40{NBSP}€", "3"),
    ("3.4", "EUR", "de-DE-u-nu-latn", f"3,40{NBSP}€", "3"),
    ("3.4", "EUR", "xx-YY", "€3.40", "€3"),
    ("3.4", "EUR", "", "€3.40", "€3"),
]


WHOLE = [
    ("60", "INR", "hi-IN", "₹60"),
    ("50", "THB", "th-TH", "฿50"),
    ("38", "CNY", "zh-CN", "¥38"),
    ("38", "TWD", "zh-TW", "$38"),
    ("18", "ILS", "he-IL", f"{RLM}18{NBSP}{RLM}₪"),
    ("12", "AED", "ar-AE", f"{RLM}12{NBSP}د.إ.{RLM}"),
    ("8", "CHF", "de-CH", f"CHF{NBSP}8.–"),
    ("8", "CHF", "fr-CH", f"8,–{NBSP}CHF"),
    # Where shops write cents, they are always there.
    ("3", "EUR", "de-DE", f"3,00{NBSP}€"),
    ("3", "USD", "en-US", "$3.00"),
    ("3", "GBP", "en-GB", "£3.00"),
    ("3", "KWD", "en-KW", f"KWD{NBSP}3.000"),
    # Any cents are told.
    ("62.5", "INR", "hi-IN", "₹62.50"),
    ("8.5", "CHF", "de-CH", f"CHF{NBSP}8.50"),
]


@pytest.mark.parametrize(("amount", "currency", "locale", "text"), WHOLE)
def test_a_whole_price_is_written_as_shops_write_the_currency(
    amount: str, currency: str, locale: str, text: str
) -> None:
    assert price_text(Decimal(amount), currency=currency, locale=locale).text == text


@pytest.mark.parametrize(("amount", "currency", "locale", "text", "before"), PRICES)
def test_a_price_is_written_as_in_the_locale(amount: str, currency: str, locale: str, text: str, before: str) -> None:
    found = price_text(Decimal(amount), currency=currency, locale=locale)
    assert found.text == text
    assert found.text[: found.decimal_at] == before


@pytest.mark.first_case
@pytest.mark.parametrize("currency", ["EUR", "JPY", "KWD", "CVE", "XXX"])
def test_decimal_at_is_the_decimal_separator_in_every_locale(currency: str) -> None:
    decimals = max(2, get_currency_precision(currency))
    for tag in localedata.locale_identifiers():
        found = price_text(Decimal("1234.5"), currency=currency, locale=tag)
        assert found.text[found.decimal_at - 1].isdecimal(), tag
        if decimals:
            separator, digits = found.text[found.decimal_at], found.text[found.decimal_at + 1 :][:decimals]
            assert separator == get_decimal_symbol(cldr_locale(tag), numbering_system="default"), tag
            assert int(digits) == 5 * 10 ** (decimals - 1), tag


@pytest.mark.parametrize(
    ("amount", "currency", "locale", "text"),
    [
        ("0.5", "EUR", "en-IE", "+0.50"),
        ("-1", "EUR", "en-IE", "−1.00"),
        ("0.5", "EUR", "de-DE", "+0,50"),
        ("0.5", "KWD", "en-KW", "+0.500"),
        ("50", "JPY", "ja-JP", "+50"),
        ("-1000", "JPY", "ja-JP", "−1,000"),
        ("0.5", "EGP", "ar-EG", "\N{ARABIC LETTER MARK}+٠٫٥٠"),
        ("-5000", "IRR", "fa-IR", f"{LRM}−۵٬۰۰۰"),
        ("0", "EUR", "en-IE", ""),
        ("0.00", "EUR", "en-IE", ""),
        ("0.004", "EUR", "en-IE", "+0.0040"),
        ("0.5", "XXX", "en-IE", "+0.50"),
        ("20", "THB", "th-TH", "+20"),
        ("2", "CHF", "de-CH", "+2"),
    ],
)
def test_the_delta_of_a_modifier_is_signed_and_empty_for_zero(
    amount: str, currency: str, locale: str, text: str
) -> None:
    assert delta_text(Decimal(amount), currency=currency, locale=locale) == text
