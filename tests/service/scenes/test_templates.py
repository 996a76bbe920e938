"""The design kit: every template is filled from the workspace's menu, and the caller's `fill` takes precedence."""

import asyncio
import itertools
import json
import mimetypes
import os
import shutil
import subprocess
import tomllib
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from menu.documents.manifest import AssetFact
from menu.documents.scene_reader import read_scene
from menu.documents.tolerant import Fields, RejectionLog
from service.core.json_text import read_json
from service.core.permissions import Role
from service.services.assets import bundled
from service.services.assets.checks import MEDIA_TYPES
from service.services.scenes.kit import KIT_FOLDER, OWN_PICTURE, Kit
from service.services.scenes.pages import LISTS
from tests.service.support.application import (
    Caller,
    Service,
    SlowFile,
    VirtualClock,
    body_of,
    faults_in,
    has_effect,
    png,
    running,
    start,
    until,
)
from tests.service.support.crash_points import PIZZA, died

SCENES = "/v1/scenes"
MENU = [
    ("Burgers", "Cheeseburger"),
    ("Burgers", "Double"),
    ("Burgers", "Halloumi"),
    ("Sides", "Fries"),
    ("Drinks", "Lemonade"),
    ("Drinks", "Shake"),
]
LAYOUTS = [(key, turned) for key, template in Kit().templates.items() for turned in template.orientations]
PIZZA_IMAGE = (KIT_FOLDER / "pictures" / "pizza.webp").read_bytes()
MOST_IMAGE_BYTES = 400_000
MOST_FILM_BYTES = 3_000_000


async def open_menu(owner: Caller) -> list[str]:
    made = [
        await owner.make("/v1/content/items", {"name": name, "category": category, "price": 5, "sortIndex": 10 * index})
        for index, (category, name) in enumerate(MENU)
    ]
    return [item["id"] for item in made]


def widgets(scene: Any) -> dict[str, Any]:
    return {widget["id"]: widget for widget in scene["widgets"]}


async def test_templates_are_listed_with_their_places(owner: Caller) -> None:
    listed = body_of(await owner.get(f"{SCENES}/templates"))

    kit = {template["template"]: template for template in listed["data"]}
    assert set(kit) == {path.stem for path in KIT_FOLDER.glob("*.json")}
    assert len(kit) >= 16
    assert listed["pagination"] == {"cursor": None, "hasMore": False}
    assert kit["burgers"]["orientations"] == ["landscape", "portrait"]
    assert kit["list"]["orientations"] == ["portrait", "landscape"]
    assert {"id": "headline", "type": "text", "text": "Burgers"} in kit["burgers"]["places"]


async def test_every_template_gives_a_complete_scene(owner: Caller) -> None:
    await open_menu(owner)

    for template, orientation in LAYOUTS:
        scene = await owner.make(SCENES, {"template": template, "orientation": orientation})

        upright = scene["height"] > scene["width"]
        assert upright is (orientation == "portrait")
        listed = [category for widget in scene["widgets"] for category in widget.get("categories", ())]
        assert sorted(listed) == (["Burgers", "Drinks", "Sides"] if listed else [])
        assert listed or any("itemId" in widget for widget in scene["widgets"])
        names = [one["id"] for one in await all_assets(owner)]
        assets = {name.removeprefix("sha256:"): AssetFact(size=1, media_type="") for name in names}
        rejections = RejectionLog()
        document = read_json(json.dumps(scene).encode())
        read = read_scene(Fields(document, subject="scn", rejections=rejections, assets=assets))
        assert rejections.recorded() == ()
        assert len(read.widgets) == len(scene["widgets"])


async def all_assets(owner: Caller) -> list[Any]:
    return list(body_of(await owner.get("/v1/assets"))["data"])


@pytest.mark.first_case
@pytest.mark.parametrize("items", [0, 12, 60])
@pytest.mark.parametrize(("template", "orientation"), LAYOUTS)
def test_only_films_and_bands_come_near_the_edge(template: str, orientation: Any, items: int) -> None:
    for picture in (OWN_PICTURE, "burger", None):
        scene = Kit().templates[template].scene(orientation, items, picture=picture)
        for widget in scene["widgets"]:
            if widget["type"] in {"video", "shape", "ticker"}:
                continue
            panel = scene["width"] / scene.get("span", {"panels": 1})["panels"]
            across, down = (
                (widget["x"] % panel, widget["width"], panel),
                (widget["y"], widget["height"], scene["height"]),
            )
            for at, extent, whole in (across, down):
                margin = (0.04 if down[2] == whole > panel else 0.05) * whole
                assert at >= margin - 0.5, widget
                assert at + extent <= whole - margin + 0.5, widget


