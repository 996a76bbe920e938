"""The menu at the desk: searching, selling out, prices, and how many boards show it."""

import re
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


async def moved_to(owner: Caller, cafe: Cafe, currency: str, locale: str) -> None:
    await owner.patch(f"/v1/locations/{cafe.location}", {"currency": currency, "locale": locale})


@pytest.mark.parametrize(
    ("currency", "locale", "language", "typed", "stored"),
    [
        ("CLP", "es-CL", "en", "12.900", 12900),
        ("CLP", "es-CL", "es", "12.900 CLP", 12900),
        ("JPY", "ja-JP", "de", "1,250", 1250),
        ("IDR", "id-ID", "en", "25.000", 25000),
        ("HUF", "hu-HU", "en", "2.490", 2490),
        ("USD", "en-US", "en", "$1,250", 1250),
        ("EUR", "de-DE", "de", "1.250,00 €", 1250),
        ("KWD", "ar-KW", "en", "1.250", 1.25),
        ("CHF", "de-CH", "fr", "1’250.50", 1250.5),
    ],
)
async def test_a_price_is_read_by_the_currency_and_the_language(
    service: Service, owner: Caller, cafe: Cafe, currency: str, locale: str, language: str, typed: str, stored: float
) -> None:
    await moved_to(owner, cafe, currency, locale)
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        await one.submit("/desk/profile/language", {"language": language})
        await one.act(f"/desk/menu/{cafe.coffee}/price", {"price": typed, "sure": "1"})
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == stored


@pytest.mark.parametrize(
    ("currency", "locale", "typed", "says"),
    [
        ("EUR", "de-DE", "1.250", "This may be 1250 or 1.25: write the one that is meant."),
        ("JPY", "ja-JP", "12.8", "This currency has no decimals: write a whole amount."),
        ("EUR", "de-DE", "CHF 4.50", "This is another currency than that of the menu."),
    ],
)
async def test_a_price_that_is_in_doubt_is_refused_with_its_reason(
    service: Service, owner: Caller, cafe: Cafe, currency: str, locale: str, typed: str, says: str
) -> None:
    await moved_to(owner, cafe, currency, locale)
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        answer = await one.act(f"/desk/menu/{cafe.coffee}/price", {"price": typed})
        assert answer.status_code == 422
        assert says in text_of(answer)
        page = await one.submit(f"/desk/menu/{cafe.coffee}", {"price": typed, "name": "Flat white"})
        assert says in text_of(page)
        assert f'value="{typed}"' in page.text, "what was typed stays"
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == 3.4


async def test_a_hundred_times_the_price_is_asked_about_first(service: Service, owner: Caller, cafe: Cafe) -> None:
    path = f"/desk/menu/{cafe.coffee}/price"

    async def stored() -> float:
        return float((await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"])

    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        question = await one.act(path, {"price": "340"})
        assert question.headers["hx-retarget"] == "body"
        assert "Is this price right?" in text_of(question)
        assert "Flat white €3.40 → €340.00" in text_of(question)
        assert await stored() == 3.4
        fields = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', question.text))
        await one.submit(path, {name: value for name, value in fields.items() if name != "csrf"})
        assert await stored() == 340
        back = await one.act(path, {"price": "3.40"})
        assert "Flat white €340.00 → €3.40" in text_of(back)
        await one.act(path, {"price": "3.41"})
        assert await stored() == 3.41, "no hundred times"
        await owner.patch(f"{ITEMS}/{cafe.coffee}", {"price": 341})
        assert await stored() == 341, "a program is not asked"


async def test_the_undo_of_a_leap_is_no_further_question(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        path = f"/desk/menu/{cafe.coffee}/price"
        answer = await one.submit(path, {"price": "340", "sure": "1", "back": "/desk/menu"})
        action, fields = undo_of(await one.open(answer.headers["location"]))
        await one.submit(action, fields)
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == 3.4


async def test_every_form_with_prices_asks(service: Service, owner: Caller, cafe: Cafe) -> None:
    sizes = [{"name": "S", "price": 2}, {"name": "L", "price": 3}]
    await owner.patch(f"{ITEMS}/{cafe.cake}", {"variants": sizes})
    before = (await owner.get(ITEMS)).json()["data"]
    cake = next(item for item in before if item["id"] == cafe.cake)
    rows = {
        f"variants.{at}.{name}": str(one[name]) for at, one in enumerate(cake["variants"]) for name in ("id", "name")
    }
    plan = {
        "name": "x",
        "at": "2027-01-01T05:00",
        "save": "1",
        "rows.0.item": cafe.coffee,
        "rows.0.place": "everywhere",
    }
    many = {f"item.{cafe.coffee}": "1", "act": "price", "by": "400", "unit": "amount", "step": "0.01"}
    forms: list[tuple[str, dict[str, str]]] = [
        (f"/desk/menu/{cafe.coffee}", {"modifiers.0.name": "Oat milk", "modifiers.0.priceDelta": "50"}),
        (f"/desk/menu/{cafe.coffee}", {"price": "0.03"}),
        (f"/desk/menu/{cafe.cake}", rows | {"variants.0.price": "2", "variants.1.price": "300"}),
        (f"/desk/menu/{cafe.coffee}/at", {"place": f"location:{cafe.location}", "price": "390"}),
        (f"/desk/menu/{cafe.cake}/at", {"place": f"location:{cafe.location}", "variants.0.price": "200"}),
        ("/desk/planned", plan | {"rows.0.price": "390,00"}),
        ("/desk/menu/many", many),
    ]
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        for path, form in forms:
            question = await one.submit(path, form)
            assert "Is this price right?" in text_of(question), (path, text_of(question))
        assert (await owner.get(ITEMS)).json()["data"] == before
        for path, form in forms:
            assert (await one.submit(path, form | {"sure": "1"})).status_code == 303, path


async def test_each_amount_of_a_form_that_is_in_doubt_has_its_reason_beside_it(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    says = "This may be 1250 or 1.25: write the one that is meant."
    plan = {
        "name": "x",
        "at": "2027-01-01T05:00",
        "save": "1",
        "rows.0.item": cafe.coffee,
        "rows.0.place": "everywhere",
    }
    here = {"place": f"location:{cafe.location}"}
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        for path, form in (
            (f"/desk/menu/{cafe.coffee}", {"regularPrice": "1.250"}),
            (f"/desk/menu/{cafe.coffee}", {"variants.0.name": "S", "variants.0.price": "1.250"}),
            (f"/desk/menu/{cafe.coffee}", {"modifiers.0.name": "Oat milk", "modifiers.0.priceDelta": "1.250"}),
            ("/desk/menu/new", {"name": "Tea", "category": "Tea", "price": "1.250", "priceKind": "exact"}),
            (f"/desk/menu/{cafe.coffee}/at", here | {"price": "1.250"}),
            (f"/desk/menu/{cafe.coffee}/at", here | {"modifiers.0.priceDelta": "1.250"}),
            ("/desk/planned", plan | {"rows.0.price": "1.250"}),
        ):
            page = await one.submit(path, form)
            assert page.status_code == 422, path
            assert says in text_of(page), (path, form, text_of(page))
            assert 'value="1.250"' in page.text, "what was typed stays"
