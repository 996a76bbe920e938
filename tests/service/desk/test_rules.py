"""Rules of every page and act: who may, from where, with which headers; stored text stays text."""

import hashlib
import re

import pytest

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Device, Service, png
from tests.service.support.desk import ORIGIN, browser, buttons, person, text_of

EVIL = "<img src=x onerror=alert(1)>\"'&amp;{{7919*7907}}"

PICTURE = f"/desk/pictures/sha256:{hashlib.sha256(png()).hexdigest()}"
MORE = ("/desk/screens/pair", "/desk/rollouts", "/desk/rollouts/new")
MORE += ("/desk/boards/new", "/desk/approvals", "/desk/planned/new")
"""Pages that show no text of the workspace here."""


def pages_of(cafe: Cafe, device: Device) -> list[str]:
    screens = ["/desk/screens", f"/desk/screens/{device.screen}", "/desk/profile"]
    screens += [f"/desk/screens/{device.screen}/{one}" for one in ("moment", "week")]
    menu = ["/desk/menu", f"/desk/menu?at={cafe.location}", *item_pages(cafe), "/desk/planned"]
    menu += [f"/desk/planned/new?item={cafe.coffee}"]
    return [*screens, *menu, *board_pages(cafe), *(f"/desk/settings/{one}" for one in settings_of(cafe))]


def settings_of(cafe: Cafe) -> list[str]:
    lists = ("locations", "groups", "team", "keys", "webhooks", "alerts", "points-of-sale")
    forms = [f"{one}/{'invite' if one == 'team' else 'new'}" for one in lists]
    return [*lists, *forms, "subscription", "audit", f"locations/{cafe.location}"]


def board_pages(cafe: Cafe) -> list[str]:
    playlist = f"/desk/playlists/{cafe.playlist}"
    boards = ["/desk/boards", "/desk/boards/new/burgers", f"/desk/boards/{cafe.scene}"]
    pages = ["/desk/playlists", playlist, *(f"{playlist}/{one}" for one in ("versions/1", "week", "play"))]
    return [*boards, "/desk/pictures", *pages, "/desk/overrides"]


def item_pages(cafe: Cafe) -> list[str]:
    item = f"/desk/menu/{cafe.coffee}"
    steps = [f"/desk/start/{step}" for step in ("location", "template", "menu?template=list", "pair", "done")]
    return [
        item,
        f"{item}/at?place=location:{cafe.location}",
        "/desk/menu/new",
        "/desk/menu/import",
        "/desk/menu/order",
        *steps,
    ]


async def test_every_page_refuses_frames_scripts_of_others_and_caches(
    service: Service, cafe: Cafe, device: Device
) -> None:
    async with person(service, Role.OWNER) as one, browser(service) as nobody:
        answers = [await one.open(page) for page in (*pages_of(cafe, device), *MORE, "/desk/nowhere")]
        await one.submit("/desk/profile/second-factor/begin")
        answers += [await one.open("/desk/profile/second-factor")]
        strange = ("sign-in", "sign-in/link", "sign-in/password", "mailed/sign-in?token=x", "mailed/password?token=x")
        answers += [await nobody.open(f"/desk/{page}") for page in strange]
        answers += [await one.act("/desk/nowhere")]
        for answer in answers[:-1]:
            policy = answer.headers["content-security-policy"]
            assert "default-src 'self'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-frame-options"] == "DENY"
            assert answer.headers["cache-control"] == "no-store"
            assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=|https?://", answer.text), answer.url


async def test_every_page_sends_a_person_who_is_not_signed_in_to_the_sign_in_and_back(
    service: Service, cafe: Cafe, device: Device
) -> None:
    async with browser(service) as one:
        for page in pages_of(cafe, device):
            answer = await one.client.get(page)
            assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (303, "/desk/sign-in"), page
        assert "Sign in" in text_of(await one.open("/desk/menu?search=a%26b"))
        acted = await one.submit(f"/desk/menu/{cafe.coffee}/sold-out", {"sold": "true"})
        assert acted.headers["location"] == "/desk/sign-in"
        part = await one.act(f"/desk/menu/{cafe.coffee}/sold-out", {"sold": "true"})
        assert part.headers["hx-redirect"] == "/desk/sign-in"


