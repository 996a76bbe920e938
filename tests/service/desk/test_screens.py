"""Screens at the desk: tiles, filters, pairing and the acts on a screen."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from service.core.permissions import Role
from service.desk.screens.read_out import BY_WHO, READ_OUT
from service.desk.words import LANGUAGES
from tests.service.support.application import Cafe, Caller, Device, Service, png
from tests.service.support.desk import person, text_of

ROOT = Path(__file__).parents[3]


FINDING = {"code": "no_screen", "severity": "error", "what": "The panel is off.", "do": "Press its button."}
SWITCH_ON = {
    "en-GB": "Please switch the screen on",
    "de-AT": "Bitte schalten Sie den Bildschirm ein",
    "fr-FR": "Allumez l’écran, s’il vous plaît",
    "es-ES": "Encienda la pantalla, por favor",
    "ar-EG": "يرجى تشغيل الشاشة",
    "it-IT": "Please switch the screen on",
}


async def test_a_tile_says_what_is_wrong_and_its_page_what_to_read_out(
    service: Service, cafe: Cafe, device: Device
) -> None:
    await device.heartbeat(findings=[FINDING])
    async with person(service, Role.VIEWER) as one:
        assert "The panel is off." in text_of(await one.open("/desk/screens"))
        page = text_of(await one.open(f"/desk/screens/{device.screen}"))
        assert "The panel is off. Press its button. Read this to the shop: Bitte schalten Sie" in page
        assert "In your language: Please switch the screen on" in page

        service.clock.set(service.clock.now().replace(hour=23))
        page = text_of(await one.open(f"/desk/screens/{device.screen}"))
        assert "It does not call. Read this to the shop: Bitte sehen Sie auf den Bildschirm." in page
        assert "In your language: Please look at the screen." in page


@pytest.mark.first_case
@pytest.mark.parametrize(("locale", "said"), SWITCH_ON.items())
async def test_the_sentence_for_the_shop_is_in_its_language_and_in_english_for_others(
    service: Service, owner: Caller, cafe: Cafe, device: Device, locale: str, said: str
) -> None:
    await owner.patch(f"/v1/locations/{cafe.location}", {"locale": locale})
    await device.heartbeat(findings=[FINDING])
    async with person(service, Role.VIEWER) as one:
        page = await one.open(f"/desk/screens/{device.screen}")
        language = locale[:2] if locale[:2] in LANGUAGES else "en"
        assert f'<blockquote lang="{language}" dir="auto">{said}' in page.text
        assert ("In your language:" in text_of(page)) == (language != "en")


async def test_what_the_shop_has_no_part_in_is_said_to_be_seen_to(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await owner.patch(f"/v1/locations/{cafe.location}", {"locale": "en-GB"})
    path = f"/desk/screens/{device.screen}"
    async with person(service, Role.VIEWER) as one:
        for number, (who, said) in enumerate(
            (
                ("operator", "You need not do anything: we see to this from here."),
                ("nobody", "The screen mends this by itself."),
                ("here", "Press its button."),
            )
        ):
            await device.heartbeat(findings=[FINDING | {"code": f"new_{who}", "who": who}], sequence=number + 2)
            assert f"Read this to the shop: {said}" in text_of(await one.open(path)), who


def test_each_finding_in_which_the_shop_has_a_part_has_a_sentence_for_it() -> None:
    guide = (ROOT / "docs/field-guide.md").read_text(encoding="utf-8").partition("## The screen")[2]
    guide = guide.partition("## Find a screen")[0]
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", guide, re.MULTILINE)
    assert len(rows) > 90
    by_who = {_WHO[who]: BY_WHO.get(_WHO[who]) for _, who in rows}
    assert {code for code, who in rows if by_who[_WHO[who]] is None} - READ_OUT.keys() == set()
    assert {code for code, who in rows if by_who[_WHO[who]] == READ_OUT.get(code)} == set(), "its `who` says it"
    assert READ_OUT.keys() - {code for code, _ in rows} == set()


_WHO = {
    "you": "here",
    "who runs the network": "network",
    "who looks after the menus": "operator",
    "who runs the service": "service",
    "nobody: it mends itself": "nobody",
    "nobody: it is right": "nobody",
}


async def test_screens_are_found_by_name_place_tag_and_trouble(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await device.heartbeat()
    await owner.patch(f"/v1/screens/{device.screen}", {"name": "Theke Süd", "tags": ["south"]})
    group = await owner.make("/v1/groups", {"name": "South", "locations": [cafe.location]})
    async with person(service, Role.VIEWER) as one:
        for query, found in (
            ("search=süd", True),
            (f"search={device.screen[-6:]}", True),
            ("search=nord", False),
            (f"location={cafe.location}", True),
            (f"group={group['id']}", True),
            ("tag=south", True),
            ("tag=north", False),
            ("trouble=1", False),
        ):
            assert ("Theke Süd" in text_of(await one.open(f"/desk/screens?{query}"))) == found, query
        assert (await one.open("/desk/screens?location=nowhere")).status_code == 422


async def test_screens_page(service: Service, owner: Caller, cafe: Cafe) -> None:
    for number in range(50):
        device = service.device(f"{number:032x}")
        codes = await device.ask_codes()
        body = {"code": codes.user_code, "playlist": cafe.playlist, "location": cafe.location, "name": f"S{number}"}
        await owner.make("/v1/screens/pair", body)
    async with person(service, Role.VIEWER) as one:
        first = await one.open("/desk/screens")
        assert first.text.count('class="tile') - first.text.count('class="tiles') == 48
        following = first.text.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
        assert "S49" in text_of(await one.open(following.replace("&amp;", "&")))


async def test_a_screen_is_paired_by_its_code(service: Service, owner: Caller, cafe: Cafe) -> None:
    device = service.device()
    codes = await device.ask_codes()
    form = {"code": "wrong1", "location": cafe.location, "playlist": cafe.playlist, "name": "Counter"}
    async with person(service, Role.PUBLISHER) as one:
        await one.open("/desk/screens/pair")
        refused = await one.submit("/desk/screens/pair", form)
        assert refused.status_code in (404, 422)
        assert 'value="wrong1"' in refused.text
        paired = await one.submit("/desk/screens/pair", {**form, "code": codes.user_code.lower()})
        assert paired.status_code == 303
        assert "Counter is paired." in text_of(await one.open(paired.headers["location"]))


async def test_a_screen_is_renamed_and_the_change_undone(service: Service, cafe: Cafe, device: Device) -> None:
    path = f"/desk/screens/{device.screen}"
    async with person(service, Role.PUBLISHER) as one:
        await one.open(path)
        form = {"name": "Window", "location": cafe.location, "playlist": cafe.playlist, "tags": "left, big"}
        assert (await one.submit(path, form)).status_code == 303
        page = await one.open(path)
        assert "Window is changed. Undo" in text_of(page)
        assert 'value="left, big"' in page.text
        await one.submit(path, {**form, "name": "Bar", "tags": ""})
        assert "Bar" in text_of(await one.open(path))


async def test_a_command_is_given_and_taken_back_before_the_screen_has_it(
    service: Service, owner: Caller, device: Device
) -> None:
    path = f"/desk/screens/{device.screen}"
    async with person(service, Role.PUBLISHER) as one:
        await one.open(path)
        said = await one.act(f"{path}/commands", {"type": "identify"})
        assert "The screen shows which one it is. Undo" in text_of(said)
        [given] = (await owner.get(f"/v1/screens/{device.screen}/commands")).json()["data"]
        assert "The screen does not get it." in text_of(await one.act(f"{path}/commands/{given['id']}/withdraw"))
        assert (await owner.get(f"/v1/screens/{device.screen}/commands")).json()["data"] == []
        assert (await one.act(f"{path}/commands", {"type": "explode"})).status_code == 422


async def test_a_screen_shows_its_last_picture_and_is_removed(service: Service, device: Device) -> None:
    path = f"/desk/screens/{device.screen}"
    async with person(service, Role.PUBLISHER) as one:
        assert (await one.client.get(f"{path}/picture")).headers["location"].endswith("no-picture.svg")
        await device.send("screenshot", png())
        assert (await one.client.get(f"{path}/picture")).content == png()
        await one.open(path)
        assert (await one.submit(f"{path}/remove")).headers["location"] == "/desk/screens"
        assert (await one.open(path)).status_code == 404


async def test_a_phone_that_reads_the_qr_code_of_a_screen_finds_the_code_in_the_form(
    service: Service, cafe: Cafe
) -> None:
    codes = await service.device().ask_codes()
    address = urlsplit(codes.answer["verification_uri_complete"])
    async with person(service, Role.PUBLISHER) as one:
        page = await one.open(f"{address.path}?{address.query}")
    assert f'value="{codes.user_code}"' in page.text