@pytest.mark.first_case
@pytest.mark.parametrize("items", [0, 6, 12, 60])
@pytest.mark.parametrize(("template", "orientation"), LAYOUTS)
def test_no_edge_of_a_circle_runs_through_a_list(template: str, orientation: Any, items: int) -> None:
    scene = Kit().templates[template].scene(orientation, items)
    lists = [widget for widget in scene["widgets"] if widget["type"] in LISTS]

    for circle in (widget for widget in scene["widgets"] if 2 * widget.get("radius", 0) >= widget["width"]):
        radius = circle["width"] / 2
        x, y = circle["x"] + radius, circle["y"] + radius
        for one in lists:
            nearest = min(max(x, one["x"]), one["x"] + one["width"]), min(max(y, one["y"]), one["y"] + one["height"])
            assert hypot(nearest[0] - x, nearest[1] - y) >= radius, (circle["id"], one["id"])


async def test_categories_are_split_over_the_menus_in_menu_order(owner: Caller) -> None:
    await open_menu(owner)

    scene = widgets(await owner.make(SCENES, {"template": "burgers"}))

    assert scene["mains"]["categories"] == ["Burgers"]
    assert scene["sides"]["categories"] == ["Sides", "Drinks"]


async def test_a_menu_gets_the_room_of_one_below_it_for_which_no_category_is_left(owner: Caller) -> None:
    await owner.make("/v1/content/items", {"name": "Cheeseburger", "category": "Burgers", "price": 5})
    whole = widgets(Kit().templates["burgers"].scene("landscape"))
    made = widgets(await owner.make(SCENES, {"template": "burgers"}))

    assert "sides" not in made
    assert made["mains"]["y"] + made["mains"]["height"] == whole["sides"]["y"] + whole["sides"]["height"]
    call = {"template": "burgers", "fill": {"sides": {"y": 850}}}
    apart = widgets(await owner.make(SCENES, call))
    assert apart["mains"]["height"] == whole["mains"]["height"], "the other stands elsewhere"


async def test_many_items_stand_in_one_menu_with_the_picture_beside_the_headline(owner: Caller) -> None:
    few = widgets(Kit().templates["burgers"].scene("landscape"))
    for number in range(20):
        await owner.make(
            "/v1/content/items", {"name": f"Dish {number}", "category": f"Category {number % 4}", "price": 5}
        )
    made = await owner.make(SCENES, {"template": "burgers", "picture": "burger"})
    many = widgets(made)

    assert many["mains"]["categories"] == [f"Category {number}" for number in range(4)]
    assert "sides" not in many
    assert many["mains"]["width"] > 1.5 * few["mains"]["width"]
    assert many["picture"]["width"] < few["picture"]["width"] / 4
    own = {"mains": {"categories": ["Category 1"]}, "sides": {"categories": ["Category 2"]}}
    chosen = widgets(await owner.make(SCENES, {"template": "burgers", "picture": "burger", "fill": own}))
    assert chosen["mains"] == {**few["mains"], "categories": ["Category 1"]}, "as the call says which items it lists"
    assert chosen["sides"]["categories"] == ["Category 2"]


async def test_a_scene_says_on_how_many_pages_its_items_show_and_how_long_they_take(owner: Caller) -> None:
    for number in range(60):
        description = "Mature cheddar, pickles and our own sauce in a brioche bun"
        item = {"name": f"Dish number {number}", "category": f"Category {number % 5}", "price": 5}
        await owner.make("/v1/content/items", {**item, "description": description})
    names_alone = await owner.make(SCENES, {"template": "burgers"})
    described = {"mains": {"showDescriptions": True}}
    made = await owner.make(SCENES, {"template": "burgers", "fill": described})
    promo = await owner.make(SCENES, {"template": "promo"})
    few = await owner.make(SCENES, {"template": "list", "fill": {"menu": {"categories": ["Category 1"]}}})

    assert widgets(names_alone)["mains"]["showDescriptions"] is False, "from forty items on"
    assert names_alone["pages"] < made["pages"]
    assert 3 <= made["pages"] <= 4
    assert made["seconds"] == 8 * made["pages"]
    assert (promo["pages"], promo["seconds"]) == (1, 8)
    assert few["pages"] == 1
    read = await owner.get(f"{SCENES}/{made['id']}")
    assert body_of(read) == made
    [first, *_] = body_of(await owner.get(SCENES))["data"]
    assert (first["pages"], first["seconds"]) == (None, None)
    [item, *_] = body_of(await owner.get("/v1/content/items?limit=1"))["data"]
    await owner.patch(f"/v1/content/items/{item['id']}", {"eightySixed": True})
    unchanged = {"If-Match": read.headers["etag"]}
    patched = await owner.send("PATCH", f"{SCENES}/{made['id']}", {"name": "Late"}, **unchanged)
    assert body_of(patched)["name"] == "Late", "pages are no change of the scene"


