"""The first run: each step at its address, gone on with where it was left; guesses by the language of the browser."""

from typing import Any

import pytest

from service.core.permissions import Role
from service.desk.guesses import guess, zones
from tests.service.support.application import Caller, Service
from tests.service.support.desk import ORIGIN, Person, person, text_of

MENU = "Coffee\nFlat white 3.40\nEspresso 2.20\nNobody knows\nBeer 1.250"


async def post_menu(one: Person, **fields: str) -> Any:
    await one.open("/desk/start/menu?template=coffee-bar")
    data = {"csrf": one.csrf, "template": "coffee-bar", **fields}
    return await one.client.post("/desk/start/menu", data=data, files={"file": ("", b"")}, headers={"Origin": ORIGIN})


async def make_place(one: Person) -> None:
    await one.open("/desk/start/location")
    given = {"name": "Corner Café", "timezone": "Europe/Vienna", "currency": "EUR", "locale": "de-AT"}
    assert (await one.submit("/desk/start/location", given)).headers["location"] == "/desk/start/template"


async def test_an_empty_installation_is_led_from_step_to_step(service: Service, owner: Caller) -> None:
    async with person(service, Role.OWNER) as one:
        first = await one.open("/desk/screens", **{"Accept-Language": "de-AT"})
        assert str(first.url).endswith("/desk/start/location")
        for guessed in ("<option selected>Europe/Vienna", 'value="EUR"', 'value="de-AT"'):
            assert guessed in first.text
        wrong = await one.submit("/desk/start/location", {"name": "Corner", "timezone": "Mars", "locale": "x"})
        assert wrong.status_code == 422
        assert 'value="Corner"' in wrong.text
        await make_place(one)
        assert str((await one.open("/desk/start")).url).endswith("/template")
        chosen = await one.submit("/desk/start/template", {"template": "coffee-bar"})
        assert chosen.headers["location"] == "/desk/start/menu?template=coffee-bar"

        looked = text_of(await post_menu(one, text=MENU))
        assert "2 new items" in looked
        assert "Line 5" in looked
        assert (await owner.get("/v1/content/items")).json()["data"] == []
        applied = await post_menu(one, text=MENU, act="apply")
        assert applied.headers["location"] == "/desk/start/pair"
        assert "Imported: 2 new items, 0 changed; 1 row was left." in text_of(await one.open("/desk/start/pair"))
        [playlist] = (await owner.get("/v1/playlists")).json()["data"]
        assert playlist["version"] == 1
        assert str((await one.open("/desk/start")).url).endswith("/pair")

        refused = await one.submit("/desk/start/pair", {"code": "BCDFGH"})
        assert "No screen shows this code." in text_of(refused)
        device = service.device()
        codes = await device.ask_codes()
        assert (await one.submit("/desk/start/pair", {"code": codes.user_code})).headers[
            "location"
        ] == "/desk/start/done"
        assert "The screen fetches your board" in text_of(await one.open("/desk/start"))


async def test_a_menu_that_is_there_goes_onto_the_board_of_the_template(service: Service, owner: Caller) -> None:
    await owner.make("/v1/content/items", {"name": "Tea", "category": "Tea", "price": 3})
    async with person(service, Role.OWNER) as one:
        await make_place(one)
        assert str((await one.open("/desk/start")).url).endswith("/template")
        made = await one.submit("/desk/start/template", {"template": "list"})
        assert made.headers["location"] == "/desk/start/pair"
        assert (await one.submit("/desk/start/template", {"template": "nowhere"})).status_code in (303, 422)


async def test_the_sample_menu_is_one_to_paste(service: Service) -> None:
    async with person(service, Role.OWNER) as one:
        await make_place(one)
        page = (await one.open("/desk/start/menu?template=list&sample=1")).text
        assert "Flat white\t3.80" in page
        assert str((await one.open("/desk/start/menu")).url).endswith("/template")


async def test_who_may_pair_no_screens_is_not_led_there(service: Service) -> None:
    async with person(service, Role.EDITOR) as one:
        assert str((await one.open("/desk/screens")).url).endswith("/desk/screens")
        for step in ("", "/location", "/template", "/menu", "/pair", "/done"):
            assert (await one.open(f"/desk/start{step}")).status_code == 403


@pytest.mark.parametrize(
    ("accepted", "zone", "currency", "locale"),
    [
        ("de-AT,de;q=0.9", "Europe/Vienna", "EUR", "de-AT"),
        ("en-US", "America/New_York", "USD", "en-US"),
        ("fr", "Europe/Paris", "EUR", "fr-FR"),
        ("ar", "Africa/Cairo", "EGP", "ar-EG"),
        ("xx-??, es-MX", "America/Mexico_City", "MXN", "es-MX"),
        ("", "", "", ""),
        ("*", "", "", ""),
    ],
)
def test_the_language_of_a_browser_tells_where_it_may_be(accepted: str, zone: str, currency: str, locale: str) -> None:
    found = guess(accepted)
    assert (found.zone, found.currency, found.locale) == (zone, currency, locale)


@pytest.mark.parametrize("accepted", ["es-AR", "uk-UA", "de-DE", "ja-JP", "hi-IN", "vi-VN", "en-US", "ar-EG"])
def test_a_guessed_zone_can_be_chosen(accepted: str) -> None:
    assert guess(accepted).zone in zones()
