"""Formats prices: exact decimals as text, by CLDR for a currency and a locale; may import babel."""

from __future__ import annotations

import re
import unicodedata
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache

from babel.numbers import (
    format_currency,
    format_decimal,
    get_currency_precision,
    get_currency_symbol,
    get_minus_sign_symbol,
    get_plus_sign_symbol,
)

from player.domain.view import PriceText
from player.domain.wording import cldr_locale, native_digits

NO_CURRENCY = "XXX"
"""ISO 4217 for "no currency": prices are written without a symbol."""

_ROUNDING = Context(prec=40, rounding=ROUND_HALF_EVEN)
_TEXTS_CACHED = 4096
_LAST_DIGIT = re.compile(r"\d(?=\D*$)")
_SPACE = "\N{NO-BREAK SPACE}"
_HYPHEN, _MINUS = "-", "\N{MINUS SIGN}"


@lru_cache(maxsize=_TEXTS_CACHED)
def price_text(amount: Decimal, *, currency: str, locale: str) -> PriceText:
    """A price (finite, not negative) as the locale writes it: symbol, separators and digits by CLDR.

    It has as many decimals as the currency (none for JPY, three for KWD); a finer price is rounded half to even. The
    text may contain no-break spaces and bidirectional marks: draw it as one run.
    """
    cldr = cldr_locale(locale)
    decimals, value = _rounded(amount, currency)
    if currency == NO_CURRENCY:
        text = format_decimal(value, _plain(decimals), locale=cldr, numbering_system="default")
    else:
        text = format_currency(value, currency, locale=cldr, numbering_system="default")
        text = _spaced(text, get_currency_symbol(currency, locale=cldr))
    text = native_digits(text, cldr)
    last = _LAST_DIGIT.search(text)
    end = last.end() if last else len(text)
    # The separator is one character in every locale, and the decimals are the last digits.
    return PriceText(text=text, decimal_at=end - decimals - 1 if decimals else end)


@lru_cache(maxsize=_TEXTS_CACHED)
def delta_text(amount: Decimal, *, currency: str, locale: str) -> str:
    """The amount that a modifier adds or takes off: `+0.50`, `−1.00`, signs by CLDR; empty for zero."""
    cldr = cldr_locale(locale)
    decimals, value = _rounded(amount, currency)
    if not value:
        return ""
    symbol = get_minus_sign_symbol if value < 0 else get_plus_sign_symbol
    # CLDR has a hyphen for minus in most locales, which is too short beside a plus.
    sign = symbol(cldr, numbering_system="default").replace(_HYPHEN, _MINUS)
    text = format_decimal(abs(value), _plain(decimals), locale=cldr, numbering_system="default")
    return sign + native_digits(text, cldr)


def _spaced(text: str, symbol: str) -> str:
    """The text with a space between a digit and a currency in letters (`KWD 1.250`): UTS #35's currencySpacing, which
    babel does not implement."""
    bare = re.escape(symbol)
    if unicodedata.category(symbol[-1])[0] not in "SZ":
        text = re.sub(rf"{bare}(?=\d)", symbol + _SPACE, text)
    if unicodedata.category(symbol[0])[0] not in "SZ":
        text = re.sub(rf"(?<=\d){bare}", _SPACE + symbol, text)
    return text


def _rounded(amount: Decimal, currency: str) -> tuple[int, Decimal]:
    decimals = get_currency_precision(currency)
    value = amount.quantize(Decimal(1).scaleb(-decimals), context=_ROUNDING)
    return decimals, value if value else abs(value)


def _plain(decimals: int) -> str:
    return "#,##0" + ("." + "0" * decimals if decimals else "")