async def test_fill_overrides_a_widget_and_null_drops_it(owner: Caller) -> None:
    items = await open_menu(owner)

    scene = await owner.make(
        SCENES,
        {
            "template": "burgers",
            "name": "Late lunch",
            "theme": {"accentColor": "#00FF00"},
            "fill": {
                "headline": {"text": "Till late"},
                "sides": {"itemIds": items[3:4], "x": 1000},
                "rule": None,
                "mains": {"categories": ["Drinks"]},
            },
        },
    )

    placed = widgets(scene)
    assert scene["name"] == "Late lunch"
    assert scene["theme"] == {"accentColor": "#00FF00"}
    assert scene["background"] == {"color": "#17120F"}
    assert placed["headline"]["text"] == "Till late"
    assert placed["sides"]["itemIds"] == items[3:4]
    usual = widgets(Kit().templates["burgers"].scene("landscape"))["sides"]
    assert (placed["sides"]["x"], placed["sides"]["y"]) == (1000, usual["y"])
    assert placed["mains"]["categories"] == ["Drinks"]
    assert "rule" not in placed


async def test_an_item_widget_shows_the_first_item_with_an_image(owner: Caller) -> None:
    items = await open_menu(owner)
    scene = await owner.make(SCENES, {"template": "coffee-bar"})
    image = widgets(scene)["picture"]["asset"]
    await owner.patch(f"/v1/content/items/{items[2]}", {"image": image})

    promo = await owner.make(SCENES, {"template": "promo"})

    assert widgets(promo)["dish"]["itemId"] == items[2]


async def test_a_workspace_without_items_gets_one_menu_of_all_items(owner: Caller) -> None:
    burgers = widgets(await owner.make(SCENES, {"template": "burgers"}))
    promo = widgets(await owner.make(SCENES, {"template": "promo"}))

    assert burgers["mains"]["categories"] == []
    assert "sides" not in burgers
    assert "dish" not in promo


async def test_its_images_are_added_to_the_workspace_once(owner: Caller) -> None:
    first = await owner.make(SCENES, {"template": "pizza"})
    again = await owner.make(SCENES, {"template": "pizza-sizes"})
    await owner.make(SCENES, {"template": "breakfast", "fill": {"picture": None}})
    await owner.make(SCENES, {"template": "breakfast", "picture": "none"})

    assets = await all_assets(owner)
    assert [one["id"] for one in assets] == [widgets(first)["picture"]["asset"]]
    assert widgets(again)["picture"]["asset"] == assets[0]["id"]


def slow_kit(service: Service, folder: Path) -> SlowFile:
    """Adds the template `slow` to the kit, whose image is readable only when the test provides it."""
    shutil.copytree(KIT_FOLDER, folder)
    (folder / "slow.json").write_text((folder / "pizza.json").read_text().replace('"pizza"', '"slow"', 1))
    service.services.templates._kit = Kit(folder)
    return SlowFile(folder / "pictures" / "slow.webp")


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "a"}], ids=["once", "repeatable"])
async def test_no_transaction_is_open_while_its_images_are_read(
    service: Service, owner: Caller, tmp_path: Path, headers: dict[str, str]
) -> None:
    image = slow_kit(service, tmp_path / "kit")
    scene = start(owner.send("POST", SCENES, {"template": "slow"}, **headers))
    try:
        await image.asked_for()
        other = start(owner.post("/v1/content/items", {"name": "Tea", "category": "Drinks", "price": 2}))
        await until(other.done)
        assert not scene.done()
    finally:
        await image.give(PIZZA_IMAGE)

    assert other.result().status_code == 201
    made = body_of(await scene)
    # An item created meanwhile is in the scene.
    assert ["Drinks"] in [widget.get("categories") for widget in made["widgets"]]
    assert (await owner.get(f"/v1/assets/{widgets(made)['picture']['asset']}")).content == PIZZA_IMAGE


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "a"}], ids=["once", "repeatable"])
async def test_its_files_are_flushed_before_the_transaction_and_not_decoded(
    owner: Caller, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str]
) -> None:
    order: list[str] = []
    fsync = os.fsync

    def flush(descriptor: int) -> None:
        order.append("flush")
        fsync(descriptor)

    def begin(connection: Connection) -> None:
        if has_effect(connection):
            order.append("transaction")

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: order.append("decode"))
    event.listen(Engine, "begin", begin)
    try:
        response = await owner.send("POST", SCENES, {"template": "promo"}, **headers)
    finally:
        event.remove(Engine, "begin", begin)

    assert response.status_code == 201
    assert [step for step, _ in itertools.groupby(order)] == ["flush", "transaction"]