async def test_static_files_are_cached_for_good_by_their_digest(service: Service) -> None:
    async with browser(service) as one:
        page = (await one.open("/desk/sign-in")).text
        for address in set(re.findall(r'"(/desk/static/[^"#]*)', page)):
            answer = await one.client.get(address)
            assert answer.status_code == 200, address
            assert "immutable" in answer.headers["cache-control"]
            older = re.sub(r"static/\w+", "static/0", address)
            assert (await one.client.get(older)).headers["cache-control"] == "no-store"
        assert (await one.client.get("/desk/static/0/..%2Fdesk.py")).status_code == 404


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
async def test_a_form_of_another_site_changes_nothing(
    service: Service, owner: Caller, cafe: Cafe, headers: dict[str, str]
) -> None:
    async with person(service, Role.OWNER) as one:
        await one.open("/desk/menu")
        refused = await one.submit(f"/desk/menu/{cafe.coffee}/sold-out", {"sold": "true"}, **headers)
        assert refused.status_code == 403
        assert "from another site" in text_of(refused)
        assert not (await owner.get(f"/v1/content/items/{cafe.coffee}")).json()["eightySixed"]


async def test_a_form_without_the_token_of_the_session_changes_nothing(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.OWNER) as one, person(service, Role.OWNER) as other:
        await other.open("/desk/menu")
        path = f"/desk/menu/{cafe.coffee}/sold-out"
        for token in ("", "x", other.csrf):
            refused = await one.client.post(path, data={"sold": "true", "csrf": token}, headers={"Origin": ORIGIN})
            assert refused.status_code == 403
        assert not (await owner.get(f"/v1/content/items/{cafe.coffee}")).json()["eightySixed"]


async def test_a_page_is_compressed_and_its_token_is_another_text_each_time(service: Service, cafe: Cafe) -> None:
    async with person(service, Role.OWNER) as one:
        seen = set()
        for coding in ("gzip", "gzip", "identity"):
            page = await one.open("/desk/menu", **{"Accept-Encoding": coding})
            assert page.headers.get("Content-Encoding", "identity") == coding
            assert "Accept-Encoding" in page.headers["Vary"]
            assert "Flat white" in text_of(page)
            seen.add(one.csrf)
            said = await one.submit(f"/desk/menu/{cafe.coffee}/sold-out", {"sold": "true"})
            assert said.status_code == 303, "each of them is taken"
        assert len(seen) == 3
        sheet = re.search(r'href="(/desk/static/[^"]+\.css)"', page.text)
        assert sheet is not None
        style = await one.client.get(sheet[1], headers={"Accept-Encoding": "gzip"})
        assert style.headers["Content-Encoding"] == "gzip"
        assert "--" in style.text


@pytest.mark.first_case
@pytest.mark.parametrize("part", ["settings", "boards", "menu and screens"])
@pytest.mark.parametrize("role", list(Role))
async def test_a_person_sees_exactly_the_buttons_that_their_role_may_press(
    service: Service, cafe: Cafe, device: Device, role: Role, part: str
) -> None:
    pages = {
        "settings": tuple(f"/desk/settings/{one}" for one in settings_of(cafe)),
        "boards": (
            *(f"/desk/boards/{cafe.scene}", f"/desk/playlists/{cafe.playlist}"),
            *("/desk/playlists", "/desk/overrides", "/desk/pictures", PICTURE),
        ),
        "menu and screens": (
            *("/desk/menu", "/desk/planned", "/desk/planned/new", *item_pages(cafe)[:2]),
            f"/desk/screens/{device.screen}",
        ),
    }
    await service.caller(Role.OWNER).raw("POST", "/v1/assets", png(), "image/png")
    async with person(service, role) as one, person(service, Role.OWNER, "owner@example.com") as boss:
        for page in pages[part]:
            everything, seen = buttons(await boss.open(page)), buttons(await one.open(page))
            assert seen <= everything
            for path in sorted(everything):
                is_last_of_item = path.endswith("/delete") and path in seen
                if path.startswith("/desk/sign-out") or is_last_of_item:
                    continue
                answer = await one.act(path)
                assert (answer.status_code == 403) == (path not in seen), f"{role} {path} {answer.status_code}"
                if path == f"/desk/screens/{device.screen}/remove" and path in seen:
                    return


