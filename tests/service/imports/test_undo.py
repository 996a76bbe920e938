"""An import is undone as a whole: new items go, changed ones come back, what somebody has changed since stays."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from service.core.permissions import Role
from service.services.imports.undo import KEPT, MAX_KEPT_ITEMS, UNDO_FOR
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, open_cafe, running

ITEMS, IMPORTS = "/v1/content/items", "/v1/content/imports"


async def imported(owner: Caller, *lines: str) -> Any:
    result = (await owner.post(f"{ITEMS}/import", {"text": "\n".join(lines)})).json()
    assert result["status"] == "completed", result
    return result["import"]


async def undone(owner: Caller, one: Mapping[str, Any]) -> Any:
    return (await owner.post(f"{IMPORTS}/{one['id']}/undo")).json()["undone"]


async def menu(owner: Caller) -> dict[str, Any]:
    return {item["name"]: item for item in (await owner.get(f"{ITEMS}?limit=100")).json()["data"]}


async def test_an_undo_takes_all_back_on_the_glass_as_well(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    sizes = [{"name": "S", "price": 2}, {"name": "L", "price": 3, "regularPrice": 4}]
    texts = {"de": {"name": "Tee", "description": "Heiß"}}
    tea = {"name": "Tea", "category": "Tea", "price": 2, "description": "Hot", "tags": ["vegan"]}
    await owner.make(ITEMS, {**tea, "variants": sizes, "translations": texts, "sku": "tea"})
    before, shown = await menu(owner), (await device.manifest()).json()["items"]
    table = ["Name;Category;Price;SKU;Description;Tags;name:de", "Tea;Drinks;3,50;tea;Cold;cold;Tee kalt"]

    one = await imported(owner, *table, "Flat white;Coffee;9,90;;;;", "Cortado;Coffee;3,10;tea2;;;")
    assert (one["created"], one["updated"]) == (1, 2)
    changed = await menu(owner)
    assert changed["Flat white"]["price"] == 9.9
    assert changed["Tea"]["category"] == "Drinks"
    assert (await device.manifest()).json()["items"] != shown

    result = await undone(owner, one)
    assert (result["removed"], result["restored"], result["kept"]) == (1, 2, 0)
    assert await menu(owner) == before
    assert (await device.manifest()).json()["items"] == shown
    again = await owner.post(f"{IMPORTS}/{one['id']}/undo")
    assert (again.status_code, again.json()["code"]) == (409, "undone_already")


async def test_an_item_that_somebody_has_changed_since_stays_and_is_named(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    await owner.make(ITEMS, {"name": "Tea", "category": "Tea", "price": 2})
    await owner.make(ITEMS, {"name": "Gone", "category": "Tea", "price": 2})
    one = await imported(owner, "Tea", "Tea 3", "Gone 3", "New 1", "Local 1", "Plain 1", "Coffee", "Flat white 9")
    names = await menu(owner)
    await owner.patch(f"{ITEMS}/{names['Tea']['id']}", {"description": "Hot"})
    await owner.patch(f"{ITEMS}/{names['New']['id']}", {"price": 5})
    await owner.patch(f"/v1/locations/{cafe.location}/items/{names['Local']['id']}", {"price": 5})
    await owner.send("DELETE", f"{ITEMS}/{names['Gone']['id']}")

    result = await undone(owner, one)

    kept = {(stays["name"], stays["code"]) for stays in result["keptItems"]}
    assert kept == {("Tea", "changed"), ("New", "changed"), ("Local", "changed"), ("Gone", "removed")}
    assert (result["removed"], result["restored"], result["kept"]) == (1, 1, 4)
    after = await menu(owner)
    assert (after["Tea"]["price"], after["New"]["price"], after["Flat white"]["price"]) == (3, 5, 3.4)
    assert after.keys() & {"Plain", "Gone"} == set()


async def test_what_was_sold_out_since_stays_sold_out_and_gets_its_price_back(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    one = await imported(owner, "Coffee", "Flat white 9", "Cortado 3")
    new = (await menu(owner))["Cortado"]["id"]
    for item in (cafe.coffee, new):
        await owner.patch(f"{ITEMS}/{item}", {"eightySixed": True})

    result = await undone(owner, one)

    assert (result["removed"], result["restored"]) == (1, 1)
    coffee = (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()
    assert (coffee["price"], coffee["eightySixed"]) == (3.4, True)


async def test_an_order_of_another_category_is_no_change(owner: Caller, cafe: Cafe) -> None:
    """It may number all items of the menu anew."""
    cakes = [(await owner.make(ITEMS, {"name": name, "category": "Pie", "price": 2}))["id"] for name in ("A", "B", "C")]
    one = await imported(owner, "Coffee", "Flat white 9", "Cortado 3")
    await owner.post(f"{ITEMS}/order", {"category": "Pie", "items": [cakes[0], cakes[2], cakes[1]]})
    order = {name: item["sortIndex"] for name, item in (await menu(owner)).items()}
    assert len(set(order.values())) == len(order), "all are numbered anew"

    result = await undone(owner, one)
    assert (result["removed"], result["restored"], result["kept"]) == (1, 1, 0)
    now = await menu(owner)
    assert (now["Flat white"]["price"], now["Flat white"]["sortIndex"]) == (3.4, order["Flat white"])
    assert "Cortado" not in now


async def test_a_flag_that_the_import_has_set_counts_as_changed(service: Service, owner: Caller, cafe: Cafe) -> None:
    one = await imported(owner, "Name;Category;Price;Sold out", "Flat white;Coffee;3,40;yes")
    await owner.patch(f"{ITEMS}/{cafe.coffee}", {"eightySixed": False})
    assert [stays["code"] for stays in (await undone(owner, one))["keptItems"]] == ["changed"]


async def test_a_former_sku_that_another_item_has_by_now_is_not_taken_from_it(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    await owner.patch(f"{ITEMS}/{cafe.coffee}", {"sku": "1"})
    one = await imported(owner, "id;Name;Category;Price;SKU", f"{cafe.coffee};Flat white;Coffee;3,40;2")
    other = await owner.make(ITEMS, {"name": "Tea", "category": "Tea", "price": 2, "sku": "1"})
    result = await undone(owner, one)
    assert result["keptItems"] == [{"item": cafe.coffee, "name": "Flat white", "code": "sku_taken"}]
    assert (await owner.get(f"{ITEMS}?sku=1")).json()["data"][0]["id"] == other["id"]


async def test_imports_are_undone_from_the_last_one_back(service: Service, owner: Caller, cafe: Cafe) -> None:
    first = await imported(owner, "Coffee", "Flat white 4")
    second = await imported(owner, "Coffee", "Flat white 5")
    assert (await undone(owner, second))["restored"] == 1
    assert (await menu(owner))["Flat white"]["price"] == 4
    # The undo of the second is a change since the first.
    assert (await undone(owner, first))["kept"] == 1
    assert [one["id"] for one in (await owner.get(IMPORTS)).json()["data"]] == [first["id"], second["id"]]


async def test_an_import_that_changes_nothing_is_none(service: Service, owner: Caller, cafe: Cafe) -> None:
    result = (await owner.post(f"{ITEMS}/import", {"text": "Coffee\nFlat white 3.40"})).json()
    assert (result["status"], result["import"]) == ("completed", None)
    assert (await owner.get(IMPORTS)).json()["data"] == []


async def test_an_undo_is_possible_for_a_day(service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock) -> None:
    one, late = await imported(owner, "Tea 3"), await imported(owner, "Mint 3")
    clock.set(clock.now() + UNDO_FOR)
    refused = await owner.post(f"{IMPORTS}/{late['id']}/undo")
    assert (refused.status_code, refused.json()["code"]) == (409, "too_late_to_undo")
    assert one["undoUntil"] == late["undoUntil"]
    assert (await owner.get(f"{IMPORTS}/{late['id']}")).json()["undone"] is None
    clock.set(clock.now() + KEPT)
    service.services.imports.prune()
    assert (await owner.get(IMPORTS)).json()["data"] == []
    assert (await owner.get(f"{IMPORTS}/{late['id']}")).status_code == 404


async def test_an_undo_works_after_a_restart(tmp_path: Path, clock: VirtualClock, database_url: str | None) -> None:
    async with running(tmp_path / "data", clock=clock, database=database_url) as first:
        owner = first.caller(Role.OWNER)
        await open_cafe(owner)
        one = await imported(owner, "Coffee", "Flat white 9")
    async with running(tmp_path / "data", clock=clock, database=database_url) as again:
        owner = again.caller(Role.OWNER)
        assert (await undone(owner, one))["restored"] == 1
        assert (await menu(owner))["Flat white"]["price"] == 3.4


async def test_of_many_items_that_stay_the_first_are_named(service: Service, owner: Caller, cafe: Cafe) -> None:
    names = [f"Tea {number} x" for number in range(MAX_KEPT_ITEMS + 1)]
    one = await imported(owner, *(f"{name} 3" for name in names))
    items = await menu(owner)
    await owner.post(f"{ITEMS}/bulk", [{"id": items[name]["id"], "price": 4} for name in names])
    result = await undone(owner, one)
    assert (result["kept"], len(result["keptItems"])) == (MAX_KEPT_ITEMS + 1, MAX_KEPT_ITEMS)


@pytest.mark.parametrize("role", [Role.EDITOR, Role.PUBLISHER])
async def test_the_list_of_acts_tells_of_it(service: Service, owner: Caller, cafe: Cafe, role: Role) -> None:
    one = await imported(owner, "Coffee", "Flat white 9")
    result = await undone(service.caller(role), one)
    found = (await owner.get("/v1/audit?limit=100")).json()["data"]
    [act] = [entry for entry in found if entry["act"] == "undone"]
    assert (act["subject"]["kind"], act["subject"]["id"], act["actor"]["id"]) == ("import", one["id"], result["by"])