async def test_a_stored_file_is_not_written_again(service: Service, owner: Caller) -> None:
    def copies() -> dict[str, int]:
        folder = service.data / "assets"
        return {path.name: path.stat().st_ino for path in folder.rglob("*") if path.is_file()}

    stranger = service.stranger()
    await owner.make(SCENES, {"template": "promo"})
    before = copies()

    await owner.make(SCENES, {"template": "promo"})
    await stranger.make(SCENES, {"template": "promo"})

    assert before
    assert copies() == before
    assert [one["id"] for one in await all_assets(stranger)] == [one["id"] for one in await all_assets(owner)]


async def test_another_scene_repairs_a_damaged_image(service: Service, owner: Caller) -> None:
    image = widgets(await owner.make(SCENES, {"template": "pizza"}))["picture"]["asset"]
    service.services.store.path(image.removeprefix("sha256:")).write_bytes(PIZZA_IMAGE[:10])

    await owner.make(SCENES, {"template": "pizza"})

    assert (await owner.get(f"/v1/assets/{image}")).content == PIZZA_IMAGE


async def test_a_full_disk_creates_no_scene(service: Service, owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("os.fsync", full)
        response = await owner.post(SCENES, {"template": "pizza"})

    assert (response.status_code, response.json()["code"]) == (507, "storage_full")
    assert body_of(await owner.get(SCENES))["data"] == []
    assert await all_assets(owner) == []
    assert list((service.data / "assets" / "incoming").iterdir()) == []


async def test_two_processes_can_create_the_same_scene_at_once(
    service: Service, owner: Caller, tmp_path: Path, clock: VirtualClock
) -> None:
    async with running(service.data, clock=clock, database=service.database) as process:
        images = [slow_kit(service, tmp_path / "kit"), slow_kit(process, tmp_path / "other")]
        other = process.caller(Role.OWNER)
        calls = [start(caller.post(SCENES, {"template": "slow"})) for caller in (owner, other)]
        try:
            for image in images:
                await image.asked_for()
        finally:
            for image in images:
                await image.give(PIZZA_IMAGE)
        answers = await asyncio.gather(*calls)

    assert [answer.status_code for answer in answers] == [201, 201]
    assert len(body_of(await owner.get(SCENES))["data"]) == 2
    [asset] = await all_assets(owner)
    assert (await owner.get(f"/v1/assets/{asset['id']}")).content == PIZZA_IMAGE


async def test_a_crash_before_the_commit_leaves_no_partial_scene(
    tmp_path: Path, clock: VirtualClock, database_url: str | None
) -> None:
    data = tmp_path / "data"
    async with running(data, clock=clock, database=database_url) as service:
        secret = service.services.keys.create(role=Role.OWNER, name="")
    named = {} if database_url is None else {"MENU_SERVICE_DATABASE": database_url}

    assert await died(data, secret, "a", "before", "template", **named)

    async with running(data, clock=clock, database=database_url) as service:
        owner = Caller(service.client, secret)
        assert body_of(await owner.get(SCENES))["data"] == []
        assert await all_assets(owner) == []

        again = await owner.send("POST", SCENES, PIZZA, **{"Idempotency-Key": "a"})

        assert again.status_code == 201
        assert [scene["id"] for scene in body_of(await owner.get(SCENES))["data"]] == [body_of(again)["id"]]
        [asset] = await all_assets(owner)
        assert (await owner.get(f"/v1/assets/{asset['id']}")).content == PIZZA_IMAGE


FAULTY: list[tuple[Any, dict[str, str]]] = [
    ({"template": "diner"}, {"/template": "unknown_template"}),
    ({"template": 5}, {"/template": "wrong_type"}),
    ({"template": None}, {"/template": "wrong_type"}),
    ({"template": "list", "orientation": "round"}, {"/orientation": "not_allowed"}),
    ({"template": "list", "name": ""}, {"/name": "too_short"}),
    ({"template": "list", "fill": []}, {"/fill": "wrong_type"}),
    ({"template": "list", "fill": {"menu": 3}}, {"/fill/menu": "wrong_type"}),
    ({"template": "list", "fill": {"a/b": {}}}, {"/fill/a~1b": "unknown_place"}),
    (
        {"template": "list", "fill": {"menu": {"type": "qr", "id": "x"}}},
        {"/fill/menu/id": "not_allowed", "/fill/menu/type": "not_allowed"},
    ),
    (
        {"template": "list", "fill": {"menu": {"columns": 9, "itemIds": ["none"]}, "headline": {"size": -1}}},
        {"/fill/menu/columns": "out_of_range", "/fill/headline/size": "out_of_range"},
    ),
    ({"template": "list", "fill": {"menu": {"itemIds": ["none"]}}}, {"/fill/menu/itemIds/0": "unknown_item"}),
    ({"template": "pizza", "fill": {"picture": {"asset": "asset:pizza"}}}, {"/fill/picture/asset": "not_an_asset"}),
    ({"template": "list", "background": {"color": "red"}}, {"/background/color": "not_a_color"}),
]


async def test_a_fault_points_into_the_call_and_changes_nothing(owner: Caller) -> None:
    for body, faults in FAULTY:
        response = await owner.post(SCENES, body)

        assert response.status_code == 422, body
        assert faults_in(response) == faults
    assert body_of(await owner.get(SCENES))["data"] == []
    assert await all_assets(owner) == []


async def test_text_that_looks_like_a_placeholder_stays_text(owner: Caller) -> None:
    await open_menu(owner)

    scene = await owner.make(SCENES, {"template": "list", "fill": {"headline": {"text": "item:none"}}})

    assert widgets(scene)["headline"]["text"] == "item:none"


def test_its_files_are_small_enough_to_bundle() -> None:
    for template in Kit().templates.values():
        for file in (*template.assets.values(), *Kit().pictures.values()):
            most = MOST_FILM_BYTES if file.suffix == ".mp4" else MOST_IMAGE_BYTES
            assert 0 < file.stat().st_size <= most, file


def test_its_files_are_of_known_types_also_without_the_machine_s_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mimetypes, "_db", mimetypes.MimeTypes())
    for template in Kit().templates.values():
        for file in (*template.assets.values(), *Kit().pictures.values()):
            assert bundled._media_type(file) in MEDIA_TYPES, file