async def test_stored_text_stays_text_on_every_page(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await owner.patch(f"/v1/locations/{cafe.location}", {"name": EVIL})
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"name": EVIL, "category": EVIL[:100]})
    await owner.patch(f"/v1/screens/{device.screen}", {"name": EVIL, "tags": [EVIL[:50]]})
    text = {"id": "text", "type": "text", "text": EVIL[:-7], "x": 0, "y": 900, "width": 900, "height": 90}
    # Without the braces: texts of widgets refuse values that nobody gives.
    named = await owner.patch(f"/v1/scenes/{cafe.scene}", {"name": EVIL, "widgets": [text]})
    assert named.status_code == 200, named.text
    await owner.patch(f"/v1/playlists/{cafe.playlist}", {"name": EVIL})
    await owner.post(f"/v1/playlists/{cafe.playlist}/publish")
    until = {"until": "2026-11-21T12:00:00Z", "reason": EVIL, "target": {"everything": True}}
    await owner.make("/v1/overrides", {"scene": cafe.scene, **until})
    change = {"item": cafe.coffee, "price": 4}
    await owner.make("/v1/planned-changes", {"name": EVIL, "at": "2026-11-21T05:00", "changes": [change]})
    finding = {"code": "x", "severity": "error", "what": EVIL, "do": EVIL}
    await device.heartbeat(findings=[finding], appVersion=EVIL)
    await device.send("logs", EVIL.encode())
    picture = (await owner.raw("POST", "/v1/assets", png(), "image/png")).json()["id"]
    await owner.patch(f"/v1/assets/{picture}", {"alt": EVIL})
    async with person(service, Role.OWNER) as one:
        log = f"/desk/screens/{device.screen}/log"
        for page in (*pages_of(cafe, device), log, PICTURE, f"/desk/menu?search={'%3Cimg src=x onerror=alert(1)%3E'}"):
            shown = (await one.open(page)).text
            assert "<img src=x" not in shown, page
            assert str(7919 * 7907) not in shown, page
        await one.submit(f"/desk/menu/{cafe.coffee}/sold-out", {"sold": "true"})
        said = (await one.open("/desk/menu")).text
        assert "is sold out everywhere" in said
        assert "<img src=x" not in said


async def test_what_an_act_said_is_said_once_and_by_this_browser_alone(service: Service, cafe: Cafe) -> None:
    async with person(service, Role.OWNER) as one:
        await one.open("/desk/menu")
        await one.submit(f"/desk/menu/{cafe.coffee}/sold-out", {"sold": "true"})
        assert "Flat white is sold out everywhere." in text_of(await one.open("/desk/menu"))
        assert "is sold out everywhere." not in text_of(await one.open("/desk/menu"))
        for broken in ("x", "W10=", "eyJ9"):
            one.client.cookies.set("__Host-desk-said", broken, domain="service.test")
            assert (await one.client.get("/desk/menu")).status_code == 200


@pytest.mark.parametrize(
    ("accepted", "words"), [("de-AT,en;q=0.5", "Bildschirme"), ("tlh;q=x, ar", "الشاشات"), ("ja", "Screens")]
)
async def test_the_desk_speaks_the_language_of_the_browser_until_a_person_chooses_another(
    service: Service, accepted: str, words: str
) -> None:
    async with person(service, Role.OWNER) as one:
        page = await one.open("/desk/screens", **{"Accept-Language": accepted})
        assert words in text_of(page)
        assert ('dir="rtl"' in page.text) == (words == "الشاشات")
        await one.submit("/desk/profile/language", {"language": "fr"})
        assert "Écrans" in text_of(await one.open("/desk/screens", **{"Accept-Language": accepted}))
