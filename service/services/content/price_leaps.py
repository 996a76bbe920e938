"""Finds the prices of an item that change by a factor of 100 or more: the desk asks for confirmation first; programs
are not asked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from service.core.prices import PRICE_LIMIT, is_leap

_PRICES = ("price", "regularPrice")
_LISTS = {"variants": _PRICES, "modifiers": ("priceDelta",)}


@dataclass(frozen=True, slots=True)
class PriceLeap:
    """A price before and after; `part` is the variant or modifier, empty for that of the item."""

    part: str
    before: Decimal
    after: Decimal


def price_leaps(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[PriceLeap]:
    """Yields the leaps from one document of an item to another, which may have its changes alone. A part is the one
    with its id, or else its name."""
    yield from _between("", before, after, _PRICES)
    for name, prices in _LISTS.items():
        known: dict[object, Mapping[str, Any]] = {}
        for part in before.get(name) or ():
            known |= {part["name"]: part, part.get("id", part["name"]): part}
        for part in after.get(name) or ():
            was = known.get(part.get("id")) or known.get(part.get("name"))
            if was is not None:
                yield from _between(was["name"], was, part, prices)


def _between(
    part: str, before: Mapping[str, Any], after: Mapping[str, Any], prices: tuple[str, ...]
) -> Iterator[PriceLeap]:
    for name in prices:
        old, new = (_amount(one.get(name)) for one in (before, after))
        if old is not None and new is not None and is_leap(old, new):
            yield PriceLeap(part, old, new)


def _amount(value: object) -> Decimal | None:
    """Returns an amount within the bounds of prices: another one is refused, not asked about."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not -PRICE_LIMIT <= value <= PRICE_LIMIT:
        return None
    return Decimal(value)