def test_its_files_are_installed() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    patterns = [Path(pattern).name for pattern in project["tool"]["setuptools"]["package-data"]["service"]]
    found = (file for folder in (KIT_FOLDER, KIT_FOLDER.parent / "sample") for file in folder.rglob("*"))
    files = [file for file in found if file.is_file()]
    assert [file.name for file in files if not any(file.match(pattern) for pattern in patterns)] == []


async def shop(owner: Caller, locale: str, name: str = "Corner", **categories: int) -> None:
    place = {"name": name, "timezone": "Europe/London", "currency": "EUR", "locale": locale}
    await owner.make("/v1/locations", place)
    for category, items in categories.items():
        for number in range(items):
            item = {"name": f"{category} {number}", "category": category, "price": 5.5, "sortIndex": 1}
            await owner.make("/v1/content/items", item)


async def picture_of(owner: Caller, asset: str) -> str:
    content = (await owner.get(f"/v1/assets/{asset}")).content
    return next(file.stem for file in Kit().pictures.values() if file.read_bytes() == content)


async def test_its_picture_is_of_what_the_shop_sells(owner: Caller) -> None:
    await shop(owner, "de-DE", Getränke=3, Döner=4, Kaffee=2)

    made = widgets(await owner.make(SCENES, {"template": "burgers"}))
    named = widgets(await owner.make(SCENES, {"template": "burgers", "picture": "tea"}))
    french = widgets(await owner.make(SCENES, {"template": "burgers", "languages": ["fr"]}))

    assert await picture_of(owner, made["picture"]["asset"]) == "kebab"
    assert french["picture"] == made["picture"]
    assert await picture_of(owner, named["picture"]["asset"]) == "tea"
    refused = await owner.post(SCENES, {"template": "burgers", "picture": "pony"})
    assert faults_in(refused) == {"/picture": "unknown_picture"}


