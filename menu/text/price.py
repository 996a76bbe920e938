"""Formats prices: exact decimals as text, by CLDR for a currency and a locale; may import babel."""

from __future__ import annotations

import re
import unicodedata
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

from babel import Locale
from babel.numbers import (
    format_currency,
    format_decimal,
    get_currency_precision,
    get_currency_symbol,
    get_minus_sign_symbol,
    get_plus_sign_symbol,
)
from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import NO_CURRENCY, Location, SecondCurrency
from menu.documents.theme import PriceCents, Theme
from menu.text.wording import cldr_locale, native_digits

_ROUNDING = Context(prec=40, rounding=ROUND_HALF_EVEN)
_HALF_UP = Context(prec=40, rounding=ROUND_HALF_UP)
_MOST_DECIMALS = 4
"""The most that an amount of the service has."""
_DECIMALS = re.compile(r"\.0+")
"""The decimals of a pattern."""
_LAST_DIGIT = re.compile(r"\d(?=\D*$)")
_SPACE = "\N{NO-BREAK SPACE}"
_BOTH = f"{_SPACE}\N{MIDDLE DOT}{_SPACE}"
"""Between a price in two currencies: what it is for follows a stroke."""
_RIGHT_TO_LEFT, _ISOLATE, _END = "\N{RIGHT-TO-LEFT MARK}", "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
"""Small figures above the line, from 0 to 9."""
_RAISED = str.maketrans("0123456789", RAISED)
"""Other figures have none, and stay on the line."""
_HYPHEN, _MINUS = "-", "\N{MINUS SIGN}"
_USUALLY_WHOLE = frozenset(
    {
        *("AED", "BDT", "CNY", "COP", "EGP", "HKD", "IDR", "ILS", "INR", "KES", "KZT", "LKR", "MAD"),
        *("NGN", "NPR", "PHP", "PKR", "QAR", "RUB", "SAR", "THB", "TRY", "TWD", "UAH"),
    }
)
"""Currencies whose shops write no decimals that are all 0. CLDR has what banks write."""
_DASHED = frozenset({"CHF"})
"""Currencies whose shops write a dash in place of such decimals: `8.–`."""
NO_CENTS = "\N{EN DASH}"
_WORDS = {
    ("ja", "JPY"): "円",
    ("ko", "KRW"): "원",
    ("th", "THB"): f"{_SPACE}บาท",
    ("zh", "CNY"): "元",
    ("zh", "HKD"): "元",
    ("zh", "TWD"): "元",
}
"""Everyday words for a currency, after the amount, by language. Those of CLDR are the official names."""
_NARROW = {ord("\N{FULLWIDTH YEN SIGN}"): "\N{YEN SIGN}"}
"""As wide as the figures that it stands beside: a full-width sign has blanks at its sides."""


class PriceText(Struct, frozen=True, kw_only=True):
    """A price as a guest reads it (`€ 4,50`). `decimal_at` is the index in `text` at which prices line up: that of the
    decimal separator, or of the place where it would be. `before` and `after` are small words around it (`from`), `per`
    is the unit after these (`/ 100 g`) and `measure` the same where it stands before them (`100 g`). `in_words`: market
    price or free, without an amount."""

    text: str
    decimal_at: int
    before: str = ""
    after: str = ""
    per: str = ""
    measure: str = ""
    in_words: bool = False

    @property
    def has_decimals(self) -> bool:
        """Whether there is a separator at `decimal_at`."""
        after = self.text[self.decimal_at + 1 : self.decimal_at + 2]
        return after.isdigit() or after == NO_CENTS

    @property
    def suffix(self) -> str:
        """Returns all that stands after the amount where the unit does."""
        return " ".join(filter(None, (self.after, self.per)))

    @property
    def whole(self) -> str:
        return " ".join(filter(None, (self.before, self.text, self.suffix)))

    def measured_before(self, *, told: bool) -> PriceText:
        """Returns the price with its unit before the amount, if it is `told` at all: so amounts under each other stay
        in line."""
        before = " ".join(filter(None, (self.measure if told else "", self.before)))
        return replace(self, before=before, per="", measure="")


class PriceStyle(Struct, frozen=True, kw_only=True):
    """Style of a board's prices: with the currency's symbol, its word or neither, and with which decimals: None is as
    shops write the currency."""

    symbol: bool = True
    word: bool = False
    cents: PriceCents | None = None

    @property
    def in_text(self) -> PriceStyle:
        """Style of an amount among words, or in small letters."""
        return PriceStyle(cents=PriceCents.ALWAYS if self.cents is PriceCents.RAISED else self.cents)

    def themed(self, theme: Theme) -> PriceStyle:
        if theme.price_symbol is None and theme.price_word is None and theme.price_cents is None:
            return self
        return PriceStyle(
            symbol=self.symbol if theme.price_symbol is None else theme.price_symbol,
            word=self.word if theme.price_word is None else theme.price_word,
            cents=self.cents if theme.price_cents is None else theme.price_cents,
        )


PLAIN = PriceStyle()


def board_price(amount: Decimal, *, location: Location, style: PriceStyle = PLAIN) -> PriceText:
    """Formats a price as on a board at this location: where it has a second currency, in both, each with its symbol."""
    currency, locale, second = location.currency, location.locale, location.second_currency
    if second is None:
        return price_text(amount, currency=currency, locale=locale, style=style)
    style = PriceStyle(cents=style.cents)
    first = price_text(amount, currency=currency, locale=locale, style=style)
    other = price_text(_converted(amount, location, second), currency=second.currency, locale=locale, style=style)
    if cldr_locale(locale).text_direction != "rtl":
        begin, end = f"{first.text}{_BOTH}", ""
    else:
        begin, end = f"{_RIGHT_TO_LEFT}{_ISOLATE}{first.text}{_END}{_BOTH}{_ISOLATE}", _END
    # Lined up at the last decimals, prices end at the edge of their column, as others do.
    return PriceText(text=f"{begin}{other.text}{end}", decimal_at=len(begin) + other.decimal_at)


