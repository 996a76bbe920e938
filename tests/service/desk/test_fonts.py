"""Fonts at the desk: uploaded with the pictures, chosen for boards by their family, and warned of."""

import hashlib

from service.core.permissions import Role
from tests.service.desk.test_boards import fields_of
from tests.service.support.application import Cafe, Caller, Service, png
from tests.service.support.desk import person, text_of
from tests.support.fonts import font_file

PICTURES = "/desk/pictures"
FONT = font_file(family="Brand Sans", weight=700)
NAME = "sha256:" + hashlib.sha256(FONT).hexdigest()
TEXT = {"id": "text", "type": "text", "x": 0, "y": 0, "width": 800, "height": 200, "text": "غداء"}


async def test_fonts_lie_among_the_pictures(service: Service, owner: Caller) -> None:
    await owner.raw("POST", "/v1/assets", FONT, "font/ttf")
    await owner.raw("POST", "/v1/assets", png(), "image/png")
    async with person(service, Role.EDITOR) as one:
        listed = await one.open(PICTURES)
        assert "Brand Sans 700" in text_of(listed)
        assert listed.text.count("/thumbnail") == 1
        shown = await one.open(f"{PICTURES}/{NAME}")
        assert "Brand Sans 700" in text_of(shown)
        assert "Latin" in text_of(shown)
        assert "/thumbnail" not in shown.text


async def test_a_refused_font_says_what_to_do(service: Service, owner: Caller) -> None:
    bad = b"wOF2" + bytes(60)
    async with person(service, Role.EDITOR) as one:
        await one.open(PICTURES)
        begun = await one.submit(f"{PICTURES}/uploads", {"mediaType": "font/ttf", "size": str(len(bad))})
        headers = {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream", "X-CSRF-Token": one.csrf}
        sent = await one.client.post(f"{PICTURES}/uploads/{begun.json()['id']}", content=bad, headers=headers)
    assert "not as WOFF" in text_of(sent)


async def test_a_board_takes_a_font_by_its_family(service: Service, owner: Caller, cafe: Cafe) -> None:
    await owner.raw("POST", "/v1/assets", FONT, "font/ttf")
    made = await owner.make("/v1/scenes", {"name": "Lunch", "widgets": [TEXT], "theme": {"titleFamily": "Noto Serif"}})
    board, path = f"/desk/boards/{made['id']}", f"/v1/scenes/{made['id']}"
    async with person(service, Role.EDITOR) as one:
        page = await one.open(board)
        assert '<option value="Brand Sans 700">' in page.text
        form = fields_of(page.text)
        assert form["theme.titleFamily"] == "Noto Serif"
        form |= {"theme.fontFamily": "brand sans 700", "widgets.text.theme.headingFamily": "Brand Sans 700"}
        assert (await one.submit(board, form)).status_code == 303
        after = (await owner.get(path)).json()
        assert after["theme"] == {"fontFamily": NAME, "titleFamily": "Noto Serif"}
        assert after["widgets"][0]["theme"] == {"headingFamily": NAME}

        page = await one.open(board)
        form = fields_of(page.text)
        assert form["theme.fontFamily"] == "Brand Sans 700"
        assert "The font Brand Sans has no letters of these scripts: Arabic." in text_of(page)
        assert (await one.submit(board, form | {"name": "Same fonts"})).status_code == 303
        assert (await owner.get(path)).json()["theme"] == after["theme"]
        assert (
            await one.submit(board, fields_of((await one.open(board)).text) | {"theme.fontFamily": ""})
        ).status_code == 303
        assert (await owner.get(path)).json()["theme"] == {"titleFamily": "Noto Serif"}


async def test_two_files_of_one_family_are_told_apart(service: Service, owner: Caller, cafe: Cafe) -> None:
    other = font_file("ABC", family="Brand Sans", weight=700)
    await owner.raw("POST", "/v1/assets", FONT, "font/ttf")
    await owner.raw("POST", "/v1/assets", other, "font/ttf")
    made = await owner.make("/v1/scenes", {"name": "Lunch", "widgets": [TEXT]})
    async with person(service, Role.EDITOR) as one:
        page = await one.open(f"/desk/boards/{made['id']}")
    assert '<option value="Brand Sans 700">' in page.text
    assert f'<option value="Brand Sans 700 ({hashlib.sha256(other).hexdigest()[-6:]})">' in page.text
