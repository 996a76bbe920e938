"""What an item has at a place and an instant, and where each value is from: a table of cases.

The local view of the API and the item that boards are sent are worked out of the same rows."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

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


SOLD_OUT = {"eighty_sixed": True}
OFFER = {"price": d("2"), "regular_price": d("3.4"), "offer_ends_at": SOON}
CASES: dict[str, tuple[Values, list[tuple[str, Values]], Values, Values, Values]] = {
    # The item, its values by place, the local view, its sources, and what boards are sent.
    "plain": (
        {},
        [],
        {"price": d("3.4"), "regularPrice": None, "eightySixed": False, "hidden": False},
        dict.fromkeys(("price", "regularPrice", "eightySixed", "eightySixedUntil", "hidden"), "workspace"),
        {"price": d("3.4"), "eightySixed": False},
    ),
    "a location before its groups": (
        {},
        [(HERE, {"price": d("4.5")}), (FIRST, {"price": d("3.2")})],
        {"price": d("4.5")},
        {"price": HERE, "hidden": "workspace"},
        {"price": d("4.5")},
    ),
    "a group before the next": (
        {},
        [(FIRST, {"price": d("3.3")}), (LAST, {"price": d("3.2")})],
        {"price": d("3.3")},
        {"price": FIRST, "regularPrice": FIRST},
        {"price": d("3.3")},
    ),
    "field by field": (
        {},
        [(HERE, SOLD_OUT), (FIRST, {"price": d("3.3")}), (LAST, {"hidden": True, "modifiers": {"Oat milk": 10_000}})],
        {
            "price": d("3.3"),
            "eightySixed": True,
            "hidden": True,
            "modifiers": [{"name": "Oat milk", "priceDelta": d("1"), "source": LAST}],
        },
        {"price": FIRST, "eightySixed": HERE, "hidden": LAST},
        {"price": d("3.3"), "eightySixed": True},
    ),
    "shown again at the location": (
        {},
        [(HERE, {"hidden": False}), (FIRST, {"hidden": True})],
        {"hidden": False},
        {"hidden": HERE},
        {},
    ),
    "to be had still": (
        SOLD_OUT,
        [(HERE, {"eighty_sixed": False})],
        {"eightySixed": False, "eightySixedUntil": None},
        {"eightySixed": HERE, "eightySixedUntil": HERE},
        {"eightySixed": False},
    ),
    "an 86 until later": (
        {},
        [(HERE, {**SOLD_OUT, "eighty_sixed_until": SOON})],
        {"eightySixed": True, "eightySixedUntil": SOON_TEXT},
        {"eightySixed": HERE, "eightySixedUntil": HERE},
        {"eightySixed": True, "eightySixedUntil": SOON_TEXT},
    ),
    "an 86 of the item until now": (
        {**SOLD_OUT, "eighty_sixed_until": NOW},
        [],
        {"eightySixed": False, "eightySixedUntil": None},
        {"eightySixed": "workspace"},
        {"eightySixed": False},
    ),
    "an 86 of the place until now": (
        {},
        [(HERE, {**SOLD_OUT, "eighty_sixed_until": NOW}), (FIRST, {**SOLD_OUT, "eighty_sixed_until": SOON})],
        {"eightySixed": True, "eightySixedUntil": SOON_TEXT},
        {"eightySixed": FIRST, "eightySixedUntil": FIRST},
        {"eightySixed": True, "eightySixedUntil": SOON_TEXT},
    ),
    "an offer": (
        OFFER,
        [],
        {"price": d("2"), "regularPrice": d("3.4"), "offerStartsAt": None, "offerEndsAt": SOON_TEXT},
        {"price": "workspace", "regularPrice": "workspace"},
        {"price": d("2"), "offerPrice": d("2"), "regularPrice": d("3.4"), "offerEndsAt": SOON_TEXT},
    ),
    "an offer to come": (
        {**OFFER, "offer_starts_at": SOON, "offer_ends_at": None},
        [],
        {"price": d("2"), "regularPrice": d("3.4"), "offerStartsAt": SOON_TEXT, "offerEndsAt": None},
        {},
        {"price": d("3.4"), "offerPrice": d("2"), "regularPrice": d("3.4"), "offerStartsAt": SOON_TEXT},
    ),
    "an offer that has begun": (
        {**OFFER, "offer_starts_at": NOW},
        [],
        {"price": d("2"), "regularPrice": d("3.4"), "offerStartsAt": None, "offerEndsAt": SOON_TEXT},
        {},
        {"price": d("2"), "offerPrice": d("2")},
    ),
    "an offer that is over": (
        {**OFFER, "offer_ends_at": NOW},
        [],
        {"price": d("3.4"), "regularPrice": None, "offerStartsAt": None, "offerEndsAt": None},
        {},
        {"price": d("3.4")},
    ),
    "another price within the offer": (
        OFFER,
        [(HERE, {"price": d("3"), "regular_price": d("4")})],
        {"price": d("3"), "regularPrice": d("4"), "offerEndsAt": SOON_TEXT},
        {"price": HERE, "regularPrice": HERE},
        {"price": d("3"), "regularPrice": d("4"), "offerPrice": d("3"), "offerEndsAt": SOON_TEXT},
    ),
    "a price of its own strikes no wider one": (
        OFFER,
        [(HERE, {"price": d("5")}), (FIRST, {"regular_price": d("9")})],
        {"price": d("5"), "regularPrice": None, "offerEndsAt": None},
        {"price": HERE, "regularPrice": HERE},
        {"price": d("5"), "offerEndsAt": None, "regularPrice": None},
    ),
    "a regular price that another has overtaken": (
        {"price": d("6")},
        [(HERE, {"regular_price": d("5")})],
        {"price": d("6"), "regularPrice": None},
        {"price": "workspace", "regularPrice": HERE},
        {"price": d("6"), "regularPrice": None},
    ),
    "the market price": (
        {"price": d("0"), "price_kind": "market"},
        [(HERE, {"price": d("5")})],
        {"price": None, "regularPrice": None},
        {"price": "workspace", "regularPrice": "workspace"},
        {"price": None, "priceKind": "market"},
    ),
    "a variant, field by field": (
        {"variants": [SMALL]},
        [(HERE, {"variants": {"s": {"eightySixed": True}}}), (FIRST, {"variants": {"s": {"units": 20_000}}})],
        {
            "variants": [
                {
                    "id": "s",
                    "name": "Small",
                    "price": d("2"),
                    "regularPrice": None,
                    "eightySixed": True,
                    "sources": {"price": FIRST, "regularPrice": FIRST, "eightySixed": HERE},
                }
            ]
        },
        {"price": "workspace"},
        {"eightySixed": True},
    ),
    "the offer of a variant within another price": (
        {"variants": [OFFERED]},
        [(HERE, {"variants": {"s": {"units": 50_000, "regular": 60_000}}})],
        {
            "variants": [
                {
                    "id": "s",
                    "name": "Small",
                    "price": d("5"),
                    "regularPrice": d("6"),
                    "eightySixed": False,
                    "sources": {"price": HERE, "regularPrice": HERE, "eightySixed": "workspace"},
                }
            ]
        },
        {},
        {
            "variants": [
                {
                    "id": "s",
                    "name": "Small",
                    "price": d("5"),
                    "energy": None,
                    "eightySixed": False,
                    "regularPrice": d("6"),
                    "offerPrice": d("5"),
                    "offerEndsAt": SOON_TEXT,
                }
            ]
        },
    ),
    "a variant at another price out of the offer": (
        {"variants": [OFFERED]},
        [(HERE, {"variants": {"s": {"units": 50_000}}})],
        {},
        {},
        {"variants": [{"id": "s", "name": "Small", "price": d("5"), "energy": None, "eightySixed": False}]},
    ),
    "parts that are gone": (
        {},
        [(HERE, {"variants": {"gone": {"units": 1}}, "modifiers": {"Soy milk": 1}})],
        {"variants": [], "modifiers": [{"name": "Oat milk", "priceDelta": d("0.5"), "source": "workspace"}]},
        {},
        {"modifiers": [{"name": "Oat milk", "priceDelta": d("0.5")}]},
    ),
}


@pytest.mark.parametrize(("values", "local", "view", "sources", "sent"), CASES.values(), ids=CASES)
def test_a_value_at_a_place_and_an_instant(
    values: Values, local: list[tuple[str, Values]], view: Values, sources: Values, sent: Values
) -> None:
    row, rows = item(values), [at(*one) for one in local]
    found = local_view(row, rows, {}, now=NOW).document()
    assert {name: found[name] for name in view} == view
    assert {name: found["sources"][name] for name in sources} == sources
    assert is_hidden(rows) is found["hidden"]
    document = item_document(item_at(row, rows, now=NOW), {}, now=NOW, languages=None)
    assert {name: document.get(name) for name in sent} == sent
