"""Locations, opening hours and groups at the desk."""

import pytest

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Service
from tests.service.support.desk import buttons, person, text_of, undo_of

PLACE = {"name": "Harbour", "timezone": "Asia/Dubai", "currency": "AED", "locale": "ar-AE", "rotation": "90"}


async def test_the_settings_begin_with_the_locations_and_have_the_pages_that_a_role_may_open(
    service: Service, cafe: Cafe
) -> None:
    async with person(service, Role.VIEWER) as one:
        page = await one.open("/desk/settings")
        assert page.url.path == "/desk/settings/locations"
        assert "Corner Café" in text_of(page)
        assert "New location" not in text_of(page)


async def test_a_location_is_made_changed_put_back_and_removed(service: Service, owner: Caller) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/settings/locations/new")
        made = await one.submit("/desk/settings/locations/new", PLACE)
        assert made.headers["location"] == "/desk/settings/locations"
        assert "Harbour is made." in text_of(await one.open("/desk/settings/locations"))
        [stored] = (await owner.get("/v1/locations")).json()["data"]
        assert (stored["timezone"], stored["currency"], stored["rotation"]) == ("Asia/Dubai", "AED", 90)

        at = f"/desk/settings/locations/{stored['id']}"
        await one.submit(at, {**PLACE, "name": "Pier"})
        page = await one.open(at)
        assert "Pier is changed. Undo" in text_of(page)
        await one.submit(f"{at}/remove")
        assert (await owner.get("/v1/locations")).json()["data"] == []


async def test_opening_hours_are_rows_of_days_times_and_dates_and_an_undo_puts_them_back(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    at, stored = f"/desk/settings/locations/{cafe.location}", f"/v1/locations/{cafe.location}"
    before = [{"days": ["sun"], "start": "10:00", "end": "24:00", "except": ["2026-12-27"]}]
    await owner.patch(stored, {"openingHours": before})
    fields = {"name": "Corner Café", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE", "rotation": "0"}
    hours = {
        **{f"hours.0.{day}": "on" for day in ("mon", "tue", "wed", "thu", "fri")},
        "hours.0.start": "07:30",
        "hours.0.end": "18:00",
        "hours.0.except": "2026-12-25, 2027-01-01",
        **{f"hours.1.{day}": "on" for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")},
        "hours.1.start": "20:00",
        "hours.1.end": "00:00",
        "hours.2.sun": "on",
        "hours.2.start": "09:00",
        "hours.2.end": "10:00",
        "hours.2.remove": "on",
        "hours.3.start": "",
        "hours.3.end": "",
    }
    async with person(service, Role.EDITOR) as one:
        page = await one.open(at)
        assert 'value="00:00"' in page.text
        assert "Sun 10:00–24:00" in text_of(await one.open("/desk/settings/locations"))
        await one.submit(at, {**fields, **hours})
        assert (await owner.get(stored)).json()["openingHours"] == [
            {
                "days": ["mon", "tue", "wed", "thu", "fri"],
                "except": ["2026-12-25", "2027-01-01"],
                "start": "07:30",
                "end": "18:00",
            },
            {"days": None, "start": "20:00", "end": "24:00"},
        ]
        said = await one.open(at)
        assert "Corner Café is changed. Undo" in text_of(said)
        await one.submit(*undo_of(said))
        assert (await owner.get(stored)).json()["openingHours"] == before


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"timezone": "Mars/Base"}, "time zone"),
        ({"name": ""}, "This is too short."),
        ({"hours.0.start": "8", "hours.0.end": "18:00"}, "This must be a time such as 08:00."),
        ({"hours.0.start": "08:00", "hours.0.end": "18:00", "hours.0.except": "soon"}, "This must be a date"),
    ],
)
async def test_what_is_not_valid_shows_the_form_again_with_what_was_typed(
    service: Service, owner: Caller, cafe: Cafe, wrong: dict[str, str], said: str
) -> None:
    at = f"/desk/settings/locations/{cafe.location}"
    async with person(service, Role.EDITOR) as one:
        await one.open(at)
        again = await one.submit(at, {**PLACE, "name": "Typed", **wrong})
        assert again.status_code == 422
        assert said in text_of(again)
        assert 'aria-invalid="true"' in again.text
        assert "Asia/Dubai" in again.text
        assert (await owner.get(f"/v1/locations/{cafe.location}")).json()["name"] == "Corner Café"


async def test_a_location_with_screens_stays(service: Service, owner: Caller, cafe: Cafe, device: object) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/settings/locations")
        refused = await one.submit(f"/desk/settings/locations/{cafe.location}/remove")
        assert refused.status_code == 409
        assert "This is in use." in text_of(refused)


async def test_a_group_is_made_changed_and_removed(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/settings/groups/new")
        await one.submit("/desk/settings/groups/new", {"name": "North", f"locations:{cafe.location}": "on"})
        assert "Corner Café" in text_of(await one.open("/desk/settings/groups"))
        [group] = (await owner.get("/v1/groups")).json()["data"]
        assert (group["precedence"], group["locations"]) == (0, [cafe.location])

        at = f"/desk/settings/groups/{group['id']}"
        await one.submit(at, {"name": "North", "precedence": "٥"})
        after = (await owner.get(f"/v1/groups/{group['id']}")).json()
        assert (after["precedence"], after["locations"]) == (5, [])
        await one.submit(*undo_of(await one.open(at)))
        assert (await owner.get(f"/v1/groups/{group['id']}")).json()["locations"] == [cafe.location]
        assert (await one.submit(at, {"name": "North", "precedence": "high"})).status_code == 422
        await one.submit(f"{at}/remove")
        assert (await owner.get("/v1/groups")).json()["data"] == []


async def test_who_only_reads_has_no_form_but_the_one_to_sign_out(service: Service, owner: Caller, cafe: Cafe) -> None:
    group = await owner.make("/v1/groups", {"name": "North", "locations": [cafe.location]})
    async with person(service, Role.VIEWER) as one:
        for page in (f"locations/{cafe.location}", f"groups/{group['id']}", "locations", "groups"):
            shown = await one.open(f"/desk/settings/{page}")
            assert shown.status_code == 200
            assert buttons(shown) == {"/desk/sign-out"}
        for act in ("locations/new", f"locations/{cafe.location}", f"groups/{group['id']}/remove"):
            assert (await one.submit(f"/desk/settings/{act}")).status_code == 403
