"""Reads the lines of a menu: items that end with their price, the categories above them, and their descriptions.

| line | read as |
|---|---|
| `Flat white ..... 3.40 €`, `Fondue CHF 24.50`, `Soup 8,-` | an item; a currency stands before or after its price |
| `Steak from 18.50`, `Lobster Tagespreis` | an item whose price is the least one, or that of the market |
| a price alone, below a line without one | the price of that line |
| a line without a price, indented or directly below an item | the description of the item |
| a line without a price above items; with `#`, a colon or capitals also below one | their category |

Any other line is an error that shows its text: none is left out without a word.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from menu.text.wording import cldr_locale
from service.core.amounts import Notation
from service.core.currencies import is_sign, is_sign_of
from service.services.imports.grid import Grid, GridRow
from service.services.pos.feed import MAX_ROW_TEXT, FeedError, FeedRowError

FIELDS = ("name", "price", "priceKind", "description", "category")
NO_PRICE = "no_price"
"""The code of a line without a price that is nothing else."""
LONGEST_PRICE = 60
"""Characters at the end of a line in which a price is looked for."""
FROM_WORDS = {
    "ar": ("من", "ابتداء من"),
    "cs": ("od",),
    "da": ("fra",),
    "de": ("ab",),
    "en": ("from", "starting at"),
    "es": ("desde", "a partir de"),
    "fr": ("dès", "des", "à partir de"),
    "hr": ("od",),
    "hu": ("min.",),
    "it": ("da", "a partire da"),
    "nb": ("fra",),
    "nl": ("vanaf",),
    "pl": ("od",),
    "pt": ("desde", "a partir de"),
    "ro": ("de la",),
    "ru": ("от",),
    "sk": ("od",),
    "sv": ("från",),
    "uk": ("від",),
}
"""Words before a price that is the least one, by language."""
MARKET_WORDS = (
    *("market price", "mkt price", "mp", "tagespreis", "marktpreis", "prix du jour", "prix du marché", "s/m"),
    *("precio de mercado", "precio del día", "s.m.", "سعر السوق", "prezzo di mercato", "prezzo del giorno"),
    *("dagprijs", "dagspris", "päivän hinta", "preço de mercado", "preço do dia", "cena dnia", "denní cena", "時価"),
)
"""Words instead of a price that changes with the market."""
MAX_LINES = 20_000
"""Lines with something in them: twice as many as a menu has items."""
MAX_PRICED_LINE = 300
"""Characters of a line that ends with a price: a name has fewer."""
_BULLETS = "#*•–- \t\u00a0"
_LEADERS = " \t\u00a0.…·_–—:-"
_LEADER = re.compile(rf"[{re.escape(_LEADERS)}]\Z")
_SPACES = "\u00a0\u202f\u2009"
_AMOUNT = re.compile(
    r"(?P<amount>[+-]?(?:(?<![^\s$€£])[.,])?"
    rf"(?:[0-9]{{1,3}}(?:[{_SPACES}'’][0-9]{{3}})+(?:[.,][0-9]+)?|[0-9]+(?:[.,٫٬'’][0-9]+)*)"
    r"(?:\s?[.,:]\s?[-–—]{1,2}|/[-–—]|[.,](?!\S))?)(?P<after>[^0-9]{0,50})\Z"
)
_BEFORE = tuple(
    re.compile(rf"(?:\A|(?<=[\s.…·_–—:]))(?P<sign>{words})(?P<gap>\s{{0,3}})\Z")
    # `F CFA` is one sign of two words.
    for words in (r"[^\s0-9]{1,30}\s[^\s0-9]{1,30}", r"[^\s0-9]{1,30}")
)
_GROUPED_BY_SPACE = re.compile(r"(?:\A|\s)[1-9][0-9]{0,2}\s\Z")
_ENDS_WITH_PRICE = re.compile(r"[0-9][.,][0-9]{1,2}\s*(?P<sign>[^\s0-9/|,+-]{0,4})\s*[/|,+-]?\Z")


@dataclass(slots=True)
class _Item:
    line: int
    text: str
    name: str
    price: str
    kind: str
    category: str
    description: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Priced:
    """A line that ends with a price: the text before it, the price with its currency, and its kind."""

    name: str
    price: str
    kind: str


class _TwoPricesError(Exception): ...


def menu_lines(text: str, notation: Notation) -> Grid:
    """Parses the items of the lines; lines that are none become errors. Raises FeedError for too many lines."""
    reader = _Reader(notation)
    for number, line in enumerate(text.split("\n"), start=1):
        reader.take(number, line)
    reader.finish()
    rows = [
        GridRow(one.line, (one.name, one.price, one.kind, " ".join(one.description), one.category), one.text)
        for one in reader.items
    ]
    return Grid(FIELDS, rows, errors=sorted(reader.errors, key=lambda one: one.row))


class _Reader:
    def __init__(self, notation: Notation) -> None:
        self.items: list[_Item] = []
        self.errors: list[FeedRowError] = []
        self._notation = notation
        self._lines = 0
        self._category = ""
        self._waiting: tuple[int, str] | None = None
        """A line without a price, which is the category of the items below, or the name for a price below."""
        self._indent = 0
        self._is_below_item = False

    def take(self, number: int, line: str) -> None:
        """Takes the next line. Raises FeedError for too many."""
        told = line.strip().lstrip(_BULLETS).strip()
        if not told:
            # A blank line, or one of dashes.
            self._is_below_item = False
            return
        self._lines += 1
        if self._lines > MAX_LINES:
            raise FeedError("too_many_rows", f"A menu has at most {MAX_LINES} lines.")
        indent = len(line) - len(line.lstrip())
        try:
            priced = _priced(told, self._notation)
        except _TwoPricesError:
            detail = "This price may begin at the last number or the one before: write it without a space."
            self._refuse(number, told, "price", "spaced_number", detail)
            return
        if priced is None:
            self._take_text(number, line, told, indent)
        elif not any(map(str.isalnum, priced.name)):
            self._take_price(number, told, priced)
        elif self._ends_with_price(priced.name):
            detail = "This line has two prices: write one item a line, or a table with variants."
            self._refuse(number, told, "price", "two_prices", detail)
            self._is_below_item = False
        else:
            self._begin_category()
            self._add(number, told, priced.name, priced, indent)

    def finish(self) -> None:
        """Ends the reading: a line still without a price or item is refused."""
        if self._waiting is not None:
            self._refuse(*self._waiting, "price", NO_PRICE, "This line has no price, and no item is below it.")
            self._waiting = None

    def _ends_with_price(self, name: str) -> bool:
        found = _ENDS_WITH_PRICE.search(_plain(name)[-LONGEST_PRICE:])
        return found is not None and (not found["sign"] or _is_currency(found["sign"], self._notation, name))

    def _take_text(self, number: int, line: str, told: str, indent: int) -> None:
        is_heading = line.lstrip().startswith("#") or told.endswith(":") or _is_capitals(told)
        is_indented = bool(self.items) and indent > self._indent and self._waiting is None
        if not is_heading and self.items and (self._is_below_item or is_indented):
            self.items[-1].description.append(told)
            return
        self.finish()
        self._waiting = number, told
        self._is_below_item = False

    def _take_price(self, number: int, told: str, priced: _Priced) -> None:
        if self._waiting is None:
            self._refuse(number, told, "name", "no_name", "This line has a price without a name.")
            return
        line, name = self._waiting
        self._waiting = None
        self._add(line, f"{name} {told}", name, priced, self._indent)

    def _begin_category(self) -> None:
        if self._waiting is not None:
            self._category = self._waiting[1].rstrip(": ")
            self._waiting = None

    def _add(self, number: int, told: str, name: str, priced: _Priced, indent: int) -> None:
        self.items.append(_Item(number, told, " ".join(name.split()), priced.price, priced.kind, self._category))
        self._indent, self._is_below_item = indent, True

    def _refuse(self, number: int, told: str, name: str, code: str, detail: str) -> None:
        text = told if len(told) <= MAX_ROW_TEXT else f"{told[:MAX_ROW_TEXT]}…"
        self.errors.append(FeedRowError(number, None, name, code, detail, text=text))


def unusual_price(told: str, notation: Notation) -> tuple[str, str] | None:
    """Parses a price that is more than an amount; returns it with its kind: `from 4.50`, `market price`; None for
    another."""
    try:
        found = _priced(told, notation)
    except _TwoPricesError:
        return None
    return None if found is None or not found.kind or found.name else (found.price, found.kind)


def _priced(told: str, notation: Notation) -> _Priced | None:
    """Parses the price at the end of the line; None without one. Raises _TwoPricesError."""
    if len(told) > MAX_PRICED_LINE:
        return None
    folded = told.casefold()
    for words in MARKET_WORDS:
        before = told[: len(told) - len(words)]
        if folded.endswith(words) and (not before or _LEADER.search(before)):
            return _Priced(before.rstrip(_LEADERS), "", "market")
    start = max(0, len(told) - LONGEST_PRICE)
    found = _AMOUNT.search(_plain(told), start)
    if found is None:
        return None
    after = found["after"].strip()
    kind = "from" if after == "+" else ""
    after = "" if after == "+" else after
    if after and not _is_currency(after, notation, told):
        return None
    begin = _begin_of_price(told[: found.start()], notation)
    if begin is None:
        return None
    grouped = _GROUPED_BY_SPACE.search(_plain(told[:begin])) if _has_spaces(notation) else None
    if grouped is not None and re.match("[0-9]{3}(?![0-9])", found["amount"]):
        # `1 250` in a language that groups by spaces may be an amount, or a name that ends with a number.
        raise _TwoPricesError
    name = told[:begin].rstrip(_LEADERS)
    if (least := _from_words(name, notation)) is not None:
        name, kind = name[: len(name) - len(least)].rstrip(_LEADERS), "from"
    return _Priced(name, told[begin : found.end("amount")] + (f" {after}" if after else ""), kind)


def _begin_of_price(before: str, notation: Notation) -> int | None:
    """Finds the start of the price, with a currency before its amount; None if the amount is part of a word."""
    for sign in filter(None, (form.search(before) for form in _BEFORE)):
        told = sign["sign"].lstrip(_LEADERS)
        if _is_currency(told, notation, before):
            return len(before) - len(told) - len(sign["gap"])
    if before and unicodedata.category(before[-1]) == "Sc":
        # `Koffie€3.40`
        return len(before) - 1
    return len(before) if not before or _LEADER.search(before) else None


def _is_currency(sign: str, notation: Notation, line: str) -> bool:
    """Returns whether this is a currency. In a line of capitals only the menu's own is: `SOUP CUP 3.50`."""
    if not sign:
        return False
    if notation.has_currency and is_sign_of(sign, notation.currency, notation.locales):
        return True
    is_word = sign.isascii() and sign.isalpha()
    return is_sign(sign, notation.locales) and not (is_word and _is_capitals(line.removesuffix(sign)))


def _from_words(name: str, notation: Notation) -> str | None:
    """Returns the words before a least price with which the text ends."""
    folded = name.casefold()
    languages = {"en", *(cldr_locale(one).language for one in notation.locales)} if notation.locales else FROM_WORDS
    known = (words for language in languages for words in FROM_WORDS.get(language, ()))
    found = (one for one in known if folded.endswith(one))
    parts = (one for one in found if folded == one or _LEADER.search(folded[: len(folded) - len(one)]))
    return max(parts, key=len, default=None)


def _is_capitals(told: str) -> bool:
    letters = [one for one in told if unicodedata.category(one) in ("Lu", "Ll")]
    return len(letters) > 1 and all(map(str.isupper, letters))


def _has_spaces(notation: Notation) -> bool:
    """Returns whether a language groups thousands by spaces."""
    return any(
        cldr_locale(one).number_symbols.get("latn", {}).get("group") in tuple(_SPACES) for one in notation.locales
    )


def _plain(text: str) -> str:
    """Replaces digits with ASCII digits, each in its place."""
    return "".join(_plain_digits(text))


def _plain_digits(text: str) -> Iterator[str]:
    for one in text:
        yield str(unicodedata.decimal(one, one))
