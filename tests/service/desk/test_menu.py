"""The menu at the desk: searching, selling out, prices, and how many boards show it."""

from datetime import UTC, datetime

import pytest

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock
from tests.service.support.desk import Person, person, text_of, undo_of

ITEMS = "/v1/content/items"


async def sell(one: Person, item: str, **form: str) -> str:
    await one.open("/desk/menu")
    return text_of(await one.act(f"/desk/menu/{item}/sold-out", form))


async def test_a_tap_sells_an_item_out_and_undo_has_it_again(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        said = await sell(one, cafe.coffee, sold="true")
        assert "Flat white is sold out everywhere. Undo" in said
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["eightySixed"]
        assert "Flat white can be had again." in await sell(one, cafe.coffee, sold="false")
        assert not (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["eightySixed"]


async def test_until_tomorrow_ends_when_each_location_opens(
    service: Service, owner: Caller, clock: VirtualClock, cafe: Cafe
) -> None:
    hours = [{"start": "08:00", "end": "22:00"}]
    york = {"name": "New York", "timezone": "America/New_York", "currency": "USD", "locale": "en-US"}
    there = (await owner.make("/v1/locations", york | {"openingHours": hours}))["id"]
    await owner.patch(f"/v1/locations/{cafe.location}", {"openingHours": hours})
    clock.set(datetime(2026, 11, 20, 23, 30, tzinfo=UTC))  # half past midnight in Berlin, evening in New York
    async with person(service, Role.EDITOR) as one:
        assert "Flat white is sold out everywhere until tomorrow." in await sell(
            one, cafe.coffee, sold="true", until="openingTomorrow"
        )
        assert await sold_out_at(owner, cafe) == {cafe.location: True, there: True}
        clock.set(datetime(2026, 11, 21, 7, 0, tzinfo=UTC))  # 8:00 in Berlin, this morning
        assert await sold_out_at(owner, cafe) == {cafe.location: False, there: True}
        clock.set(datetime(2026, 11, 21, 13, 0, tzinfo=UTC))  # 8:00 in New York
        assert await sold_out_at(owner, cafe) == {cafe.location: False, there: False}


@pytest.mark.parametrize("path", ["/desk/menu/{item}/sold-out", "/desk/menu/many"])
async def test_undo_of_having_it_again_keeps_the_end_at_each_location(
    service: Service, owner: Caller, clock: VirtualClock, cafe: Cafe, path: str
) -> None:
    york = {"name": "New York", "timezone": "America/New_York", "currency": "USD", "locale": "en-US"}
    there = (await owner.make("/v1/locations", york))["id"]
    async with person(service, Role.EDITOR) as one:
        await sell(one, cafe.coffee, sold="true", until="openingTomorrow")
        again = {"sold": "false"} if "{item}" in path else {"act": "back", f"item.{cafe.coffee}": "1"}
        await one.submit(path.format(item=cafe.coffee), again)
        await one.submit(*undo_of(await one.open("/desk/menu")))
        assert await sold_out_at(owner, cafe) == {cafe.location: True, there: True}
        clock.set(datetime(2026, 11, 21, 4, 0, tzinfo=UTC))  # 5:00 in Berlin
        assert await sold_out_at(owner, cafe) == {cafe.location: False, there: True}


async def sold_out_at(owner: Caller, cafe: Cafe) -> dict[str, bool]:
    """Whether the coffee is sold out, by location."""
    places = [one["id"] for one in (await owner.get("/v1/locations")).json()["data"]]
    return {
        place: (await owner.get(f"/v1/locations/{place}/items/{cafe.coffee}")).json()["eightySixed"] for place in places
    }


async def test_only_here_changes_one_location_and_undo_gives_the_value_of_the_workspace_back(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    there = f"/v1/locations/{cafe.location}/items/{cafe.coffee}"
    async with person(service, Role.EDITOR) as one:
        said = await sell(one, cafe.coffee, sold="true", at=cafe.location)
        assert "Flat white is sold out at Corner Café." in said
        assert not (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["eightySixed"]
        assert (await owner.get(there)).json()["eightySixed"]
        await sell(one, cafe.coffee, sold="", at=cafe.location)
        assert (await owner.get(there)).json()["sources"]["eightySixed"] == "workspace"


@pytest.mark.parametrize(("typed", "stored"), [("3.55", 3.55), ("3,5", 3.5), ("٣٫٢٥", 3.25), (" 4 ", 4)])
async def test_a_price_is_read_as_people_type_it(
    service: Service, owner: Caller, cafe: Cafe, typed: str, stored: float
) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        answer = await one.act(f"/desk/menu/{cafe.coffee}/price", {"price": typed})
        assert "Flat white costs €" in text_of(answer)
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == stored


@pytest.mark.parametrize("typed", ["", "free", "-1", "1.23456", "9" * 30])
async def test_what_is_no_price_is_refused_and_changes_nothing(
    service: Service, owner: Caller, cafe: Cafe, typed: str
) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        answer = await one.act(f"/desk/menu/{cafe.coffee}/price", {"price": typed})
        assert answer.status_code == 422
        assert answer.headers["hx-reswap"] == "none"
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == 3.4


async def test_a_local_price_is_taken_back_by_an_empty_one(service: Service, owner: Caller, cafe: Cafe) -> None:
    there = f"/v1/locations/{cafe.location}/items/{cafe.coffee}"
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        path = f"/desk/menu/{cafe.coffee}/price"
        await one.act(path, {"price": "9.90", "at": cafe.location})
        assert (await owner.get(there)).json()["sources"]["price"] == "location"
        await one.act(path, {"price": "", "at": cafe.location})
        assert (await owner.get(there)).json()["sources"]["price"] == "workspace"


async def test_items_are_searched_and_paged(service: Service, owner: Caller, cafe: Cafe) -> None:
    await owner.make(ITEMS, {"name": "Äpfelkuchen", "category": "Kuchen", "price": 4, "sku": "AK-1"})
    for number in range(60):
        await owner.make(ITEMS, {"name": f"Tea {number}", "category": "Tea", "price": 3})
    async with person(service, Role.VIEWER) as one:
        found = text_of(await one.open("/desk/menu?search=äpf", **{"HX-Request": "true"}))
        assert "Äpfelkuchen" in found
        assert "Tea" not in found
        assert "Äpfelkuchen" in text_of(await one.open("/desk/menu?search=ak-1"))
        first = await one.open("/desk/menu?search=tea")
        assert first.text.count('id="item-') == 50
        assert "Further items" in text_of(first)
        assert "No item matches this." in text_of(await one.open("/desk/menu?search=100%25"))


async def test_a_change_counts_up_to_all_boards(
    service: Service, owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    async def present(sequence: int) -> None:
        manifest = (await device.manifest()).json()
        shown = {"kind": "scene", "playlistId": cafe.playlist, "version": 1, "revision": manifest["revision"]}
        await device.heartbeat(sequence=sequence, presented=shown)

    await present(1)
    boards = f"/desk/menu/{cafe.coffee}/boards"
    async with person(service, Role.EDITOR) as one:
        assert "On 1 board" in text_of(await one.open(boards))
        await clock.advance(1)
        await sell(one, cafe.coffee, sold="true")
        assert "On 0 of 1 boards" in text_of(await one.open(boards))
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}/boards")).json() == {"screens": 1, "shown": 0, "offline": 0}
        await present(2)
        assert "On 1 board" in text_of(await one.open(boards))
