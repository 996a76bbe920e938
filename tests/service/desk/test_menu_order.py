"""The page with the order of the menu."""

import re
from html import unescape

from service.core.permissions import Role
from tests.service.support.application import Caller, Service
from tests.service.support.desk import buttons, person, text_of, undo_of

ORDER = "/desk/menu/order?category=Tea+%26+Milk"


async def filled(owner: Caller) -> dict[str, str]:
    names = ("Assam", "<b>Chai</b>", "Mate")
    return {
        name: (await owner.make("/v1/content/items", {"name": name, "category": "Tea & Milk", "price": 3}))["id"]
        for name in names
    }


def order_on(page: str) -> list[str]:
    return re.findall(r'data-entry="([^"]+)"', page)


async def test_items_move_by_a_place_and_to_one_and_back(service: Service, owner: Caller) -> None:
    made = await filled(owner)
    assam, chai, mate = made.values()
    async with person(service, Role.EDITOR) as one:
        page = await one.open("/desk/menu?category=Tea+%26+Milk")
        assert ORDER in unescape(page.text)
        page = await one.open(ORDER)
        assert "<b>Chai" not in page.text.replace("&lt;b&gt;", "")
        assert order_on(page.text) == [assam, chai, mate]

        part = await one.act(ORDER, {"entry": mate, "to": "1"})
        assert order_on(part.text) == [mate, assam, chai]
        assert "Mate is moved. The boards follow." in text_of(part)
        action, fields = undo_of(part)
        assert order_on((await one.act(unescape(action), fields)).text) == [assam, chai, mate]

        for entry, to in ((assam, "down"), (chai, "up"), (chai, "x")):
            answer = await one.submit(ORDER, {"entry": entry, "to": to})
            assert answer.headers["location"] == ORDER
            assert order_on((await one.open(ORDER)).text) == [chai, assam, mate]
        assert (await one.submit(ORDER, {"entry": "itm_removed", "to": "up"})).status_code == 404


async def test_a_viewer_is_not_led_there(service: Service, owner: Caller) -> None:
    await filled(owner)
    async with person(service, Role.VIEWER) as one:
        assert "/desk/menu/order" not in (await one.open("/desk/menu")).text
        assert (await one.open(ORDER)).status_code == 403


async def test_without_items_it_says_so(service: Service) -> None:
    async with person(service, Role.EDITOR) as one:
        page = await one.open("/desk/menu/order")
        assert "The menu has no items yet." in text_of(page)
        assert "/desk/menu/order" not in " ".join(buttons(page))
