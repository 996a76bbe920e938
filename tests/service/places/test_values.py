"""What an item has at a place and an instant, and where each value is from: a table of cases.

The local view of the API and the item that boards are sent are worked out of the same rows."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from service.services.content.items import blank_item
from service.services.content.place import Place
from service.services.places.local_items import blank, is_hidden, item_at
from service.services.places.local_views import local_view
from service.services.publishing.menu_items import item_document
from service.storage.tables.menus import ItemRow, LocalItemRow

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
BEFORE, SOON = NOW - timedelta(hours=1), NOW + timedelta(hours=1)
SOON_TEXT = "2026-11-20T13:00:00.000Z"
SMALL = {"id": "s", "name": "Small", "units": 30_000, "energy": None, "eightySixed": False}
OFFERED = {**SMALL, "regular": 40_000, "offerEndsAt": SOON_TEXT}
HERE, FIRST, LAST = "location", "grp_first", "grp_last"
"""A location, and its groups by precedence."""

Values = Mapping[str, Any]
NOTHING: Values = MappingProxyType({})


def d(amount: str) -> Decimal:
    return Decimal(amount)


def item(values: Values) -> ItemRow:
    row = blank_item("wsp", "itm", BEFORE)
    row.price = d("3.4")
    row.modifiers = [{"name": "Oat milk", "units": 5_000}]
    for name, value in values.items():
        setattr(row, name, value)
    return row


def at(place: str, values: Values) -> LocalItemRow:
    row = blank("itm", Place(location="loc") if place == HERE else Place(group=place), now=BEFORE)
    for name, value in values.items():
        setattr(row, name, value)
    return row


class Case(NamedTuple):
    """The item, and its values by place; the local view of the API, its sources, and what boards are sent."""

    item: Values = NOTHING
    local: Sequence[tuple[str, Values]] = ()
    view: Values = NOTHING
    sources: Values = NOTHING
    sent: Values = NOTHING


def small(price: str, regular: str | None = None, /, *, sold_out: bool = False, **sources: str) -> dict[str, Any]:
    """The variant in the local view."""
    wider = dict.fromkeys(("price", "regularPrice", "eightySixed"), "workspace")
    amounts = {"price": d(price), "regularPrice": None if regular is None else d(regular)}
    return {"id": "s", "name": "Small", **amounts, "eightySixed": sold_out, "sources": wider | sources}


SOLD_OUT = {"eighty_sixed": True}
OFFER = {"price": d("2"), "regular_price": d("3.4"), "offer_ends_at": SOON}
SENT = {"id": "s", "name": "Small", "price": d("5"), "energy": None, "eightySixed": False}
CASES = {
    "plain": Case(
        view={"price": d("3.4"), "regularPrice": None, "eightySixed": False, "hidden": False},
        sources=dict.fromkeys(("price", "regularPrice", "eightySixed", "eightySixedUntil", "hidden"), "workspace"),
        sent={"price": d("3.4"), "eightySixed": False},
    ),
    "a location before its groups": Case(
        local=[(HERE, {"price": d("4.5")}), (FIRST, {"price": d("3.2")})],
        view={"price": d("4.5")},
        sources={"price": HERE, "hidden": "workspace"},
        sent={"price": d("4.5")},
    ),
    "a group before the next": Case(
        local=[(FIRST, {"price": d("3.3")}), (LAST, {"price": d("3.2")})],
        view={"price": d("3.3")},
        sources={"price": FIRST, "regularPrice": FIRST},
        sent={"price": d("3.3")},
    ),
    "field by field": Case(
        local=[
            (HERE, SOLD_OUT),
            (FIRST, {"price": d("3.3")}),
            (LAST, {"hidden": True, "modifiers": {"Oat milk": 10_000}}),
        ],
        view={
            "price": d("3.3"),
            "eightySixed": True,
            "hidden": True,
            "modifiers": [{"name": "Oat milk", "priceDelta": d("1"), "source": LAST}],
        },
        sources={"price": FIRST, "eightySixed": HERE, "hidden": LAST},
        sent={"price": d("3.3"), "eightySixed": True},
    ),
    "shown again at the location": Case(
        local=[(HERE, {"hidden": False}), (FIRST, {"hidden": True})],
        view={"hidden": False},
        sources={"hidden": HERE},
    ),
    "to be had still": Case(
        SOLD_OUT,
        [(HERE, {"eighty_sixed": False})],
        view={"eightySixed": False, "eightySixedUntil": None},
        sources={"eightySixed": HERE, "eightySixedUntil": HERE},
        sent={"eightySixed": False},
    ),
    "an 86 until later": Case(
        local=[(HERE, {**SOLD_OUT, "eighty_sixed_until": SOON})],
        view={"eightySixed": True, "eightySixedUntil": SOON_TEXT},
        sources={"eightySixed": HERE, "eightySixedUntil": HERE},
        sent={"eightySixed": True, "eightySixedUntil": SOON_TEXT},
    ),
    "an 86 of the item until now": Case(
        {**SOLD_OUT, "eighty_sixed_until": NOW},
        view={"eightySixed": False, "eightySixedUntil": None},
        sources={"eightySixed": "workspace"},
        sent={"eightySixed": False},
    ),
    "an 86 of the place until now": Case(
        local=[(HERE, {**SOLD_OUT, "eighty_sixed_until": NOW}), (FIRST, {**SOLD_OUT, "eighty_sixed_until": SOON})],
        view={"eightySixed": True, "eightySixedUntil": SOON_TEXT},
        sources={"eightySixed": FIRST, "eightySixedUntil": FIRST},
        sent={"eightySixed": True, "eightySixedUntil": SOON_TEXT},
    ),
    "an offer": Case(
        OFFER,
        view={"price": d("2"), "regularPrice": d("3.4"), "offerStartsAt": None, "offerEndsAt": SOON_TEXT},
        sources={"price": "workspace", "regularPrice": "workspace"},
        sent={"price": d("2"), "offerPrice": d("2"), "regularPrice": d("3.4"), "offerEndsAt": SOON_TEXT},
    ),
    "an offer to come": Case(
        {**OFFER, "offer_starts_at": SOON, "offer_ends_at": None},
        view={"price": d("2"), "regularPrice": d("3.4"), "offerStartsAt": SOON_TEXT, "offerEndsAt": None},
        sent={"price": d("3.4"), "offerPrice": d("2"), "regularPrice": d("3.4"), "offerStartsAt": SOON_TEXT},
    ),
    "an offer that has begun": Case(
        {**OFFER, "offer_starts_at": NOW},
        view={"price": d("2"), "regularPrice": d("3.4"), "offerStartsAt": None, "offerEndsAt": SOON_TEXT},
        sent={"price": d("2"), "offerPrice": d("2")},
    ),
    "an offer that is over": Case(
        {**OFFER, "offer_ends_at": NOW},
        view={"price": d("3.4"), "regularPrice": None, "offerStartsAt": None, "offerEndsAt": None},
        sent={"price": d("3.4")},
    ),
    "another price within the offer": Case(
        OFFER,
        [(HERE, {"price": d("3"), "regular_price": d("4")})],
        view={"price": d("3"), "regularPrice": d("4"), "offerEndsAt": SOON_TEXT},
        sources={"price": HERE, "regularPrice": HERE},
        sent={"price": d("3"), "regularPrice": d("4"), "offerPrice": d("3"), "offerEndsAt": SOON_TEXT},
    ),
    "a price of its own strikes no wider one": Case(
        OFFER,
        [(HERE, {"price": d("5")}), (FIRST, {"regular_price": d("9")})],
        view={"price": d("5"), "regularPrice": None, "offerEndsAt": None},
        sources={"price": HERE, "regularPrice": HERE},
        sent={"price": d("5"), "offerEndsAt": None, "regularPrice": None},
    ),
    "a regular price that another has overtaken": Case(
        {"price": d("6")},
        [(HERE, {"regular_price": d("5")})],
        view={"price": d("6"), "regularPrice": None},
        sources={"price": "workspace", "regularPrice": HERE},
        sent={"price": d("6"), "regularPrice": None},
    ),
    "the market price": Case(
        {"price": d("0"), "price_kind": "market"},
        [(HERE, {"price": d("5")})],
        view={"price": None, "regularPrice": None},
        sources={"price": "workspace", "regularPrice": "workspace"},
        sent={"price": None, "priceKind": "market"},
    ),
    "a variant, field by field": Case(
        {"variants": [SMALL]},
        [(HERE, {"variants": {"s": {"eightySixed": True}}}), (FIRST, {"variants": {"s": {"units": 20_000}}})],
        view={
            # The item itself is not: it is back with its first variant.
            "eightySixed": False,
            "variants": [small("2", sold_out=True, price=FIRST, regularPrice=FIRST, eightySixed=HERE)],
        },
        sources={"price": "workspace"},
        sent={"eightySixed": True},
    ),
    "the offer of a variant within another price": Case(
        {"variants": [OFFERED]},
        [(HERE, {"variants": {"s": {"units": 50_000, "regular": 60_000}}})],
        view={"variants": [small("5", "6", price=HERE, regularPrice=HERE)]},
        sent={"variants": [SENT | {"regularPrice": d("6"), "offerPrice": d("5"), "offerEndsAt": SOON_TEXT}]},
    ),
    "a variant at another price out of the offer": Case(
        {"variants": [OFFERED]}, [(HERE, {"variants": {"s": {"units": 50_000}}})], sent={"variants": [SENT]}
    ),
    "parts that are gone": Case(
        local=[(HERE, {"variants": {"gone": {"units": 1}}, "modifiers": {"Soy milk": 1}})],
        view={"variants": [], "modifiers": [{"name": "Oat milk", "priceDelta": d("0.5"), "source": "workspace"}]},
        sent={"modifiers": [{"name": "Oat milk", "priceDelta": d("0.5")}]},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_value_at_a_place_and_an_instant(case: Case) -> None:
    row, rows = item(case.item), [at(*one) for one in case.local]
    found = local_view(row, rows, {}, now=NOW).document()
    assert {name: found[name] for name in case.view} == case.view
    assert {name: found["sources"][name] for name in case.sources} == case.sources
    assert is_hidden(rows) is found["hidden"]
    document = item_document(item_at(row, rows, now=NOW), {}, now=NOW, languages=None)
    assert {name: document.get(name) for name in case.sent} == case.sent
