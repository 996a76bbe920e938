"""Offers: prices for a time, of items and of their variants."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from service.core.clock import instant_text
from service.core.errors import Fault
from service.core.prices import price_of, price_units
from service.schema.fields import instant_or_none
from service.storage.tables.menus import ItemRow

_INSTANTS = {"offer_starts_at": "offerStartsAt", "offer_ends_at": "offerEndsAt"}
"""The offer of a variant as it is stored, beside `regular` in ten-thousandths."""
_OF_OFFER = frozenset(("regular", *_INSTANTS.values()))


class Offer(NamedTuple):
    """Prices of an item or of a variant: on offer for `price`, in place of the regular one. Without an instant the
    offer has begun, or lasts."""

    price: Decimal
    regular_price: Decimal | None = None
    offer_starts_at: datetime | None = None
    offer_ends_at: datetime | None = None


Offered = ItemRow | Offer


def offer_of(part: Mapping[str, Any]) -> Offer:
    if _OF_OFFER.isdisjoint(part):
        # As most are, in every list and manifest.
        return Offer(price_of(part["units"]))
    starts, ends = (part.get(name) for name in _INSTANTS.values())
    regular = part.get("regular")
    return Offer(
        price=price_of(part["units"]),
        regular_price=None if regular is None else price_of(regular),
        offer_starts_at=None if starts is None else datetime.fromisoformat(starts),
        offer_ends_at=None if ends is None else datetime.fromisoformat(ends),
    )


def stored_offer(offer: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of an offer, by their Python names, as a variant stores them; those without a value are left
    out."""
    stored: dict[str, Any] = {}
    if (regular := offer.get("regular_price")) is not None:
        stored["regular"] = price_units(regular)
    for name, key in _INSTANTS.items():
        if (instant := offer.get(name)) is not None:
            stored[key] = instant_text(instant)
    return stored


def offer_fields(part: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the stored offer of a variant after a change. Without a regular price, its instants are removed too."""
    offer = offer_of({"units": 0, **part})
    before = {name: getattr(offer, name) for name in ("regular_price", *_INSTANTS)}
    if "regular_price" in given and given["regular_price"] is None:
        before = {}
    return stored_offer({**before, **{name: given[name] for name in ("regular_price", *_INSTANTS) if name in given}})


def without_offer(part: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in _OF_OFFER}


def on_offer(row: ItemRow) -> set[str | None]:
    """Returns the variants that are on offer, and None if the item itself is."""
    variants: set[str | None] = {part["id"] for part in row.variants if "regular" in part}
    return variants if row.regular_price is None else {None, *variants}


def next_change(variants: Iterable[Mapping[str, Any]]) -> datetime | None:
    """Returns when the first offer of the stored variants begins or ends."""
    offers = [offer_of(part) for part in variants]
    instants = [at for offer in offers for at in (offer.offer_starts_at, offer.offer_ends_at)]
    return min((at for at in instants if at is not None), default=None)


def as_of(offered: Offered, now: datetime) -> Offer:
    """Returns the prices without past instants: an offer that has begun has no start, one that has ended is over."""
    regular, starts, ends = offered.regular_price, offered.offer_starts_at, offered.offer_ends_at
    if regular is None:
        return Offer(offered.price)
    if ends is not None and ends <= now:
        return Offer(regular)
    return Offer(offered.price, regular, None if starts is None or starts <= now else starts, ends)


def shown_prices(offered: Offered, now: datetime) -> tuple[Decimal, Decimal | None, str | None, str | None]:
    """Returns the price, the regular one, and when the offer begins and ends, as the API reports them at this time."""
    if offered.regular_price is None:
        # As most are: a list does nothing else as often.
        return offered.price, None, None, None
    price, regular, starts, ends = as_of(offered, now)
    return price, regular, instant_or_none(starts), instant_or_none(ends)


def brought_up_to(part: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Returns a stored variant without past instants."""
    offer = as_of(offer_of(part), now)
    return {**without_offer(part), "units": price_units(offer.price), **stored_offer(offer._asdict())}


def charged(offered: Offered, price: Decimal) -> dict[str, Decimal | None]:
    """Returns the prices that a till changes. It knows no offers: its price is the regular one, until it is no higher
    than the offer."""
    if offered.regular_price is not None and price > offered.price:
        return {"regular_price": price}
    return {"price": price, "regular_price": None}


def price_now(offered: Offered, *, now: datetime) -> Decimal:
    """Returns the price at this time: that of the offer, or the regular one before it begins and after it ends."""
    offer = as_of(offered, now)
    return offer.price if offer.regular_price is None or offer.offer_starts_at is None else offer.regular_price


def check_offer(offered: Offered, given: Mapping[str, Any], *, now: datetime, pointer: str) -> Iterable[Fault]:
    """Finds a fault in the offer as it would be stored."""
    starts, ends = offered.offer_starts_at, offered.offer_ends_at
    if offered.regular_price is None:
        for name, value in (("offerStartsAt", starts), ("offerEndsAt", ends)):
            if value is not None:
                yield Fault("no_offer", "An offer has a `regularPrice`.", f"{pointer}/{name}")
        return
    if offered.regular_price <= offered.price:
        yield Fault("not_above", "The regular price is above the price of the offer.", f"{pointer}/regularPrice")
    if ends is not None and starts is not None and ends <= starts:
        yield Fault("ends_before_it_begins", "An offer ends after it begins.", f"{pointer}/offerEndsAt")
    elif given.get("offer_ends_at") is not None and ends is not None and ends <= now:
        yield Fault("not_in_the_future", "This instant lies in the past.", f"{pointer}/offerEndsAt")
