"""Wording of an item's energy and of the sentence beside it, by the law and the language of the location; may import
babel, for its CLDR data."""

from __future__ import annotations

import re
from functools import lru_cache

from babel.numbers import format_decimal
from babel.units import format_unit

from menu.text.menu_words import is_spoken, menu_words
from menu.text.wording import cldr_locale, native_digits

_IN_CALORIES = frozenset({"US", "CA"})
"""Their laws say `Cal`, as large as the name or the price, and in their colour: US 21 CFR 101.11(b)(2)(i)(A). There it
also says that the calories of two choices that are not listed have a slash between them; those of more are a range."""
_IN_KILOJOULES = frozenset({"AU", "NZ"})
_NOTES = {
    "US": "2,000 calories a day is used for general nutrition advice, but calorie needs vary. "
    "Additional nutrition information available upon request.",
    "CA": "Adults and youth (ages 13 and older) need an average of 2,000 calories a day, and children (ages 4 to 12) "
    "need an average of 1,500 calories a day. However, individual needs vary.",
    "GB": "Adults need around 2000 kcal a day.",
    "AU": "The average adult daily energy intake is 8700 kJ.",
    "NZ": "The average adult daily energy intake is 8700 kJ.",
}
"""By territory, in English: 21 CFR 101.11(b)(2)(i)(B) and (C); Ontario's O. Reg. 50/16; England's SI 2021/909."""


@lru_cache(maxsize=4096)
def energy_text(least: int, most: int | None, locale: str, *, of_two: bool = False) -> str:
    """Formats an energy in kilocalories, or a range from `least` to `most`, as in that locale; one run without breaks.
    `of_two`: these are the energies of two choices, with none between them."""
    cldr = cldr_locale(locale)
    if cldr.territory in _IN_CALORIES:
        values = [value if cldr.territory != "US" else _rounded(value) for value in (least, most) if value is not None]
        numbers = [format_decimal(value, locale=cldr) for value in dict.fromkeys(values)]
        between = "/" if of_two and cldr.territory == "US" else "–"
        return native_digits(f"{between.join(numbers)}\N{NO-BREAK SPACE}Cal", cldr)
    unit = "energy-kilocalorie"
    if cldr.territory in _IN_KILOJOULES:
        unit, least, most = "energy-kilojoule", _kilojoules(least), None if most is None else _kilojoules(most)
    text = format_unit(least if most is None else most, unit, length="short", locale=cldr)
    if most is not None:
        last = format_decimal(most, locale=cldr)
        text = text.replace(last, f"{format_decimal(least, locale=cldr)}–{last}", 1)
    return native_digits(text.replace(" ", "\N{NO-BREAK SPACE}"), cldr)


def is_declared_large(locale: str) -> bool:
    """Whether energies in that locale are as large as names or prices, and in their colour."""
    return cldr_locale(locale).territory in _IN_CALORIES


def needs_text(locale: str) -> str:
    """Returns the daily need of an adult, in the words of the local law; empty where no wording is known."""
    cldr = cldr_locale(locale)
    text = _NOTES.get(cldr.territory or "", "")
    if not text and is_spoken(locale):
        # Regulation (EU) No 1169/2011, Article 32(5): elsewhere in Europe it is used without a duty.
        text = menu_words(locale).daily_need
    # A number stays on one line, with its unit.
    return re.sub(r"(?<=\d) (?=\d|k)", "\N{NO-BREAK SPACE}", text)


def _rounded(calories: int) -> int:
    """Rounds to 5 calories up to 50, and to 10 above: 21 CFR 101.11(b)(2)(i)(A)(2)."""
    step = 5 if calories <= 50 else 10
    return step * ((calories + step // 2) // step)


def _kilojoules(kilocalories: int) -> int:
    return round(kilocalories * 4.184)
