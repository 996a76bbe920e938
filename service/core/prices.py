"""Prices: bounded decimals with up to four places (docs/adr/0010); imports no other part of the service."""

from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

PRICE_DECIMALS = 4
PRICE_LIMIT = Decimal(99_999_999)

_UNIT = Decimal(1).scaleb(-PRICE_DECIMALS)


def price_units(price: Decimal) -> int:
    """Converts a price to ten-thousandths. Raises ValueError if it has more decimal places."""
    scaled = price.scaleb(PRICE_DECIMALS)
    if scaled != scaled.to_integral_value():
        raise ValueError(f"{price} has more than {PRICE_DECIMALS} decimal places")
    return int(scaled)


# The same prices come again in every list and manifest.
@lru_cache(4096)
def price_of(units: int) -> Decimal:
    """Converts ten-thousandths to a price, without exponent or trailing zeros."""
    whole, rest = divmod(units, 10**PRICE_DECIMALS)
    return (units * _UNIT).normalize() if rest else Decimal(whole)


def adjusted(price: Decimal, *, percent: Decimal = Decimal(0), amount: Decimal = Decimal(0), step: Decimal) -> Decimal:
    """Changes the price by a percentage and an amount, rounded to the next multiple of a step, half of it upwards."""
    changed = price * (100 + percent) / 100 + amount
    return (changed / step).quantize(Decimal(1), rounding=ROUND_HALF_UP) * step


def is_leap(before: Decimal | None, after: Decimal | None) -> bool:
    """Returns whether a price changes by so much that the user is asked; False if either is None."""
    if not before or not after:
        return False
    small, large = sorted((abs(before), abs(after)))
    return large >= small * 100  # A comma for a point, or two digits too many.