async def test_without_a_picture_the_texts_have_its_room(owner: Caller) -> None:
    await shop(owner, "he-IL", מנות=3, תוספות=2)

    made = widgets(await owner.make(SCENES, {"template": "burgers"}))
    upright = widgets(await owner.make(SCENES, {"template": "coffee-bar", "orientation": "portrait"}))

    assert "picture" not in made
    assert [(made[one]["x"], made[one]["width"]) for one in ("headline", "mains", "sides")] == [(96, 1728)] * 3
    assert upright["headline"]["y"] < 100
    assert upright["menu"]["height"] > 1400


async def test_an_image_of_the_operator_has_the_whole_place(owner: Caller) -> None:
    image = (await owner.raw("POST", "/v1/assets", png(90), "image/png")).json()["id"]
    made = widgets(await owner.make(SCENES, {"template": "coffee-bar", "fill": {"picture": {"asset": image}}}))
    assert (made["picture"]["asset"], made["picture"]["height"]) == (image, 1080)


@pytest.mark.parametrize(("locale", "headline"), [("de-AT", "Frühstück"), ("en-US", "Breakfast"), ("th-TH", "Corner")])
async def test_its_words_are_in_the_language_of_the_shop(owner: Caller, locale: str, headline: str) -> None:
    await shop(owner, locale)

    made = widgets(await owner.make(SCENES, {"template": "breakfast"}))

    assert made["headline"]["text"] == headline
    assert "brand" not in made, "which only the shop knows"
    called = await owner.make(SCENES, {"template": "breakfast", "languages": ["fr", "en"]})
    assert widgets(called)["headline"]["text"] == "Petit déjeuner"
    assert widgets(called)["headline"]["y"] == 54, "where there is no line above it"
    filled = await owner.make(SCENES, {"template": "breakfast", "fill": {"brand": {"text": "SINCE 1954"}}})
    assert widgets(filled)["brand"]["text"] == "SINCE 1954"
    assert widgets(filled)["headline"]["y"] > 54


@pytest.mark.parametrize(("locale", "pattern"), [("en-US", "h:mm\u202fa"), ("de-DE", None), ("en-AU", "h:mm\u202fa")])
async def test_its_clock_has_the_hours_of_the_shop(owner: Caller, locale: str, pattern: str | None) -> None:
    await shop(owner, locale)
    clock = widgets(await owner.make(SCENES, {"template": "list"}))["clock"]
    assert clock.get("pattern") == pattern


async def test_whole_prices_alone_have_no_decimals(owner: Caller) -> None:
    await open_menu(owner)
    made = await owner.make(SCENES, {"template": "list"})
    assert made["theme"]["priceCents"] == "ifAny"
    await owner.make("/v1/content/items", {"name": "Tea", "category": "Drinks", "price": 2.5})
    assert "priceCents" not in (await owner.make(SCENES, {"template": "list"}))["theme"]


async def test_combos_stand_in_their_own_list(owner: Caller) -> None:
    items = await open_menu(owner)
    parts = [{"anyOf": [{"itemId": items[0]}]}, {"anyOf": [{"itemId": items[3]}]}]
    combo = {"name": "Meal", "category": "Meals", "price": 9, "sortIndex": 90, "parts": parts}
    await owner.make("/v1/content/items", combo)

    for template, others in (("combos", ["more"]), ("drive-thru", ["mains", "sides"])):
        made = widgets(await owner.make(SCENES, {"template": template}))
        assert made["combos"]["categories"] == ["Meals"]
        assert [name for other in others for name in made[other]["categories"]] == ["Burgers", "Sides", "Drinks"]
        assert "wants" not in made["combos"]


async def test_a_template_shows_the_languages_of_the_call_and_is_mirrored(owner: Caller) -> None:
    body = {"template": "list", "languages": ["ar", "en"], "languageMode": "together"}
    made = await owner.make("/v1/scenes", body)
    assert (made["languages"], made["languageMode"], made["mirrorBoxes"]) == (["ar", "en"], "together", True)
    refused = await owner.post("/v1/scenes", body | {"languages": ["ar", "en", "fr", "de"]})
    assert [(one["pointer"], one["code"]) for one in refused.json()["errors"]] == [("/languages/3", "too_many")]
    film = await owner.make("/v1/scenes", {"template": "promo"})
    assert film["mirrorBoxes"] is False
