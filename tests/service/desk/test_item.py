"""An item's page: made, changed, renamed, changed by two at once, deleted; faults stand beside their fields."""

import re

import pytest

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Service
from tests.service.support.desk import Person, person, text_of

ITEMS = "/v1/content/items"


async def fields(one: Person, path: str) -> dict[str, str]:
    """The form of a page, as its browser would send it."""
    page = (await one.open(path)).text
    form = re.findall(r'<form[^>]*id="item-form".*?</form>', page, re.S)[0]
    found: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", form):
        told = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if told.get("type") != "checkbox" or " checked" in tag:
            found[told["name"]] = told.get("value", "")
    for name, options in re.findall(r'<select[^>]*name="(\w+)">(.*?)</select>', form, re.S):
        chosen = re.search(r'value="([^"]*)" selected', options)
        found[name] = chosen[1] if chosen else re.findall(r'value="([^"]*)"', options)[0]
    found |= dict(re.findall(r'<textarea[^>]*name="(\w+)"[^>]*>([^<]*)</textarea>', form))
    return found


def fault_at(page: str, name: str) -> str:
    found = re.search(rf'id="fault-{re.escape(name)}">([^<]*)<', page)
    return found[1] if found else ""


async def test_an_item_is_made_with_all_its_fields(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        form = await fields(one, "/desk/menu/new")
        form |= {"name": "Latte", "category": "Coffee", "price": "4,20", "description": "Mild", "tags": "new, hot"}
        form |= {"regularPrice": "4.80", "offerEndsAt": "2026-12-01T18:00", "energy": "180", "energyTo": "240"}
        form |= {"variants.0.name": "Small", "variants.0.price": "3.90", "variants.1.name": "Large"}
        form |= {"variants.1.price": "4.90", "modifiers.0.name": "Oat milk", "modifiers.0.priceDelta": "0,50"}
        form |= {"allergen.milk": "1", "translations.0.language": "de", "translations.0.name": "Milchkaffee"}
        answer = await one.submit("/desk/menu/new", form | {"sku": "L-1", "featured": "1"})
        assert answer.status_code == 303
        assert "Latte is on the menu. Undo" in text_of(await one.open(answer.headers["location"]))
        made = (await owner.get(f"{ITEMS}?sku=L-1")).json()["data"][0]
        assert (made["price"], made["regularPrice"], made["offerEndsAt"]) == (4.2, 4.8, "2026-12-01T17:00:00.000Z")
        assert [(part["name"], part["price"]) for part in made["variants"]] == [("Small", 3.9), ("Large", 4.9)]
        assert made["modifiers"] == [{"name": "Oat milk", "priceDelta": 0.5}]
        assert (made["tags"], made["allergens"], made["featured"]) == (["new", "hot"], ["milk"], True)
        assert (made["energy"], made["energyTo"]) == (180, 240)
        assert made["translations"] == {"de": {"name": "Milchkaffee", "description": None}}


async def test_an_item_is_at_the_market_price_or_for_a_unit(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        form = await fields(one, "/desk/menu/new")
        market = form | {"name": "Lobster", "category": "Fish", "priceKind": "market", "sku": "a"}
        assert (await one.submit("/desk/menu/new", market)).status_code == 303
        by_weight = form | {"name": "Cod", "category": "Fish", "price": "3.20", "priceUnit": "100g", "sku": "b"}
        assert (await one.submit("/desk/menu/new", by_weight)).status_code == 303
        found = [(await owner.get(f"{ITEMS}?sku={sku}")).json()["data"][0] for sku in ("a", "b")]
        assert [(item["price"], item["priceKind"], item["priceUnit"]) for item in found] == [
            (None, "market", None),
            (3.2, "exact", "100g"),
        ]


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("given", "field", "sentence"),
    [
        ({"name": ""}, "name", "This is too short."),
        ({"name": "x" * 201}, "name", "This is too long."),
        ({"price": "free"}, "price", "This must be a price, such as 3.40."),
        ({"price": ""}, "price", "This is needed."),
        ({"price": "-1"}, "price", "A price is not negative."),
        ({"regularPrice": "1"}, "regularPrice", "The regular price is above the price of the offer."),
        ({"energy": "many"}, "energy", "This must be a whole number."),
        ({"energy": "100000"}, "energy", "This number is too large or too small."),
        ({"energy": "9", "energyTo": "5"}, "energyTo", "A range goes from a smaller number to a larger one."),
        ({"variants.1.name": "Large", "variants.1.price": "x"}, "variants.1.price", "This must be a price"),
        ({"translations.0.language": "xx1", "translations.0.name": "A"}, "translations.0.language", "no language tag"),
        ({"offerEndsAt": "soon", "regularPrice": "9"}, "offerEndsAt", ""),
    ],
)
async def test_a_fault_stands_beside_its_field_and_nothing_typed_is_lost(
    service: Service, owner: Caller, cafe: Cafe, given: dict[str, str], field: str, sentence: str
) -> None:
    async with person(service, Role.EDITOR) as one:
        form = await fields(one, "/desk/menu/new")
        form |= {"name": "Latte", "category": "Coffee", "price": "4", "description": "Kept <b>"} | given
        answer = await one.submit("/desk/menu/new", form)
        assert answer.status_code == 422
        assert sentence in fault_at(answer.text, field)
        assert fault_at(answer.text, field)
        assert "Kept &lt;b&gt;" in answer.text
        assert [item["name"] for item in (await owner.get(ITEMS)).json()["data"]].count("Latte") == 0


async def test_a_change_sends_what_differs_and_undo_puts_it_back(service: Service, owner: Caller, cafe: Cafe) -> None:
    path = f"/desk/menu/{cafe.coffee}"
    before = (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()
    async with person(service, Role.EDITOR) as one:
        form = await fields(one, path)
        assert "Nothing was changed." in text_of(await one.open((await one.submit(path, form)).headers["location"]))
        given = {"name": "Flat white, double", "price": "3,90", "allergen.milk": "1", "variants.0.name": "Cup"}
        answer = await one.submit(path, form | given | {"variants.0.price": "3"})
        page = await one.open(answer.headers["location"])
        assert "Flat white, double is changed. Undo" in text_of(page)
        after = (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()
        assert (after["price"], after["allergens"], after["variants"][0]["name"]) == (3.9, ["milk"], "Cup")
        undo = re.findall(r'<div class="said.*?</form>', page.text, re.S)[0]
        back = dict(re.findall(r'name="([^"]*)" value="([^"]*)"', undo))
        await one.submit(path, back)
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json() == before


async def test_two_people_who_change_an_item_are_told_and_can_compare(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    path = f"/desk/menu/{cafe.coffee}"
    async with person(service, Role.EDITOR) as one:
        form = await fields(one, path)
        await owner.patch(f"{ITEMS}/{cafe.coffee}", {"price": 9.5})
        late = await one.submit(path, form | {"price": "4.10"})
        assert late.status_code == 412
        assert "Somebody has changed this meanwhile" in text_of(late)
        assert "Now: 9.50" in text_of(late)
        assert 'value="4.10"' in late.text
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == 9.5
        tag = re.findall(r'name="tag" value="([^"]*)"', late.text)[0]
        assert (await one.submit(path, form | {"price": "4.10", "tag": tag})).status_code == 303
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == 4.1


async def test_a_variant_with_another_name_keeps_its_local_price(service: Service, owner: Caller, cafe: Cafe) -> None:
    sizes = {"variants": [{"name": "S", "price": 2}, {"name": "L", "price": 3}]}
    made = (await owner.patch(f"{ITEMS}/{cafe.coffee}", sizes)).json()
    there = f"/v1/locations/{cafe.location}/items/{cafe.coffee}"
    large = made["variants"][1]["id"]
    await owner.patch(there, {"variants": [{"id": large, "price": 5}]})
    path = f"/desk/menu/{cafe.coffee}"
    async with person(service, Role.EDITOR) as one:
        form = await fields(one, path)
        assert (
            await one.submit(path, form | {"variants.1.name": "Large", "variants.1.price": "3.5"})
        ).status_code == 303
    after = (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["variants"]
    assert [(part["id"] == large, part["name"], part["price"]) for part in after][1] == (True, "Large", 3.5)
    assert (await owner.get(there)).json()["variants"][1]["price"] == 5


async def test_an_item_is_deleted(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        answer = await one.submit(f"/desk/menu/{cafe.coffee}/delete")
        assert "Flat white is deleted." in text_of(await one.open(answer.headers["location"]))
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).status_code == 404
        assert (await one.open(f"/desk/menu/{cafe.coffee}")).status_code == 404


async def test_who_only_reads_sees_the_fields_without_a_button(service: Service, cafe: Cafe) -> None:
    async with person(service, Role.VIEWER) as one:
        page = await one.open(f"/desk/menu/{cafe.coffee}")
        assert "Flat white" in page.text
        assert "inert" in page.text
        assert ">Save<" not in page.text
        assert (await one.submit(f"/desk/menu/{cafe.coffee}", {"price": "1"})).status_code == 403
        assert (await one.open("/desk/menu/new")).status_code == 403


async def test_local_values_tell_where_they_come_from(service: Service, owner: Caller, cafe: Cafe) -> None:
    group = (await owner.make("/v1/groups", {"name": "Airports", "locations": [cafe.location]}))["id"]
    await owner.patch(f"{ITEMS}/{cafe.coffee}", {"variants": [{"name": "S", "price": 2}]})
    there, place = f"/v1/locations/{cafe.location}/items/{cafe.coffee}", f"location:{cafe.location}"
    await owner.patch(f"/v1/groups/{group}/items/{cafe.coffee}", {"price": 5})
    path = f"/desk/menu/{cafe.coffee}/at"
    async with person(service, Role.EDITOR) as one:
        page = await one.open(f"{path}?place={place}")
        assert "from Airports" in text_of(page)
        assert "as everywhere" in text_of(page)
        tag = re.findall(r'name="tag" value="([^"]*)"', page.text)[0]
        given = {"place": place, "tag": tag, "price": "6,50", "variants.0.price": "3", "hidden": "true"}
        answer = await one.submit(path, given)
        said = text_of(await one.open(answer.headers["location"]))
        assert "Flat white is changed at Corner Café. Undo" in said
        assert "of its own" in said
        local = (await owner.get(there)).json()
        assert (local["price"], local["variants"][0]["price"], local["hidden"]) == (6.5, 3, True)
        assert (await one.submit(path, given | {"price": "7"})).status_code == 412
        late = await one.submit(path, {"place": place, "price": "cheap"})
        assert fault_at(late.text, "price") == "This must be a price, such as 3.40."
        await one.submit(path, {"place": place, "price": "", "hidden": ""})
        local = (await owner.get(there)).json()
        assert (local["price"], local["sources"]["price"], local["hidden"]) == (5, group, False)
        assert (await one.open(f"{path}?place=planet:mars")).status_code == 404
