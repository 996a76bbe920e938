"""Currencies in texts: their decimals, and their signs (symbol, code or name) by CLDR; imports no other part of the
service."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache

from babel.core import get_global
from babel.numbers import get_currency_name, get_currency_precision, get_currency_symbol

from menu.text.wording import cldr_locale

_WHOLE_IN_SHOPS = frozenset({"COP", "HUF", "IDR"})
"""Written without decimals everywhere, though some versions of CLDR give them two."""
_INDIVISIBLE = frozenset(
    (
        *("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG"),
        *("RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"),
    )
)
"""Without a minor unit in ISO 4217. CLDR has others without decimals, whose small coins are only rare."""
_COUNTS = (1, 2, 5)
"""One, few and many: names of currencies have a form for each."""
_INVISIBLE = re.compile(r"[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_DOLLARS = (
    "USD ARS AUD BBD BMD BND BSD BZD CAD CLP COP CUP DOP FJD GYD HKD JMD KYD "
    "LRD MXN NAD NZD SBD SGD SRD TTD TWD UYU XCD"
)
_WRITTEN: Mapping[str, str] = {
    "$": _DOLLARS,
    "£": "GBP EGP FKP GIP LBP SHP SSP SYP",
    "¥": "JPY CNY",
    "円": "JPY",
    "元": "CNY HKD TWD",
    "원": "KRW",
    "rs": "INR LKR MUR NPR PKR SCR",
    "kr": "DKK ISK NOK SEK",
    "skr": "SEK",
    "nkr": "NOK",
    "dkr": "DKK",
    "fr": "CHF",
    "sfr": "CHF",
    "r$": "BRL",
    "r": "ZAR",
    "rp": "IDR",
    "rm": "MYR",
    "s/": "PEN",
    "zl": "PLN",
    "zł": "PLN",
    "kč": "CZK",
    "kc": "CZK",
    "ft": "HUF",
    "lei": "RON MDL",
    "лв": "BGN",
    "руб": "RUB BYN",
    "грн": "UAH",
    "tl": "TRY",
    "₱": "PHP",
    "đ": "VND",
    "k": "PGK",
    "q": "GTQ",
    "l": "HNL",
    "dh": "AED MAD",
    "dhs": "AED MAD",
    "sr": "SAR",
    "qr": "QAR",
    "kd": "KWD",
    "bd": "BHD",
    "jd": "JOD",
    "ksh": "KES",
    "din": "RSD",
    "дин": "RSD",
    "km": "BAM",
    "fcfa": "XAF XOF",
    "cfa": "XAF XOF",
}
"""Signs of shops beside those of CLDR, and their currencies."""
_MEASURES = frozenset(("bd", "dh", "din", "ft", "jd", "k", "kc", "kd", "km", "l", "q", "qr", "r", "sr"))
"""Signs that mean something else where their currency is not in use: `0.5 l`."""


def decimals_of(currency: str) -> int:
    """Returns the number of decimals with which shops write amounts of a currency."""
    return 0 if currency in _WHOLE_IN_SHOPS else get_currency_precision(currency)


def is_indivisible(currency: str) -> bool:
    """Returns whether the currency has no smaller unit, so that its amounts cannot have decimals."""
    return currency in _INDIVISIBLE


def places_of(amount: Decimal, currency: str) -> int:
    """Returns the number of decimals with which an amount is shown: those of its currency, or more if it has them.
    Never three beside a currency's own, as those could be thousands."""
    usual, own = decimals_of(currency), -int(amount.normalize().as_tuple().exponent)
    return usual if own <= usual else max(2, usual) if own <= max(2, usual) else 4


def folded(sign: str) -> str:
    """Folds a sign, so that all its spellings are equal."""
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", sign)).casefold()
    return " ".join(text.split()).rstrip(".")


def is_sign_of(sign: str, currency: str, locales: Iterable[str]) -> bool:
    """Returns whether the text is a symbol, the code or a name of the currency, in these languages or in English."""
    own = folded(sign)
    known = {currency.casefold()}.union(*(_own_signs(currency, locale) for locale in (*locales, "en")))
    known |= {written for written, codes in _WRITTEN.items() if currency in codes.split()}
    # `CAD $`
    return own in known or all(folded(part) in known for part in own.split())


def is_sign(sign: str, locales: Iterable[str]) -> bool:
    """Returns whether the text is a symbol, a code or a name of any currency."""
    own = folded(sign)
    if sign.strip() in in_use() or (own in _WRITTEN and own not in _MEASURES):
        return True
    if len(own) == 1 and unicodedata.category(own) == "Sc":
        return True
    return any(own in _signs(locale) for locale in (*locales, "en"))


@lru_cache(maxsize=1)
def in_use() -> frozenset[str]:
    """Returns the codes of the currencies that are legal tender somewhere today."""
    told = get_global("territory_currencies").values()
    return frozenset(code for there in told for code, _, until, tender in there if until is None and tender)


@lru_cache(maxsize=256)
def _own_signs(currency: str, tag: str) -> frozenset[str]:
    """Returns the symbol and the names of a currency in a language, and the first and last word of each: `dollars`."""
    locale = cldr_locale(tag)
    names = {folded(str(get_currency_name(currency, count, locale))) for count in (*_COUNTS, None)}
    words = {word for name in names for part in (re.split(r"[\s-]", name),) for word in (part[0], part[-1])}
    symbol = folded(get_currency_symbol(currency, locale))
    return frozenset({symbol, *names, *(word for word in words if len(word) >= 3)})


@lru_cache(maxsize=16)
def _signs(tag: str) -> frozenset[str]:
    """Returns the symbols and the names of all currencies in a language."""
    locale = cldr_locale(tag)
    codes = in_use()
    symbols = {folded(get_currency_symbol(code, locale)) for code in codes} - {code.casefold() for code in codes}
    names = {folded(str(get_currency_name(code, count, locale))) for code in codes for count in _COUNTS}
    return frozenset(symbols - _MEASURES | names)
