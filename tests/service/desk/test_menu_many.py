"""Acts on many items: each changes all that are ticked, or none, and its undo gives back what they had."""

import re
from decimal import Decimal

import pytest

from service.core.permissions import Role
from service.core.prices import adjusted
from tests.service.support.application import Cafe, Caller, Service
from tests.service.support.desk import Person, person, text_of

ITEMS = "/v1/content/items"
MANY = "/desk/menu/many"


async def act(one: Person, *items: str, **form: str) -> tuple[str, dict[str, str]]:
    """The sentence after an act, and the fields of its undo."""
    await one.open("/desk/menu")
    answer = await one.submit(MANY, {f"item.{item}": "1" for item in items} | form)
    assert answer.status_code == 303, text_of(answer)
    page = await one.open(answer.headers["location"])
    undo = re.findall(r'<form method="post" action="/desk/menu/many/undo".*?</form>', page.text, re.S)
    return text_of(page), dict(re.findall(r'name="([^"]*)" value="([^"]*)"', undo[0])) if undo else {}


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"act": "sold"}, "2 items are sold out. Undo"),
        ({"act": "category", "category": "Häppchen"}, "2 items are in Häppchen now. Undo"),
        ({"act": "price", "by": "10", "unit": "percent", "step": "0.05"}, "2 prices are changed. Undo"),
        ({"act": "price", "by": "-0,30", "unit": "amount", "step": "0.01"}, "2 prices are changed. Undo"),
    ],
)
async def test_many_items_are_changed_and_put_back(
    service: Service, owner: Caller, cafe: Cafe, form: dict[str, str], said: str
) -> None:
    sizes = {"variants": [{"name": "S = x, y", "price": 2.1}, {"name": "L", "price": 3, "regularPrice": 4}]}
    await owner.patch(f"{ITEMS}/{cafe.cake}", sizes)
    before = (await owner.get(ITEMS)).json()["data"]
    async with person(service, Role.EDITOR) as one:
        told, undo = await act(one, cafe.coffee, cafe.cake, **form)
        assert said in told
        changed = (await owner.get(ITEMS)).json()["data"]
        assert all(now != then for now, then in zip(changed, before, strict=True))
        await one.submit(f"{MANY}/undo", undo)
        assert "2 items are as they were." in text_of(await one.open("/desk/menu"))
    assert (await owner.get(ITEMS)).json()["data"] == before


async def test_many_are_changed_at_one_location_and_get_the_value_of_everywhere_back(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    there = f"/v1/locations/{cafe.location}/items/{cafe.coffee}"
    before = (await owner.get(there)).json()
    for form in ({"act": "sold"}, {"act": "price", "by": "1", "unit": "amount", "step": "0.01"}):
        async with person(service, Role.EDITOR) as one:
            _, undo = await act(one, cafe.coffee, at=cafe.location, **form)
            assert (await owner.get(there)).json() != before
            assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == 3.4
            await one.submit(f"{MANY}/undo", undo)
            assert (await owner.get(there)).json() == before


async def test_what_cannot_be_changed_is_refused_and_nothing_is(service: Service, owner: Caller, cafe: Cafe) -> None:
    before = (await owner.get(ITEMS)).json()["data"]
    ticked = {f"item.{cafe.coffee}": "1", f"item.{cafe.cake}": "1"}
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        for form in (
            {"act": "sold"},
            {**ticked, "act": "fly"},
            {**ticked, "act": "price", "by": "-99", "unit": "amount", "step": "1"},
            {**ticked, "act": "price", "by": "10001", "unit": "percent", "step": "1"},
            {**ticked, "act": "price", "by": "5", "unit": "percent", "step": "0"},
            {**ticked, "act": "price", "by": "much", "unit": "percent", "step": "1"},
            {**ticked, "act": "category", "category": ""},
            {f"item.{number}": "1" for number in range(201)} | {"act": "sold"},
        ):
            assert (await one.submit(MANY, form)).status_code == 422, form
        for was in ("x", f"{cafe.coffee}=free", f"{cafe.coffee}=1=zz:2"):
            assert (await one.submit(f"{MANY}/undo", {"act": "price", "was": was})).status_code == 422, was
        assert (await one.submit(MANY, {"item.gone": "1", "act": "sold"})).status_code == 404
    assert (await owner.get(ITEMS)).json()["data"] == before


@pytest.mark.parametrize(
    ("price", "percent", "amount", "step", "result"),
    [("3.40", "5", "0", "0.10", "3.60"), ("3.40", "0", "0.25", "0.50", "3.50"), ("2.25", "0", "0", "0.10", "2.30")],
)
def test_prices_are_rounded_half_up(price: str, percent: str, amount: str, step: str, result: str) -> None:
    changed = adjusted(Decimal(price), percent=Decimal(percent), amount=Decimal(amount), step=Decimal(step))
    assert changed == Decimal(result)


async def test_prices_of_a_currency_without_decimals_stay_whole(service: Service, owner: Caller, cafe: Cafe) -> None:
    await owner.patch(f"/v1/locations/{cafe.location}", {"currency": "JPY", "locale": "ja-JP"})
    await owner.patch(f"{ITEMS}/{cafe.coffee}", {"price": 455})
    async with person(service, Role.EDITOR) as one:
        page = await one.open("/desk/menu")
        assert 'value="0.10"' not in page.text
        assert re.findall(r'<option value="([^"]*)" selected>to', page.text) == ["10"]
        form = {f"item.{cafe.coffee}": "1", "act": "price", "by": "5", "unit": "percent"}
        assert (await one.submit(MANY, form | {"step": "0.10"})).status_code == 422
        await act(one, cafe.coffee, act="price", by="5", unit="percent", step="1")
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == 478
        assert (await one.submit(MANY, form | {"unit": "amount", "by": "0.5", "step": "1"})).status_code == 422
