"""Boards at the desk: made from templates, edited as a form, and never overwritten unawares."""

import re
from html import unescape
from typing import get_args

import pytest
from pydantic import BaseModel

from menu.documents.scene import Slide
from service.core.permissions import Role
from service.desk.boards.offers import BACKGROUND, BOARD, PLACE, SLIDE, SPAN, THEME, WIDGETS, Offer
from service.schema.content import scene as models
from service.schema.documents import model_of
from tests.service.support.application import Cafe, Caller, Service, png
from tests.service.support.desk import Person, person, text_of

BOARDS = "/desk/boards"
ADDED = {"act": "add:slideshow"}


def fields_of(page: str) -> dict[str, str]:
    """The fields of the editor, as a browser would send them."""
    form = page[page.index('<input type="hidden" name="tag"') :]
    form = form[: form.index("</form>")]
    found: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", form):
        given = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        if given.get("type") != "checkbox" or " checked" in tag:
            found[given["name"]] = given.get("value", "")
    found |= dict(re.findall(r'<textarea[^>]*name="([^"]*)"[^>]*>([^<]*)</textarea>', form))
    for name, body in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', form, re.S):
        options = re.findall(r'<option value="([^"]*)"( selected)?', body)
        found[name] = next((value for value, chosen in options if chosen), options[0][0])
    return {name: unescape(value) for name, value in found.items()}


async def make(one: Person, template: str = "burgers", **form: str) -> str:
    await one.open(BOARDS)
    made = await one.submit(f"{BOARDS}/new/{template}", form)
    assert made.status_code == 303, made.text
    return made.headers["location"]


async def test_a_board_is_made_from_a_template_with_its_texts_categories_and_theme(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.EDITOR) as one:
        assert "Burgers" in text_of(await one.open(f"{BOARDS}/new"))
        asked = await one.open(f"{BOARDS}/new/burgers?theme=night&orientation=portrait")
        assert "Burgers" in asked.text
        category = (await owner.get(f"/v1/content/items/{cafe.coffee}")).json()["category"]
        form = {"name": "Lunch", "theme": "night", "orientation": "portrait", "fill.headline": "Good day"}
        made = await make(one, **form, **{f"fill.mains.{category}": "1"})
        assert "Lunch is there." in text_of(await one.open(made))
    scene = (await owner.get(f"/v1/scenes/{made.rpartition('/')[2]}")).json()
    widgets = {widget["id"]: widget for widget in scene["widgets"]}
    assert scene["height"] > scene["width"]
    assert widgets["headline"]["text"] == "Good day"
    assert widgets["mains"]["categories"] == [category]


@pytest.mark.long
async def test_a_form_that_is_saved_as_it_was_opened_changes_nothing(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.EDITOR) as one:
        for template in ("burgers", "cards", "happy-hour", "promo", "combos", "bakery"):
            board = await make(one, template)
            path = f"/v1/scenes/{board.rpartition('/')[2]}"
            before = (await owner.get(path)).json()
            saved = await one.submit(board, fields_of((await one.open(board)).text))
            assert saved.status_code == 303, text_of(saved)
            after = (await owner.get(path)).json()
            assert {**after, "changedAt": "", "changedBy": ""} == {**before, "changedAt": "", "changedBy": ""}


