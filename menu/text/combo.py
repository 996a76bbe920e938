"""Texts of a combo: its parts, its saving, and its energy; may import babel, for its CLDR data."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from babel.lists import format_list
from babel.numbers import get_currency_precision
from msgspec.structs import replace

from menu.documents.manifest import WITHOUT_AMOUNT, Item, Part, PriceKind
from menu.text.languages import Speech, in_language
from menu.text.price import price_text
from menu.text.wording import cldr_locale, native_digits, saved_words

_AND = "\N{NO-BREAK SPACE}+ "
_TIMES = "\N{NO-BREAK SPACE}\N{MULTIPLICATION SIGN}\N{NO-BREAK SPACE}"
_ISOLATE, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def parts_text(combo: Item, speech: Speech, language: str) -> str:
    """Formats the parts of a combo as a guest reads them: `Cheeseburger + Fries + Cola or Lemonade`. Choices that are
    sold out are left out unless all of a part are; empty where not all parts are known."""
    cldr, texts = cldr_locale(language), []
    for part in combo.parts:
        fillings = _fillings(part, speech.catalogue.items)
        if not fillings:
            return ""
        there = [one for one in fillings if not one[0].is_sold_out] or fillings
        names = list(dict.fromkeys(_name(*one, speech, language) for one in there))
        name = in_language(part.name or "", language, speech.words) or format_list(names, style="or", locale=cldr)
        if part.quantity > 1:
            name = f"{native_digits(str(part.quantity), cldr)}{_TIMES}{name}"
        # A name in another script keeps its place among the parts.
        texts.append(f"{_ISOLATE}{name}{_END}" if cldr.text_direction == "rtl" else name)
    return _AND.join(texts)


def saved_text(combo: Item, speech: Speech) -> str:
    """Returns the amount by which a combo costs less than the cheapest choice of each of its parts; empty where that is
    nothing, or where it is unknown, as with sizes of its own."""
    location = speech.location
    if not combo.parts or combo.variants or combo.price_kind is not PriceKind.EXACT or combo.price_unit is not None:
        return ""
    total = Decimal(0)
    for part in combo.parts:
        prices = [_price(item) for item, _ in _fillings(part, speech.catalogue.items)]
        known = [price for price in prices if price is not None]
        if not known or len(known) < len(prices):
            return ""
        total += part.quantity * min(known)
    saved = total - combo.price
    if saved < Decimal(1).scaleb(-get_currency_precision(location.currency)):
        return ""
    amount = price_text(saved, currency=location.currency, locale=location.locale, style=speech.prices.in_text).text
    return saved_words(speech.languages[0]).format(amount=amount).replace(" ", "\N{NO-BREAK SPACE}")


def energy_of(item: Item, items: Mapping[str, Item]) -> tuple[int, int | None] | None:
    """Returns the energy of an item, and the end of its range; for a combo without its own, the sum of its parts, from
    the least to the greatest choices. None where it is unknown."""
    if item.energy is not None:
        return item.energy, item.energy_to
    if not item.parts or item.variants:
        return None
    least = most = 0
    for part in item.parts:
        energies = [energy for item, _ in _fillings(part, items) for energy in _energies(item)]
        known = [energy for energy in energies if energy is not None]
        if not known or len(known) < len(energies):
            return None
        least, most = least + part.quantity * min(known), most + part.quantity * max(known)
    return least, most if most > least else None


def _fillings(part: Part, items: Mapping[str, Item]) -> list[tuple[Item, str]]:
    """Returns the choices that fill the part: each item, reduced to the variant that the choice names, and the name of
    that; none where a choice is unknown."""
    found: list[tuple[Item, str]] = []
    for choice in part.choices:
        item = items.get(choice.item_id)
        if item is not None and choice.variant is not None:
            variants = tuple(one for one in item.variants if one.name == choice.variant)
            item = replace(item, variants=variants) if variants else None
        if item is None:
            return []
        found.append((item, choice.variant or ""))
    return found


def _name(item: Item, variant: str, speech: Speech, language: str) -> str:
    name = speech.item(item, language).name
    return f"{name}\N{NO-BREAK SPACE}{in_language(variant, language, speech.words)}" if variant else name


def _price(item: Item) -> Decimal | None:
    """Returns the least price; None where there is no amount for the item."""
    if item.price_kind in WITHOUT_AMOUNT or item.price_unit is not None:
        return None
    return min((one.price for one in item.variants), default=item.price)


def _energies(item: Item) -> tuple[int | None, ...]:
    return tuple(one.energy for one in item.variants) or (item.energy, item.energy_to or item.energy)
