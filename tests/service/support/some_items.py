"""Generated items, with some of all fields."""

import random
from datetime import timedelta
from decimal import Decimal
from typing import Any

from service.core.clock import instant_text
from tests.service.support.application import START


def some_item(chance: random.Random, number: int, others: list[str]) -> dict[str, Any]:
    """A body with some of all fields."""

    def amount() -> Decimal:
        return Decimal(chance.choice([0, 7, 10_000, 45_000, 12_345, 500_000_000_100])).scaleb(-4)

    def offer() -> dict[str, Any]:
        times = {
            "offerStartsAt": instant_text(START + timedelta(days=chance.randint(-3, 3))),
            "offerEndsAt": instant_text(START + timedelta(days=9)),
        }
        return {"regularPrice": 99_999_999, **dict(chance.sample(sorted(times.items()), chance.randint(0, 2)))}

    body: dict[str, Any] = {"name": f"Käse „{number}“ \U0001f9c0", "category": chance.choice(["A", "Ä"])}
    body["price"] = amount()
    more: dict[str, Any] = {
        "sku": f"sku {number}",
        "priceUnit": "kg",
        "modifiers": [{"name": "more", "priceDelta": -amount()}],
        "energy": 1,
        "description": 'two\nlines "and" </more>',
        "imageFocus": {"x": 0.25, "y": 1},
        "tags": ["vegan"],
        "allergens": ["milk"],
        "translations": {"de": {"name": "Suppe"}, "fr": {"description": "Bon"}},
        "featured": True,
        "sortIndex": -7,
        "eightySixed": True,
    }
    body |= dict(chance.sample(sorted(more.items()), chance.randint(0, len(more))))
    if "description" not in body and "translations" in body:
        body["translations"] = {"de": {"name": "Suppe"}}
    if chance.random() < 0.3:
        body.pop("priceUnit", None)
        body["variants"] = [{"name": size, "price": amount(), **offer()} for size in ("S", "M")]
    elif chance.random() < 0.3:
        body |= offer()
    elif chance.random() < 0.2:
        del body["price"]
        body["priceKind"] = "market"
    if others and chance.random() < 0.3:
        body["parts"] = [{"quantity": 2, "anyOf": [{"itemId": one} for one in chance.sample(others, 1)]}]
    return body