async def test_texts_categories_theme_and_background_are_saved(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        board = await make(one)
        form = fields_of((await one.open(board)).text)
        form |= {"name": "Evening", "widgets.headline.text": "Now\r\nopen", "theme.textColor": "#FFFFFF"}
        form |= {"background": "gradient", "gradient.from": "#000000", "gradient.to": "#222222", "gradient.angle": "90"}
        form |= {"widgets.mains.minTextSize": "32.5", "widgets.headline.x": "870"}
        form.pop("widgets.mains.showTags")
        saved = await one.submit(board, form)
        assert saved.status_code == 303, text_of(saved)
        assert "Evening is saved." in text_of(await one.open(board))
    scene = (await owner.get(f"/v1/scenes/{board.rpartition('/')[2]}")).json()
    widgets = {widget["id"]: widget for widget in scene["widgets"]}
    assert (scene["name"], scene["theme"]["textColor"]) == ("Evening", "#FFFFFF")
    assert scene["background"] == {"gradient": {"from": "#000000", "to": "#222222", "angle": 90}}
    assert (widgets["headline"]["text"], widgets["headline"]["x"]) == ("Now\nopen", 870)
    assert (widgets["mains"]["minTextSize"], widgets["mains"]["showTags"]) == (32.5, False)


async def test_a_second_editor_is_told_who_changed_the_board_and_loses_nothing(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.EDITOR, "one@example.com") as one, person(service, Role.EDITOR) as two:
        board = await make(one)
        first = fields_of((await one.open(board)).text)
        second = fields_of((await two.open(board)).text)
        await one.submit(board, first | {"widgets.headline.text": "From the first"})
        refused = await two.submit(board, second | {"widgets.headline.text": "From the second"})
        shown = text_of(refused)
        assert refused.status_code == 412
        assert "Kim has changed this board meanwhile." in shown
        assert "Now: From the first" in shown
        assert "From the second" in shown
        again = await two.submit(board, fields_of(refused.text))
        assert again.status_code == 303
    scene = (await owner.get(f"/v1/scenes/{board.rpartition('/')[2]}")).json()
    assert next(one for one in scene["widgets"] if one["id"] == "headline")["text"] == "From the second"


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("name", "", "This is too short."),
        ("widgets.mains.minTextSize", "1", "too large or too small"),
        ("theme.textColor", "red", "A colour is # and six digits"),
        ("widgets.headline.x", "9000", "outside of the board"),
        ("widgets.headline.x", "1e3000000", "must be a number"),
    ],
)
async def test_a_value_out_of_bounds_is_named_and_the_rest_is_kept(
    service: Service, cafe: Cafe, field: str, typed: str, said: str
) -> None:
    async with person(service, Role.EDITOR) as one:
        board = await make(one)
        form = fields_of((await one.open(board)).text)
        refused = await one.submit(board, form | {"widgets.headline.text": "Typed before"} | {field: typed})
        assert refused.status_code == 422
        assert said in text_of(refused)
        assert "Typed before" in refused.text


async def test_a_board_is_duplicated_and_one_in_a_playlist_is_not_removed(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.EDITOR) as one:
        board = await make(one, name="Lunch")
        copy = (await one.submit(f"{board}/copy")).headers["location"]
        assert "This is a copy: Lunch (2)." in text_of(await one.open(copy))
        playlist = (await owner.post("/v1/playlists", {"name": "All"})).json()["id"]
        entry = {"sceneId": copy.rpartition("/")[2], "durationSeconds": 10}
        await owner.post(f"/v1/playlists/{playlist}/scenes", entry)
        refused = await one.submit(f"{copy}/remove")
        assert refused.status_code == 409
        assert "This is in use." in text_of(refused)
        await one.submit(f"{board}/remove")
        assert "Lunch is removed." in text_of(await one.open(BOARDS))


