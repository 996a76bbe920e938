"""Reads amounts of money as people, tills and we ourselves write them. An amount is never guessed.

The currency decides first, then the language; in a table, the separator of its columns has to agree with it. A single
separator before three digits is all that can be doubtful:

| written | read |
|---|---|
| `1.250,00`, `1,250.00`, `1'250.50`, `1 250`, `1.250.000`, `12,5` | there is one way to read it |
| `12.900`, `1,250` in a currency without decimals | thousands |
| `1.250` in one of three decimals, where a language or the table has this decimal separator | 1.25 |
| `1,250` where each language and the table has it as decimal separator, or each between thousands | so |
| the same with tabs between the columns, or `1.250` with semicolons | refused: both readings are named |

A currency may stand before or after it; another one than that of the menu is refused.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from babel import Locale
from babel.numbers import get_decimal_symbol, get_group_symbol

from menu.documents.manifest import NO_CURRENCY
from menu.text.wording import cldr_locale
from service.core.currencies import decimals_of, is_indivisible, is_sign, is_sign_of

MAX_AMOUNT_LENGTH = 60
"""Characters of an amount with its currency."""
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RAISED_DECIMALS = re.compile(r"(?<=[.,٫])[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_MARKS_OF_DIRECTION = re.compile(r"[\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_APOSTROPHES = str.maketrans("’‘ʼ′´`،", "'''''',")
_DASHES = str.maketrans("−‐‑‒–—―", "-------")
_AMOUNT = re.compile(
    r"(?P<first>[+-]?)\s*(?P<before>(?:[^0-9+-]|(?<=[^\s\d+-])-(?=[^\W\d_]))*?)\s*(?P<second>[+-]?)\s*"
    # A separator after a letter is that of a short form: `Fr.24`.
    r"(?P<digits>(?:(?<![^\W_])[.,٫])?[0-9](?:[0-9.,٫٬' ]*[0-9])?)"
    r"(?P<no_cents>\s?[:.,]\s?-{0,2}|/-)?\s*(?P<after>[^0-9]*)"
)
_WESTERN = r"[1-9][0-9]{0,2}(?:MARK[0-9]{3})+"
_INDIAN = r"[1-9][0-9]?(?:MARK[0-9]{2})+MARK[0-9]{3}"


@dataclass(frozen=True, slots=True)
class Notation:
    """Notation of amounts and allergens in a shop."""

    currency: str = ""
    """Empty where it is not known."""
    locales: tuple[str, ...] = ()
    """The languages of the person and of the place, as far as they are known."""
    delimiter: str = ""
    """The separator of the columns, in a table."""
    legend: tuple[tuple[str, str], ...] = ()
    """The codes of allergens of the shop, each with its allergen."""

    @property
    def language(self) -> str:
        """Language of the place; empty if unknown."""
        return self.locales[-1].partition("-")[0] if self.locales else ""

    @property
    def has_currency(self) -> bool:
        return self.currency not in ("", NO_CURRENCY)


UNKNOWN = Notation()
"""The notation of a text of which nothing is known."""


class AmountError(Exception):
    """Raised for a text that is no amount, or ambiguous. `readings` are the possible amounts. The message is for the
    operator."""

    def __init__(self, code: str, detail: str, readings: Sequence[Decimal] = ()) -> None:
        super().__init__(detail)
        self.code = code
        self.readings = tuple(readings)


def notation_of(currency: str, locale: str, *, language: str = "") -> Notation:
    """Returns the notation at a place for a writer of this language. The place's language counts alone where it is the
    same, since Spanish in Mexico has its decimals after a point; three decimals are written in either way."""
    is_same = cldr_locale(locale).language == cldr_locale(language or locale).language
    if not language or (is_same and decimals_of(currency) != 3):
        return Notation(currency, (locale,))
    return Notation(currency, (language, locale))


def read_amount(text: str, notation: Notation) -> Decimal:
    """Parses the amount in a text, with its currency or without. Raises AmountError."""
    found = None if len(text) > MAX_AMOUNT_LENGTH else _AMOUNT.fullmatch(_plain(text))
    if found is None or (found["first"] and found["second"]):
        raise _no_amount()
    for sign in (found["before"].strip(), found["after"].strip()):
        _check_sign(sign, notation)
    minus = "-" in (found["first"], found["second"])
    try:
        amount = _number(found["digits"], notation)
    except AmountError as error:
        raise AmountError(error.code, str(error), [-one if minus else one for one in error.readings]) from None
    if is_indivisible(notation.currency) and amount != amount.to_integral_value():
        raise AmountError("no_decimals", f"{notation.currency} has no decimals: {amount} is no amount in it.")
    return -amount if minus else amount


def _plain(text: str) -> str:
    """Normalises digits, spaces, apostrophes and dashes to ASCII, and strips marks of direction."""
    text = _RAISED_DECIMALS.sub(lambda found: found[0].translate(_RAISED), _MARKS_OF_DIRECTION.sub("", text))
    if re.search("[⁰¹²³⁴⁵⁶⁷⁸⁹]", text):
        # That of a footnote is no part of the amount.
        raise _no_amount()
    text = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).translate(_DASHES)
    return "".join(str(unicodedata.decimal(one, one)) for one in text).strip()


def _check_sign(sign: str, notation: Notation) -> None:
    """Raises AmountError for a text that is no sign of the currency."""
    if not sign:
        return
    if notation.has_currency:
        if is_sign_of(sign, notation.currency, notation.locales):
            return
        if is_sign(sign, notation.locales):
            raise AmountError(
                "other_currency", f"{sign} is another currency than that of the menu, {notation.currency}."
            )
    elif is_sign(sign, notation.locales):
        return
    raise _no_amount()


def _number(digits: str, notation: Notation) -> Decimal:
    """Parses the number without sign and currency. Raises AmountError."""
    if re.match("0[0-9]", digits):
        # `03.04.` is a day, and `00042` a code.
        raise _no_amount()
    marks = re.findall("[^0-9]", digits)
    if not marks:
        return Decimal(digits)
    group, decimal = marks[0], marks[-1]
    whole, _, rest = digits.rpartition(decimal)
    if group != decimal:
        if len(set(marks)) > 2 or marks.count(decimal) > 1 or decimal not in ".,٫" or not _is_grouped(whole, group):
            raise _no_amount()
        return Decimal(f"{whole.replace(group, '')}.{rest}")
    as_thousands = Decimal(digits.replace(group, "")) if _is_grouped(digits, group) else None
    as_decimals = Decimal(f"{whole or 0}.{rest or 0}") if len(marks) == 1 and decimal in ".,٫" else None
    if as_thousands is not None and as_decimals is not None and decimal != "٫":
        return _settled(digits, decimal, as_thousands, as_decimals, notation)
    amount = as_decimals if as_decimals is not None else as_thousands
    if amount is None:
        raise _no_amount()
    return amount


def _is_grouped(digits: str, mark: str) -> bool:
    """Returns whether the digits are grouped by thousands, or as in India."""
    escaped = re.escape(mark)
    return mark != "٫" and any(re.fullmatch(form.replace("MARK", escaped), digits) for form in (_WESTERN, _INDIAN))


def _settled(digits: str, mark: str, as_thousands: Decimal, as_decimals: Decimal, notation: Notation) -> Decimal:
    """Returns one of both readings. Raises AmountError if they are ambiguous."""
    spoken = [_role(mark, locale) for locale in notation.locales]
    if notation.has_currency and decimals_of(notation.currency) == 0:
        return as_thousands
    if notation.has_currency and decimals_of(notation.currency) == 3:  # They may be thousands or decimals.
        votes = spoken or ["decimal" if mark == "." else "unsure"]
        if "decimal" in votes or (notation.delimiter == "," and mark == "."):
            return as_decimals
    match notation.delimiter:
        case ",":
            spoken.append("decimal" if mark == "." else "thousands")
        case ";":
            spoken += ["decimal" if mark == "," else "unsure"] if spoken else ["unsure"]
        case "\t":
            spoken.append("unsure")
        case _:
            pass
    if set(spoken) == {"thousands"}:
        return as_thousands
    if set(spoken) == {"decimal"}:
        return as_decimals
    first, second = written_surely(as_thousands), written_surely(as_decimals)
    detail = f"{digits} may be {first} or {second}. Write {first}, or {second}."
    raise AmountError("ambiguous_number", detail, (as_thousands, as_decimals))


def written_surely(amount: Decimal) -> str:
    """Formats an amount with only one possible reading: never with three decimals, which could be thousands."""
    places = -int(amount.normalize().as_tuple().exponent)
    return f"{amount:.{0 if places <= 0 else 2 if places <= 2 else 4}f}"


@lru_cache(maxsize=1024)
def _role(mark: str, locale: str) -> str:
    """Returns the role of a separator in a language."""
    cldr = cldr_locale(locale)
    for system in ("default", "latn"):
        if mark == _plain(get_decimal_symbol(cldr, numbering_system=system)):
            return "decimal"
        grouping = (get_group_symbol(cldr, numbering_system=system), _group_of_money(cldr))
        if mark in map(_plain, filter(None, grouping)):
            return "thousands"
    return "unsure"


def _group_of_money(cldr: Locale) -> str | None:
    """Returns the separator of thousands in amounts, if it differs from that of numbers, as in Austria."""
    found = cldr.number_symbols.get("latn", {}).get("currencyGroup")
    return None if found is None else str(found)


def _no_amount() -> AmountError:
    return AmountError("not_a_number", "This must be an amount such as 3.40.")
