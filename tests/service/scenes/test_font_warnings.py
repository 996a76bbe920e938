"""Before a scene is published, it says which scripts its own fonts lack; boards draw those in the usual family."""

from typing import Any

import pytest

from tests.service.support.application import Caller, body_of
from tests.support.fonts import ARABIC, LATIN, font_file

BOX = {"x": 0, "y": 0, "width": 800, "height": 200}


async def font(owner: Caller, letters: str = LATIN, family: str = "Brand Sans") -> str:
    made = await owner.raw("POST", "/v1/assets", font_file(letters, family=family), "font/ttf")
    return str(body_of(made)["id"])


async def located(owner: Caller, locale: str) -> str:
    place = {"name": locale, "timezone": "Europe/Berlin", "currency": "EUR", "locale": locale}
    return str(body_of(await owner.post("/v1/locations", place))["id"])


async def warnings(owner: Caller, *widgets: dict[str, Any], **fields: Any) -> list[tuple[str, list[str]]]:
    listed = [{**BOX, "id": f"w{number}", **one} for number, one in enumerate(widgets)]
    made = await owner.post("/v1/scenes", {"name": "Lunch", "widgets": listed, **fields})
    assert made.status_code == 201, made.text
    found = body_of(await owner.get(f"/v1/scenes/{body_of(made)['id']}"))["warnings"]
    assert found == body_of(made)["warnings"]
    assert {one["code"] for one in found} <= {"font_lacks_script"}
    return [(one["pointer"], one["scripts"]) for one in found]


async def test_a_text_in_a_script_that_the_font_lacks(owner: Caller) -> None:
    brand, both = await font(owner), await font(owner, LATIN + ARABIC)
    text = {"type": "text", "text": "Lunch غداء"}

    assert await warnings(owner, text, theme={"fontFamily": brand}) == [("/theme/fontFamily", ["Arab"])]
    assert await warnings(owner, text, theme={"fontFamily": both}) == []
    assert await warnings(owner, text, theme={"fontFamily": "Inter"}) == []
    own = {**text, "theme": {"fontFamily": brand}}
    assert await warnings(owner, own, theme={"fontFamily": both}) == [("/widgets/0/theme/fontFamily", ["Arab"])]


async def test_only_the_font_that_draws_a_text_is_judged(owner: Caller) -> None:
    brand = await font(owner)
    title = {"type": "text", "text": "غداء", "role": "title"}

    assert await warnings(owner, title, theme={"titleFamily": brand}) == [("/theme/titleFamily", ["Arab"])]
    assert await warnings(owner, title, theme={"headingFamily": brand}) == []
    assert await warnings(owner, title, theme={"fontFamily": brand, "titleFamily": "Inter"}) == []


@pytest.mark.parametrize(("locale", "scripts"), [("ar-KW", ["Arab"]), ("ja-JP", ["Jpan"]), ("zh-TW", ["Hant"])])
async def test_the_language_of_a_location(owner: Caller, locale: str, scripts: list[str]) -> None:
    brand, menu = await font(owner), {"type": "menu"}
    await located(owner, locale)

    assert await warnings(owner, menu, theme={"fontFamily": brand}) == [("/theme/fontFamily", scripts)]
    assert await warnings(owner, menu, theme={"fontFamily": brand}, languages=["de"]) == []
    assert await warnings(owner, {"type": "text", "text": "Lunch"}, theme={"fontFamily": brand}) == []


async def test_the_names_of_items_and_categories(owner: Caller) -> None:
    brand = await font(owner)
    await owner.make("/v1/content/items", {"name": "Σούπα", "category": "Soups", "price": 3})
    await owner.make("/v1/content/items", {"name": "Borscht", "category": "Супы", "price": 3})
    both = {"type": "menu"}

    assert await warnings(owner, both, theme={"fontFamily": brand}) == [("/theme/fontFamily", ["Cyrl", "Grek"])]
    assert await warnings(owner, both, theme={"headingFamily": brand}) == [("/theme/headingFamily", ["Cyrl"])]
    one = {"type": "menu", "categories": ["Супы"], "groupByCategory": False}
    assert await warnings(owner, one, theme={"fontFamily": brand}) == []


async def test_what_it_says_and_that_lists_say_nothing(owner: Caller) -> None:
    brand = await font(owner)
    text = {**BOX, "id": "w", "type": "text", "text": "غداء Ελλάδα"}
    made = body_of(await owner.post("/v1/scenes", {"name": "L", "widgets": [text], "theme": {"fontFamily": brand}}))

    [warning] = made["warnings"]
    assert warning["family"] == "Brand Sans"
    assert warning["detail"].endswith("in their usual family: Arabic, Greek.")
    [listed] = body_of(await owner.get("/v1/scenes"))["data"]
    assert listed["warnings"] is None
