"""Planned changes at the desk: the form, what it says, the preview, and withdrawing with the way back."""

import re
from decimal import Decimal
from html import unescape

import pytest

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Device, Service, body_of
from tests.service.support.desk import buttons, person, text_of, undo_of

PLANNED = "/desk/planned"


@pytest.fixture
def database_url() -> None:
    """SQLite only: planned changes are tested on both engines elsewhere."""


def row(number: int, item: str, place: str = "everywhere", **values: str) -> dict[str, str]:
    head = f"rows.{number}."
    return {f"{head}item": item, f"{head}place": place, **{head + name: value for name, value in values.items()}}


async def plans(owner: Caller) -> list[dict[str, object]]:
    found: list[dict[str, object]] = body_of(await owner.get("/v1/planned-changes"))["data"]
    return found


async def test_prices_and_availability_are_planned_and_withdrawn_with_a_way_back(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    form = {"name": "January", "at": "2027-01-01T05:00", "save": "1"}
    form |= row(0, cafe.coffee, price="3,90") | row(1, cafe.cake, f"location:{cafe.location}", eightySixed="true")
    async with person(service, Role.EDITOR) as one:
        await one.open(f"{PLANNED}/new")
        done = await one.submit(PLANNED, form)
        assert done.status_code == 303, text_of(done)
        [plan] = await plans(owner)
        assert (plan["name"], plan["at"]) == ("January", "2027-01-01T05:00")
        assert plan["changes"] == [
            {"item": cafe.coffee, "price": Decimal("3.9")},
            {"item": cafe.cake, "location": cafe.location, "eightySixed": True},
        ]
        page = await one.open(done.headers["location"])
        shown = text_of(page)
        assert "January is planned." in shown
        assert "Flat white Coffee €3.40 €3.90" in shown
        assert "Carrot cake Cake €4.20 To be had Sold out" in shown
        # As the data of Babel's version have it.
        assert re.search("Fri(day)?, Jan(uary)? 1, 2027, 05:00", shown)
        assert "Where Everywhere , Corner Café" in shown
        assert f"/desk/screens/{device.screen}/moment?at=2027-01-01T04" in page.text

        listed = text_of(await one.open(PLANNED))
        assert "January Everywhere , Corner Café" in listed
        assert "2 items · Kim" in listed

        gone = await one.submit(f"{PLANNED}/{plan['id']}/withdraw")
        assert await plans(owner) == []
        back = await one.open(gone.headers["location"])
        assert "January is withdrawn. Nothing of it happens." in text_of(back)
        action, fields = undo_of(back)
        assert (await one.submit(action, fields)).status_code == 303
        [again] = await plans(owner)
        assert again["changes"] == plan["changes"]


async def test_items_are_added_by_name_by_category_and_from_a_choice_and_nothing_typed_is_lost(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    await owner.make("/v1/content/items", {"name": "Flat bread", "category": "Lunch", "price": 2})
    form = {"name": "May", "at": "2027-05-01T05:00", **row(0, cafe.cake, price="9")}
    async with person(service, Role.EDITOR) as one:
        await one.open(f"{PLANNED}/new")
        found = await one.submit(f"{PLANNED}/form", {**form, "search": "flat white", "find": "1"})
        assert (found.status_code, found.text.count('class="what"')) == (200, 2)
        assert 'name="rows.0.price" value="9"' in found.text
        assert 'value="2027-05-01T05:00"' in found.text
        several = await one.submit(PLANNED, {**form, "search": "flat"})
        assert await plans(owner) == []
        assert set(re.findall(r'name="add" value="([^"]*)"', several.text)) >= {cafe.coffee}
        assert text_of(several).count("Flat ") == 2
        chosen = await one.act(f"{PLANNED}/form", {**form, "search": "flat", "add": cafe.coffee})
        assert chosen.text.count('class="what"') == 2
        assert "<html" not in chosen.text
        missed = text_of(await one.submit(f"{PLANNED}/form", {**form, "search": "pizza", "find": "1"}))
        assert "No item is found." in missed
        whole = await one.submit(f"{PLANNED}/form", {**form, "category": "Coffee", "all": "1"})
        assert whole.text.count('class="what"') == 2
        twice = await one.submit(f"{PLANNED}/form", {**form, "category": "Cake", "all": "1"})
        assert twice.text.count('class="what"') == 1
        fewer = await one.submit(f"{PLANNED}/form", {**form, "drop": "0"})
        assert 'class="what"' not in fewer.text
        of_item = await one.open(f"{PLANNED}/new?item={cafe.coffee}&place=location:{cafe.location}")
        assert "Flat white Corner Café · Coffee" in text_of(of_item)


async def test_each_fault_is_told_at_its_row_and_nothing_is_lost(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open(f"{PLANNED}/new")
        form = {"name": "May", "at": "2020-05-01T05:00", "save": "1"}
        for more, said in (
            (row(0, cafe.coffee, price="free"), "This must be a price"),
            (row(0, cafe.coffee), "Name a price, or whether it is sold out."),
            (row(0, cafe.coffee, price="-1"), "A price is not negative."),
            (row(0, cafe.coffee, price="4"), "This time has passed."),
            ({**row(0, cafe.coffee, price="4"), "at": "2027-03-28T02:30"}, "The clocks skip this time"),
            ({**row(0, cafe.coffee, price="4"), "at": "soon"}, "date with its time"),
            ({**row(0, cafe.coffee, price="4"), "at": "2027-05-01T05:00", "name": ""}, "This"),
            ({"at": "2027-05-01T05:00"}, ""),
        ):
            refused = await one.submit(PLANNED, {**form, **more})
            assert (refused.status_code, said in text_of(refused)) == (422, True), (more, text_of(refused))
            if "rows.0.price" in more:
                assert f'value="{more["rows.0.price"]}"' in refused.text
        assert await plans(owner) == []


async def test_a_plan_is_changed_and_keeps_the_values_that_the_form_does_not_show(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    group = await owner.make("/v1/groups", {"name": "South", "locations": [cafe.location]})
    sizes = [{"name": "Small", "price": 3}, {"name": "Large", "price": 4}]
    tea = await owner.make("/v1/content/items", {"name": "Tea", "category": "Tea", "price": 3, "variants": sizes})
    small = tea["variants"][0]["id"]
    changes = [
        {"item": cafe.coffee, "group": group["id"], "price": 4, "hidden": False},
        {"item": cafe.cake, "location": cafe.location, "price": None, "eightySixed": True},
        {"item": tea["id"], "variants": [{"id": small, "price": Decimal("3.5")}]},
    ]
    plan = await owner.make("/v1/planned-changes", {"name": "May", "at": "2027-05-01T05:00", "changes": changes})
    path = f"{PLANNED}/{plan['id']}"
    async with person(service, Role.EDITOR) as one:
        page = await one.open(f"{path}/change")
        inputs = [dict(re.findall(r'(\w+)="([^"]*)"', one)) for one in re.findall(r"<input([^>]*)>", page.text)]
        form = {one["name"]: unescape(one.get("value", "")) for one in inputs if one["name"] != "csrf"}
        form |= {"rows.1.eightySixed": "true", "save": "1", "rows.2.variants." + small: "3.60", "name": "June"}
        form.pop("search", None)
        done = await one.submit(f"{path}/change", form)
        assert done.status_code == 303, text_of(done)
        [after] = await plans(owner)
        assert after["name"] == "June"
        assert after["changes"] == [*changes[:2], {**changes[2], "variants": [{"id": small, "price": Decimal("3.6")}]}]
        assert "Small €3.00 €3.60" in text_of(await one.open(path))


async def test_a_plan_with_an_override_is_withdrawn_by_who_may_publish_and_one_in_effect_by_nobody(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    override = {"scene": cafe.scene, "target": {"everything": True}, "until": "2026-12-01T12:00", "reason": "Feast"}
    plan = await owner.make("/v1/planned-changes", {"name": "X", "at": "2026-12-01T05:00", "overrides": [override]})
    path = f"{PLANNED}/{plan['id']}"
    async with person(service, Role.EDITOR) as one, person(service, Role.VIEWER, "eve@example.com") as viewer:
        page = await one.open(path)
        assert "A board shows in place of all else until" in text_of(page)
        assert "It changes no item at this location." in text_of(page)
        assert f"{path}/withdraw" not in buttons(page)
        assert (await one.submit(f"{path}/withdraw")).status_code == 403
        assert f"{path}/withdraw" not in buttons(await viewer.open(path))
        assert (await viewer.open(f"{PLANNED}/new")).status_code == 403
    change = {"item": cafe.coffee, "price": 4}
    soon = await owner.make("/v1/planned-changes", {"name": "Y", "at": "2026-11-21T05:00", "changes": [change]})
    service.clock.set(service.clock.now().replace(day=21))
    async with person(service, Role.OWNER, "boss@example.com") as boss:
        page = await boss.open(f"{PLANNED}/{soon['id']}")
        assert "Takes effect" in text_of(page) or "Done" in text_of(page)
        refused = await boss.submit(f"{PLANNED}/{soon['id']}/withdraw")
        assert "This has taken effect already." in text_of(refused)
        broken = await boss.submit(f"{PLANNED}/again", {"document": "{"})
        assert broken.status_code in (400, 422)