def board_delta(amount: Decimal, *, location: Location, style: PriceStyle = PLAIN) -> str:
    """Formats the price difference of a modifier, as a board at this location writes it."""
    delta = delta_text(amount, currency=location.currency, locale=location.locale, style=style)
    if location.second_currency is None or not delta:
        return delta
    # A bare number could be of either currency.
    return (
        _sign(amount, cldr_locale(location.locale))
        + board_price(abs(amount), location=location, style=style.in_text).text
    )


def _converted(amount: Decimal, location: Location, second: SecondCurrency) -> Decimal:
    """Converts the amount shown to the second currency: half of its smallest unit is rounded up, by Regulation (EC) No
    1103/97, Article 5."""
    _, shown = _shown(amount, location.currency)
    step = Decimal(1).scaleb(-get_currency_precision(second.currency))
    return (shown * second.rate).quantize(step, context=_HALF_UP)


@lru_cache(maxsize=4096)
def price_text(amount: Decimal, *, currency: str, locale: str, style: PriceStyle = PLAIN) -> PriceText:
    """Formats a price (finite, not negative) for the locale: symbol, separators and digits by CLDR.

    It has as many decimals as the currency (none for JPY, three for KWD), unless the style leaves out those that are
    all 0, or shops do; a finer price has two, or four. The text may contain no-break spaces and bidirectional marks:
    draw it as one run.
    """
    cldr = cldr_locale(locale)
    decimals, value = _shown(amount, currency)
    word = _WORDS.get((cldr.language, currency), "") if style.word else ""
    if currency == NO_CURRENCY or not style.symbol or word:
        text = format_decimal(value, _plain(decimals), locale=cldr, numbering_system="default")
        text += word if style.symbol else ""
    else:
        pattern = _DECIMALS.sub("." + "0" * decimals if decimals else "", cldr.currency_formats["standard"].pattern)
        text = format_currency(value, currency, pattern, locale=cldr, currency_digits=False, numbering_system="default")
        text = _spaced(text, get_currency_symbol(currency, locale=cldr)).translate(_NARROW)
    text = native_digits(text, cldr)
    last = _LAST_DIGIT.search(text)
    end = last.end() if last else len(text)
    # The separator is one character in every locale, and the decimals are the last digits.
    decimal_at = end - decimals - 1 if decimals else end
    if decimals:
        if value == value.to_integral_value() and (shown := _whole(style, currency)) is not None:
            text = text[:decimal_at] + (text[decimal_at] + shown if shown else "") + text[end:]
        elif style.cents is PriceCents.RAISED:
            # The separator stays: without it, small figures would be all that tells 3.50 from 350.
            text = text[: decimal_at + 1] + text[decimal_at + 1 : end].translate(_RAISED) + text[end:]
    return PriceText(text=text, decimal_at=decimal_at)


@lru_cache(maxsize=4096)
def delta_text(amount: Decimal, *, currency: str, locale: str, style: PriceStyle = PLAIN) -> str:
    """Formats the amount that a modifier adds or takes off: `+0.50`, `−1.00`, signs by CLDR; empty for zero."""
    cldr = cldr_locale(locale)
    decimals, value = _shown(amount, currency)
    if not value:
        return ""
    if value == value.to_integral_value() and _whole(style, currency) is not None:
        decimals = 0
    text = format_decimal(abs(value), _plain(decimals), locale=cldr, numbering_system="default")
    return _sign(value, cldr) + native_digits(text, cldr)


def _whole(style: PriceStyle, currency: str) -> str | None:
    """Returns what stands for decimals that are all 0: nothing, or a dash; None where they do themselves."""
    if style.cents is None and currency in _DASHED:
        return NO_CENTS
    return "" if style.cents is PriceCents.IF_ANY or (style.cents is None and currency in _USUALLY_WHOLE) else None


def _sign(value: Decimal, cldr: Locale) -> str:
    symbol = get_minus_sign_symbol if value < 0 else get_plus_sign_symbol
    # CLDR has a hyphen for minus in most locales, which is too short beside a plus.
    return str(symbol(cldr, numbering_system="default")).replace(_HYPHEN, _MINUS)


def _spaced(text: str, symbol: str) -> str:
    """Puts a space between a digit and a currency in letters (`KWD 1.250`): UTS #35's currencySpacing, which babel does
    not implement."""
    bare = re.escape(symbol)
    if unicodedata.category(symbol[-1])[0] not in "SZ":
        text = re.sub(rf"{bare}(?=\d)", symbol + _SPACE, text)
    if unicodedata.category(symbol[0])[0] not in "SZ":
        text = re.sub(rf"(?<=\d){bare}", _SPACE + symbol, text)
    return text


def _shown(amount: Decimal, currency: str) -> tuple[int, Decimal]:
    """Returns the number of decimals of a displayed amount, and the amount: more than those of the currency where it
    has them, and never three beside a currency's own, as those could be thousands."""
    usual, own = get_currency_precision(currency), -int(amount.normalize().as_tuple().exponent)
    few = max(2, usual)
    decimals = usual if own <= usual else few if own <= few else _MOST_DECIMALS
    value = amount.quantize(Decimal(1).scaleb(-decimals), context=_ROUNDING)
    return decimals, value if value else abs(value)


def _plain(decimals: int) -> str:
    return "#,##0" + ("." + "0" * decimals if decimals else "")