async def test_hours_are_added_changed_and_removed_with_undo(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        board = await make(one)
        scene = f"/v1/scenes/{board.rpartition('/')[2]}"
        days = {"days.mon": "1", "days.tue": "1", "days.wed": "1"}
        await one.submit(
            f"{board}/hours", {"type": "daypart", "start": "18:00", "end": "00:00", **days, "priority": "5"}
        )
        assert "Mon–Wed, 18:00 to 24:00, priority 5" in text_of(await one.open(board))
        given = (await owner.get(scene)).json()["schedules"][0]
        window = {"type": "window", "startsAt": "2026-12-24T18:00", "endsAt": "2026-12-24T20:00"}
        await one.submit(f"{board}/hours", window)
        assert "Dec 24, 2026" in text_of(await one.open(board)) or "24 Dec 2026" in text_of(await one.open(board))
        await one.submit(f"{board}/hours/{given['id']}/remove")
        page = (await one.open(board)).text
        undo = re.search(r'action="([^"]*)"[^>]*>(.(?!</form>))*?class="undo"', page, re.S)
        assert "These hours are gone." in page
        assert undo is not None
        wrong = await one.submit(f"{board}/hours", {"type": "daypart", "start": "25:00", "end": "26:00"})
        assert "This must be a time" in text_of(wrong)
    assert [one["type"] for one in (await owner.get(scene)).json()["schedules"]] == ["window"]


async def test_widgets_are_added_copied_ordered_and_taken_away_and_nothing_is_saved_until_then(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.EDITOR) as one:
        await owner.raw("POST", "/v1/assets", png(90), "image/png")
        board = await make(one)
        path = f"/v1/scenes/{board.rpartition('/')[2]}"
        before = (await owner.get(path)).json()["widgets"]
        form = fields_of((await one.open(board)).text) | {"widgets.headline.text": "Typed before"}
        for kind in (
            "text",
            "clock",
            "qr",
            "shape",
            "countdown",
            "item",
            "image",
            "slideshow",
            "menu",
            "grid",
            "ticker",
        ):
            form = fields_of((await one.submit(f"{board}/draft", form | {"act": f"add:{kind}"})).text)
        form |= {"widgets.text-1.text": "Soup", "widgets.text-1.x": "40"}
        for act in ("copy:text-1", "front:headline", "back:text-2", "remove:qr-1"):
            form = fields_of((await one.submit(f"{board}/draft", form | {"act": act})).text)
        assert (await owner.get(path)).json()["widgets"] == before
        saved = await one.submit(board, form)
        assert saved.status_code == 303, text_of(saved)
        unknown = await one.submit(f"{board}/draft", form | {"act": "paint:text-1"})
        assert unknown.status_code == 400
    widgets = {widget["id"]: widget for widget in (await owner.get(path)).json()["widgets"]}
    assert next(iter(widgets)) == "text-2"
    assert list(widgets)[-1] == "headline"
    assert "qr-1" not in widgets
    assert (widgets["text-2"]["text"], widgets["text-2"]["x"]) == ("Soup", 64)
    assert widgets["headline"]["text"] == "Typed before"
    assert {"clock-1", "shape-1", "countdown-1", "item-1", "image-1", "slideshow-1", "menu-1"} <= set(widgets)


async def test_who_only_reads_sees_a_board_and_no_act_on_it(service: Service, cafe: Cafe) -> None:
    async with person(service, Role.VIEWER) as one:
        shown = (await one.open(f"{BOARDS}/{cafe.scene}")).text
        assert "formaction" not in shown
        assert "editor.js" not in shown
        for path in ("draft", "picture"):
            assert (await one.submit(f"{BOARDS}/{cafe.scene}/{path}", {"act": "add:text"})).status_code == 403


@pytest.mark.long
async def test_a_draft_is_drawn_and_a_fault_of_it_is_said(service: Service, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        board = await make(one)
        form = fields_of((await one.open(board)).text)
        drawn = await one.submit(f"{board}/picture", form | {"view.shape": "portrait", "view.items": "60"})
        assert (drawn.status_code, drawn.headers["content-type"]) == (200, "image/png")
        moved = await one.submit(f"{board}/picture", form | {"widgets.headline.x": "40"})
        assert moved.content != drawn.content
        form = fields_of((await one.open(board)).text)
        wrong = await one.act(f"{board}/picture", form | {"widgets.headline.x": "9000", "csrf": one.csrf})
        assert wrong.status_code == 422
        assert "This would lie outside of the board." in text_of(wrong)
        assert (await one.client.get(f"{board}/draft")).headers["location"] == board


async def test_a_conflict_keeps_what_one_has_added_and_what_the_other_has(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.EDITOR, "one@example.com") as one, person(service, Role.EDITOR) as two:
        board = await make(one)
        first = fields_of((await one.open(board)).text)
        second = fields_of((await two.open(board)).text) | {"widgets.headline.text": "Mine"}
        theirs = fields_of((await one.submit(f"{board}/draft", first | {"act": "add:clock"})).text)
        theirs = fields_of((await one.submit(f"{board}/draft", theirs | {"act": "remove:headline"})).text)
        assert (await one.submit(board, theirs)).status_code == 303
        mine = fields_of((await two.submit(f"{board}/draft", second | {"act": "add:text"})).text)
        refused = await two.submit(board, mine)
        assert refused.status_code == 412
        assert (await two.submit(board, fields_of(refused.text))).status_code == 303
    widgets = {one["id"]: one for one in (await owner.get(f"/v1/scenes/{board.rpartition('/')[2]}")).json()["widgets"]}
    assert {"clock-1", "text-1"} <= set(widgets)
    assert widgets["headline"]["text"] == "Mine"


async def test_the_fields_of_slideshows_menus_items_and_own_themes_are_saved(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.EDITOR) as one:
        await owner.raw("POST", "/v1/assets", png(90), "image/png")
        board = await make(one)
        form = fields_of((await one.open(board)).text)
        for kind in ("slideshow", "item", "countdown"):
            form = fields_of((await one.submit(f"{board}/draft", form | {"act": f"add:{kind}"})).text)
        assets = [one["id"] for one in (await owner.get("/v1/assets")).json()["data"]]
        names = {one["id"]: one["name"] for one in (await owner.get("/v1/content/items")).json()["data"]}
        slides = "widgets.slideshow-1.slides"
        form |= {f"{slides}.0.place": "2", f"{slides}.0.asset": assets[0], f"{slides}.0.durationSeconds": "7"}
        form |= {f"{slides}.1.place": "1", f"{slides}.1.asset": assets[-1], f"{slides}.1.fit": "contain"}
        form |= {f"{slides}.0.focus.x": "0.5", f"{slides}.0.focus.y": "0,2"}
        form |= {"widgets.item-1.itemId": names[cafe.cake].upper(), "widgets.item-1.insteadItemId": names[cafe.coffee]}
        form |= {"widgets.countdown-1.days.mon": "1", "widgets.countdown-1.start": "10:00"}
        form |= {"widgets.mains.itemIds": f"{names[cafe.coffee]}\r\n{names[cafe.cake]}\r\n"}
        form |= {"widgets.mains.languages": "de, en", "widgets.mains.emptyText": "Back at noon"}
        form |= {"widgets.mains.theme.textColor": "#112233", "widgets.mains.theme.priceSymbol": "false"}
        saved = await one.submit(board, form)
        assert saved.status_code == 303, text_of(saved)
        again = fields_of((await one.open(board)).text)
        assert again[f"{slides}.0.asset"] == assets[-1]
        assert (again[f"{slides}.0.focus.x"], again[f"{slides}.1.focus.y"]) == ("", "0.2")
        half = await one.submit(board, again | {f"{slides}.0.focus.x": "0.5"})
        assert half.status_code == 422
        assert f'id="{slides}.0.focus.y-fault"' in half.text
        wrong = await one.submit(board, again | {"widgets.item-1.itemId": "Unheard of"})
        assert wrong.status_code == 422
        assert 'aria-describedby="widgets.item-1.itemId-fault"' in wrong.text
    widgets = {one["id"]: one for one in (await owner.get(f"/v1/scenes/{board.rpartition('/')[2]}")).json()["widgets"]}
    shown = [
        (one["asset"], one["durationSeconds"], one.get("fit", "cover")) for one in widgets["slideshow-1"]["slides"]
    ]
    assert shown == [(assets[-1], 10, "contain"), (assets[0], 7, "cover")]
    assert [one.get("focus") for one in widgets["slideshow-1"]["slides"]] == [None, {"x": 0.5, "y": 0.2}]
    assert (widgets["item-1"]["itemId"], widgets["item-1"]["insteadItemId"]) == (cafe.cake, cafe.coffee)
    assert (widgets["countdown-1"]["days"], widgets["countdown-1"]["start"]) == (["mon"], "10:00")
    assert widgets["mains"]["itemIds"] == [cafe.coffee, cafe.cake]
    assert (widgets["mains"]["languages"], widgets["mains"]["emptyText"]) == (["de", "en"], "Back at noon")
    assert widgets["mains"]["theme"] == {"textColor": "#112233", "priceSymbol": False}


@pytest.mark.long
async def test_the_point_of_a_slide_is_not_that_of_the_picture_that_replaces_it(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.EDITOR) as one:
        # A slideshow is offered where there is something to show.
        assets = [(await owner.raw("POST", "/v1/assets", png(shade), "image/png")).json()["id"] for shade in (1, 2)]
        board = await make(one)
        form = fields_of((await one.submit(f"{board}/draft", fields_of((await one.open(board)).text) | ADDED)).text)
        slide = "widgets.slideshow-1.slides.0"
        point = {f"{slide}.focus.x": "0", f"{slide}.focus.y": "1"}
        await one.submit(board, form | {f"{slide}.asset": assets[0]} | point)
        await one.submit(board, fields_of((await one.open(board)).text) | {f"{slide}.asset": assets[-1]})
    widgets = (await owner.get(f"/v1/scenes/{board.rpartition('/')[2]}")).json()["widgets"]
    assert [one for one in widgets[-1]["slides"] if "focus" in one] == []


async def test_languages_and_panels_of_a_board_are_saved_and_a_bad_one_is_named(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.EDITOR) as one:
        board = await make(one)
        form = fields_of((await one.open(board)).text)
        more = {"board.languages": "de, ar", "board.languageMode": "together", "board.mirrorBoxes": "1"}
        more |= {"board.width": "3880", "board.span.panels": "2", "board.span.gap": "40"}
        assert (await one.submit(board, form | more)).status_code == 303
        path = f"/v1/scenes/{board.rpartition('/')[2]}"
        scene = (await owner.get(path)).json()
        assert (scene["languages"], scene["languageMode"], scene["mirrorBoxes"]) == (["de", "ar"], "together", True)
        assert (scene["width"], scene["span"]) == (3880, {"panels": 2, "gap": 40})
        form = fields_of((await one.open(board)).text)
        assert (await one.submit(board, form)).status_code == 303
        assert (await owner.get(path)).json() == scene

        for wrong in ({"board.languages": "de, en, ar, fr"}, {"board.width": "8"}, {"board.span.gap": "-1"}):
            refused = await one.submit(board, form | wrong)
            assert refused.status_code == 422
            assert f'aria-describedby="{next(iter(wrong))}-fault"' in refused.text

        del form["board.mirrorBoxes"]
        await one.submit(board, form | {"board.languages": "", "board.span.panels": "", "board.width": "1920"})
    scene = (await owner.get(path)).json()
    assert (scene["languages"], scene["mirrorBoxes"], scene["span"]) == ([], False, None)


def test_a_form_offers_each_field_of_a_scene() -> None:
    """Ids and kinds are made by the desk; what a scene holds as a whole has a part of its own in the form."""
    by_hand = {"name", "background", "theme", "transition", "widgets", "span"}
    assert by_hand | names(BOARD) == aliases(models.SceneCreate)
    assert names(SPAN) == aliases(models.SPAN)
    assert names(BACKGROUND) | {"color", "gradient", "asset", "scrim"} == aliases(models.BACKGROUND)
    assert names(THEME) == aliases(models.THEME)
    assert names(SLIDE) | {"focus"} == aliases(model_of(Slide))
    for model in models.WIDGETS.values():
        kind = get_args(model.model_fields["type"].annotation)[0]
        nested = {"image": {"focus"}, "slideshow": {"slides"}}.get(kind, set())
        assert names(WIDGETS[kind]) | names(PLACE) | nested | {"id", "type", "theme"} == aliases(model), kind


def names(offers: tuple[Offer, ...]) -> set[str]:
    return {name for name, _ in offers}


def aliases(model: type[BaseModel]) -> set[str]:
    return set(model.model_json_schema()["properties"])
