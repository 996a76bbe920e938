"""Scenes: every widget of docs/scene.md is checked strictly, with a pointer to each fault."""

from decimal import Decimal
from pathlib import Path
from typing import Any

from menu.documents.scene import MAX_SLIDES
from menu.documents.scene_reader import MAX_WIDGETS
from service.services.scenes.scenes import MAX_SCHEDULES
from tests.service.support.application import Cafe, Caller, body_of, faults_in, png

SCENES = "/v1/scenes"
ASSET = "sha256:" + "0" * 64
FILM = Path(__file__).parents[2] / "data" / "film.mp4"
SLIDE = {"asset": ASSET, "durationSeconds": 3}
FRAME: dict[str, Any] = {"id": "w", "x": 0, "y": 0, "width": 100, "height": 50}


def widget(**fields: object) -> dict[str, Any]:
    return {"name": "Scene", "widgets": [FRAME | fields]}


async def test_defaults_are_filled_in_and_unknown_fields_ignored(owner: Caller) -> None:
    scene = await owner.make(SCENES, {"name": "Bare", "colour": "green"})

    assert scene | {"id": "", "createdAt": "", "changedAt": ""} == {
        "id": "",
        "name": "Bare",
        "width": 1920,
        "height": 1080,
        "background": {"color": "#101418"},
        "theme": {},
        "transition": {"type": "fade", "milliseconds": 500},
        "languages": [],
        "languageMode": "inTurn",
        "mirrorBoxes": False,
        "span": None,
        "widgets": [],
        "schedules": [],
        "createdAt": "",
        "changedAt": "",
        "changedBy": None,
        "pages": 1,
        "warnings": [],
        "seconds": 8,
    }


async def test_every_widget_is_stored_as_it_was_sent(owner: Caller) -> None:
    image = (await owner.raw("POST", "/v1/assets", png(), "image/png")).json()["id"]
    moving = (await owner.raw("POST", "/v1/assets", FILM.read_bytes(), "video/mp4")).json()["id"]
    item = (await owner.make("/v1/content/items", {"name": "Tea", "category": "Drinks", "price": 1}))["id"]
    kinds: list[dict[str, Any]] = [
        {"type": "menu", "title": "Drinks", "categories": ["Drinks"], "itemIds": [item], "columns": 2},
        {"type": "menu", "columns": "auto", "soldOut": "mark", "theme": {"textColor": "#80FFFFFF"}},
        {"type": "grid", "categories": ["Drinks"], "itemIds": [item], "columns": 6, "tagIcons": True},
        {"type": "item", "itemId": item, "insteadItemId": item, "showPrice": False},
        {"type": "item", "itemId": item, "showTags": False, "showAllergens": False},
        {"type": "image", "asset": image, "fit": "contain", "focus": {"x": 0, "y": 1}},
        {"type": "video", "asset": moving, "poster": image, "muted": False},
        {
            "type": "slideshow",
            "slides": [
                {"asset": image, "durationSeconds": 8},
                {"asset": moving, "durationSeconds": 15, "fit": "contain"},
            ],
            "fadeMilliseconds": 800,
        },
        {"type": "text", "text": "Hello", "align": "right", "verticalAlign": "top", "size": 40},
        {"type": "ticker", "text": "News", "speed": 90},
        {"type": "clock", "pattern": "EEEE HH:mm", "timezone": "Asia/Tokyo"},
        {
            "type": "countdown",
            "endsAt": "2026-12-31T23:00:00.000Z",
            "text": "{time} to go",
            "endText": "Happy new year",
        },
        {"type": "countdown", "start": "17:00", "end": "19:00", "days": ["fri"], "timezone": "Asia/Tokyo", "size": 60},
        {"type": "qr", "data": "https://example.com", "caption": "More"},
        {"type": "shape", "shape": "line", "color": "#102030", "radius": 4, "opacity": Decimal("0.25")},
        {"type": "shape", "shape": "burst", "color": "#102030", "borderColor": "#FFFFFF", "style": "double"},
    ]
    widgets = [FRAME | {"id": f"{index}", "x": Decimal("0.5")} | kind for index, kind in enumerate(kinds)]
    background = {"gradient": {"from": "#000000", "to": "#ffffff", "angle": 90}, "scrim": "#40000000"}

    scene = await owner.make(
        SCENES,
        {"name": "Everything", "width": 1080, "height": 1920, "background": background, "widgets": widgets},
    )

    kept = body_of(await owner.get(f"{SCENES}/{scene['id']}"))
    assert kept["background"] == background
    assert kept["widgets"] == widgets
    assert (kept["width"], kept["height"]) == (1080, 1920)


FAULTY_SCENES: list[tuple[Any, dict[str, str]]] = [
    ({}, {"/name": "required"}),
    ([], {"": "wrong_type"}),
    ({"name": "a", "width": 15}, {"/width": "out_of_range"}),
    ({"name": "a", "height": 8193}, {"/height": "out_of_range"}),
    ({"name": "a", "height": Decimal("100.5")}, {"/height": "not_whole"}),
    ({"name": "a", "background": {}}, {"/background": "ambiguous"}),
    ({"name": "a", "background": {"color": "#000000", "asset": ASSET}}, {"/background": "ambiguous"}),
    ({"name": "a", "background": {"color": "black"}}, {"/background/color": "not_a_color"}),
    ({"name": "a", "background": {"asset": ASSET}}, {"/background/asset": "unknown_asset"}),
    ({"name": "a", "background": {"gradient": {"from": "#000000"}}}, {"/background/gradient/to": "required"}),
    ({"name": "a", "theme": {"scale": 5}}, {"/theme/scale": "out_of_range"}),
    ({"name": "a", "theme": {"priceCents": "never"}}, {"/theme/priceCents": "not_allowed"}),
    (
        {"name": "a", "theme": {"headingStyle": "fancy", "letterSpacing": 0.6, "italic": True, "shadowColor": "black"}},
        {
            "/theme/headingStyle": "not_allowed",
            "/theme/letterSpacing": "out_of_range",
            "/theme/italic": "not_allowed",
            "/theme/shadowColor": "not_a_color",
        },
    ),
    ({"name": "a", "theme": {"priceSymbol": "€"}}, {"/theme/priceSymbol": "wrong_type"}),
    ({"name": "a", "transition": {"type": "spin"}}, {"/transition/type": "not_allowed"}),
    (
        {"name": "a", "transition": {"type": "cut", "milliseconds": 5001}},
        {"/transition/milliseconds": "out_of_range"},
    ),
    ({"name": "a", "widgets": {}}, {"/widgets": "wrong_type"}),
    ({"name": "a", "widgets": [5]}, {"/widgets/0": "wrong_type"}),
    ({"name": "a", "widgets": [FRAME]}, {"/widgets/0/type": "required"}),
    (widget(type="weather"), {"/widgets/0/type": "unknown_type"}),
    (widget(type=["menu"]), {"/widgets/0/type": "unknown_type"}),
    (widget(type="menu", columns=9), {"/widgets/0/columns": "out_of_range"}),
    (widget(type="menu", columns="two"), {"/widgets/0/columns": "out_of_range"}),
    (widget(type="menu", columns=True), {"/widgets/0/columns": "out_of_range"}),
    (widget(type="menu", categories=[""]), {"/widgets/0/categories/0": "too_short"}),
    (widget(type="menu", itemIds=["itm_none"]), {"/widgets/0/itemIds/0": "unknown_item"}),
    (widget(type="menu", minTextSize=70, maxTextSize=64), {"/widgets/0": "out_of_range"}),
    (widget(type="menu", soldOut="burn"), {"/widgets/0/soldOut": "not_allowed"}),
    (widget(type="grid", columns=9), {"/widgets/0/columns": "out_of_range"}),
    (widget(type="grid", itemIds=["itm_none"]), {"/widgets/0/itemIds/0": "unknown_item"}),
    (widget(type="grid", minTextSize=70, maxTextSize=64), {"/widgets/0": "out_of_range"}),
    (
        widget(type="grid", soldOut="burn", showImages="no", tagIcons="no"),
        {
            "/widgets/0/soldOut": "not_allowed",
            "/widgets/0/showImages": "wrong_type",
            "/widgets/0/tagIcons": "wrong_type",
        },
    ),
    (widget(type="item"), {"/widgets/0/itemId": "required"}),
    (
        widget(type="item", itemId="itm_none", showTags="no", showAllergens=1),
        {"/widgets/0/showTags": "wrong_type", "/widgets/0/showAllergens": "wrong_type"},
    ),
    (
        widget(type="item", itemId="itm_none", insteadItemId="itm_nought"),
        {"/widgets/0/itemId": "unknown_item", "/widgets/0/insteadItemId": "unknown_item"},
    ),
    (widget(type="image", asset="hero.png"), {"/widgets/0/asset": "not_an_asset"}),
    (widget(type="image", asset=ASSET), {"/widgets/0/asset": "unknown_asset"}),
    (
        widget(type="image", asset=ASSET.upper(), focus={"x": 2, "y": 0}),
        {"/widgets/0/asset": "not_an_asset", "/widgets/0/focus/x": "out_of_range"},
    ),
    (
        widget(type="video", asset=ASSET, poster=ASSET),
        {"/widgets/0/asset": "unknown_asset", "/widgets/0/poster": "unknown_asset"},
    ),
    (widget(type="slideshow"), {"/widgets/0/slides": "required"}),
    (widget(type="slideshow", slides=[]), {"/widgets/0/slides": "too_short"}),
    (widget(type="slideshow", slides=[SLIDE] * (MAX_SLIDES + 1)), {"/widgets/0/slides": "too_long"}),
    (widget(type="slideshow", slides=[SLIDE]), {"/widgets/0/slides/0/asset": "unknown_asset"}),
    (
        widget(
            type="slideshow",
            slides=[
                {"asset": "cup.png", "durationSeconds": 2},
                {"asset": ASSET, "durationSeconds": 86_401, "fit": "stretch"},
                {"asset": ASSET, "durationSeconds": Decimal("4.5")},
                {},
                "cup.png",
            ],
            fadeMilliseconds=1001,
        ),
        {
            "/widgets/0/slides/0/asset": "not_an_asset",
            "/widgets/0/slides/0/durationSeconds": "out_of_range",
            "/widgets/0/slides/1/durationSeconds": "out_of_range",
            "/widgets/0/slides/1/fit": "not_allowed",
            "/widgets/0/slides/2/durationSeconds": "not_whole",
            "/widgets/0/slides/3/asset": "required",
            "/widgets/0/slides/3/durationSeconds": "required",
            "/widgets/0/slides/4": "wrong_type",
            "/widgets/0/fadeMilliseconds": "out_of_range",
        },
    ),
    (widget(type="text", text="x" * 5001), {"/widgets/0/text": "too_long"}),
    (widget(type="text", text=None), {"/widgets/0/text": "wrong_type"}),
    (widget(type="text", text="a", size=0), {"/widgets/0/size": "out_of_range"}),
    (widget(type="text", text="a", width=0), {"/widgets/0/width": "out_of_range"}),
    (widget(type="text", text="a", width=Decimal("0.5")), {"/widgets/0/width": "out_of_range"}),
    (widget(type="text", text="a", height=-10), {"/widgets/0/height": "out_of_range"}),
    (widget(type="text", text="a", x=40_000), {"/widgets/0/x": "out_of_range"}),
    (widget(type="text", text="a", x=1920), {"/widgets/0": "outside_canvas"}),
    (widget(type="text", text="a", y=-5000), {"/widgets/0": "outside_canvas"}),
    (widget(type="text", text="a", size=3), {"/widgets/0/size": "out_of_range"}),
    (widget(type="ticker", text="a", speed=2001), {"/widgets/0/speed": "out_of_range"}),
    ({"name": "a", "transition": {"type": "fade", "milliseconds": -1}}, {"/transition/milliseconds": "out_of_range"}),
    ({"name": "a", "widgets": [{}] * 10_000}, {"/widgets": "too_long"}),
    (widget(type="text", text="a", x="0"), {"/widgets/0/x": "not_a_number"}),
    (widget(type="text", text="a", opacity=Decimal("1.1")), {"/widgets/0/opacity": "out_of_range"}),
    (widget(type="text", text="a", theme={"textColor": "#fff"}), {"/widgets/0/theme/textColor": "not_a_color"}),
    (widget(type="ticker", text="a", speed=-1), {"/widgets/0/speed": "out_of_range"}),
    (widget(type="clock", pattern=""), {"/widgets/0/pattern": "too_short"}),
    (widget(type="clock", timezone="Moon"), {"/widgets/0/timezone": "unknown_timezone"}),
    (widget(type="countdown"), {"/widgets/0": "ambiguous"}),
    (widget(type="countdown", endsAt="2026-12-31T23:00:00Z", end="19:00"), {"/widgets/0": "ambiguous"}),
    (widget(type="countdown", endsAt="2026-12-31T23:00:00Z", days=["fri"]), {"/widgets/0": "ambiguous"}),
    (widget(type="countdown", endsAt="2026-12-31T23:00"), {"/widgets/0/endsAt": "not_an_instant"}),
    (
        widget(type="countdown", start="24:00", end="25:00", days=["noon"], timezone="Moon"),
        {
            "/widgets/0/start": "not_a_time",
            "/widgets/0/end": "not_a_time",
            "/widgets/0/days/0": "not_allowed",
            "/widgets/0/timezone": "unknown_timezone",
        },
    ),
    (
        widget(type="countdown", end="19:00", text="Happy hour", endText="", size=3, showSeconds="no"),
        {
            "/widgets/0/text": "no_time",
            "/widgets/0/endText": "too_short",
            "/widgets/0/size": "out_of_range",
            "/widgets/0/showSeconds": "wrong_type",
        },
    ),
    (widget(type="countdown", end="19:00", text="{time} {time}"), {"/widgets/0/text": "no_time"}),
    (widget(type="countdown", end="19:00", text="{time}" + "x" * 195), {"/widgets/0/text": "too_long"}),
    (widget(type="qr", data="x" * 1001), {"/widgets/0/data": "too_long"}),
    (
        widget(type="shape", shape="star", color="#fff"),
        {"/widgets/0/shape": "not_allowed", "/widgets/0/color": "not_a_color"},
    ),
    (widget(type="shape", shape="line", color="#fff"), {"/widgets/0/color": "not_a_color"}),
    (
        {"name": "a", "widgets": [FRAME | {"type": "text", "text": "a"}] * 3},
        {"/widgets/1/id": "duplicate", "/widgets/2/id": "duplicate"},
    ),
    ({"name": "a", "widgets": [FRAME] * (MAX_WIDGETS + 1)}, {"/widgets": "too_long"}),
]


async def test_a_fault_has_a_pointer(owner: Caller) -> None:
    for case in FAULTY_SCENES:
        body, faults = case
        response = await owner.post(SCENES, body)

        assert (response.status_code, faults_in(response)) == (422, faults), case
        assert body_of(await owner.get(SCENES))["data"] == [], case


async def test_a_number_beyond_any_float_is_refused(owner: Caller) -> None:
    for number in ("1e400", "1e99999999999999999999"):
        raw = '{"name": "a", "widgets": [{"id": "w", "type": "qr", "data": "x", "y": 0, "width": 1, "height": 1, "x": '
        response = await owner.raw("POST", SCENES, (raw + number + "}]}").encode())
        assert (response.status_code, list(faults_in(response))) == (422, ["/widgets/0/x"])


async def test_a_patch_replaces_whole_top_level_fields(owner: Caller) -> None:
    scene = await owner.make(SCENES, widget(type="qr", data="x") | {"theme": {"scale": 2, "textColor": "#ffffff"}})
    path = f"{SCENES}/{scene['id']}"

    changed = body_of(await owner.patch(path, {"theme": {"scale": 1}, "name": "Other"}))

    now = {"changedAt": changed["changedAt"], "changedBy": changed["changedBy"]}
    assert changed == scene | {"theme": {"scale": 1}, "name": "Other"} | now
    refused = await owner.patch(path, {"widgets": None, "name": ""})
    assert faults_in(refused) == {"/widgets": "wrong_type", "/name": "too_short"}
    assert body_of(await owner.get(path)) == changed


async def test_a_scene_in_a_playlist_cannot_be_removed(owner: Caller, cafe: Cafe) -> None:
    refused = await owner.delete(f"{SCENES}/{cafe.scene}")
    assert (refused.status_code, refused.json()["code"]) == (409, "in_use")

    other = await owner.make(SCENES, {"name": "Unused"})
    assert (await owner.delete(f"{SCENES}/{other['id']}")).status_code == 204


async def test_schedules_are_attached_and_removed(owner: Caller, cafe: Cafe) -> None:
    path = f"{SCENES}/{cafe.scene}"
    daypart = await owner.make(
        f"{path}/schedules",
        {"type": "daypart", "days": ["mon", "fri"], "except": ["2026-12-25"], "start": "22:00", "end": "24:00"},
    )
    window = await owner.make(
        f"{path}/schedules",
        {
            "type": "window",
            "startsAt": "2026-12-24T18:00",
            "endsAt": "2026-12-25T00:00:00",
            "timezone": "Europe/Paris",
            "priority": 50,
        },
    )

    assert (daypart["timezone"], window["timezone"]) == ("location", "Europe/Paris")
    assert (daypart["priority"], window["priority"]) == (0, 50)
    assert (daypart["except"], window["except"]) == (["2026-12-25"], None)
    assert body_of(await owner.get(path))["schedules"] == [daypart, window]
    assert (await owner.delete(f"/v1/schedules/{daypart['id']}")).status_code == 204
    assert body_of(await owner.get(path))["schedules"] == [window]
    assert (await owner.delete(f"/v1/schedules/{daypart['id']}")).status_code == 404


NO_SCHEDULES: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({}, {"/type": "required"}),
    ({"type": "always"}, {"/type": "unknown_type"}),
    ({"type": "daypart"}, {"/start": "required", "/end": "required"}),
    ({"type": "daypart", "start": "24:00", "end": "24:01"}, {"/start": "not_a_time", "/end": "not_a_time"}),
    ({"type": "daypart", "start": "8:00", "end": "09:60"}, {"/start": "not_a_time", "/end": "not_a_time"}),
    ({"type": "daypart", "start": "٠٨:٠٠", "end": "09:00\n"}, {"/start": "not_a_time", "/end": "not_a_time"}),
    ({"type": "daypart", "days": [], "start": "08:00", "end": "09:00"}, {"/days": "too_short"}),
    ({"type": "daypart", "days": ["Mon"], "start": "08:00", "end": "09:00"}, {"/days/0": "not_allowed"}),
    ({"type": "daypart", "days": ["mon", "mon"], "start": "08:00", "end": "09:00"}, {"/days": "duplicate"}),
    (
        {"type": "daypart", "start": "08:00", "end": "09:00", "except": ["2026-02-30", "25.12.2026"]},
        {"/except/0": "not_a_date", "/except/1": "not_a_date"},
    ),
    ({"type": "daypart", "start": "08:00", "end": "09:00", "except": ["2026-12-25"] * 2}, {"/except": "duplicate"}),
    (
        {
            "type": "daypart",
            "start": "08:00",
            "end": "09:00",
            "except": [f"{year}-12-25" for year in range(2000, 2051)],
        },
        {"/except": "too_long"},
    ),
    ({"type": "daypart", "start": "08:00", "end": "09:00", "except": []}, {"/except": "too_short"}),
    ({"type": "daypart", "start": "08:00", "end": "09:00", "priority": 10**9}, {"/priority": "out_of_range"}),
    ({"type": "daypart", "start": "08:00", "end": "09:00", "priority": 1.5}, {"/priority": "not_whole"}),
    (
        {"type": "daypart", "start": "08:00", "end": "09:00", "timezone": "UTC+2"},
        {"/timezone": "unknown_timezone"},
    ),
    (
        {"type": "window", "startsAt": "2026-12-24T18:00Z", "endsAt": "2026-02-30T00:00"},
        {"/startsAt": "not_a_local_time", "/endsAt": "not_a_local_time"},
    ),
    ({"type": "window", "startsAt": "2026-12-24T18:00", "endsAt": "2026-12-24T18:00"}, {"": "ends_before_start"}),
    (
        {"type": "window", "startsAt": "2026-12-24", "endsAt": "2026-12-24T18:00", "priority": -1},
        {"/startsAt": "not_a_local_time", "/priority": "out_of_range"},
    ),
]


async def test_an_invalid_schedule_is_refused(owner: Caller, cafe: Cafe) -> None:
    for case in NO_SCHEDULES:
        body, faults = case
        response = await owner.post(f"{SCENES}/{cafe.scene}/schedules", body)

        assert (response.status_code, faults_in(response)) == (422, faults), case


async def test_the_number_of_schedules_is_limited(owner: Caller, cafe: Cafe) -> None:
    schedule = {"type": "daypart", "start": "08:00", "end": "09:00"}
    for _ in range(MAX_SCHEDULES):
        await owner.make(f"{SCENES}/{cafe.scene}/schedules", schedule)

    full = await owner.post(f"{SCENES}/{cafe.scene}/schedules", schedule)

    assert (full.status_code, full.json()["code"]) == (409, "too_many_schedules")


async def test_a_widget_needs_an_asset_of_its_kind(owner: Caller) -> None:
    image = (await owner.raw("POST", "/v1/assets", png(), "image/png")).json()["id"]
    moving = (await owner.raw("POST", "/v1/assets", FILM.read_bytes(), "video/mp4")).json()["id"]
    kinds: list[dict[str, Any]] = [
        {"type": "image", "asset": moving},
        {"type": "video", "asset": image, "poster": moving},
    ]
    widgets = [FRAME | {"id": f"{index}"} | kind for index, kind in enumerate(kinds)]

    response = await owner.post(SCENES, {"name": "Mixed up", "background": {"asset": moving}, "widgets": widgets})
    item = {"name": "Tea", "category": "Drinks", "price": 1, "image": moving}

    pointers = ("/background/asset", "/widgets/0/asset", "/widgets/1/asset", "/widgets/1/poster")
    assert faults_in(response) == dict.fromkeys(pointers, "wrong_asset")
    assert faults_in(await owner.post("/v1/content/items", item)) == {"/image": "wrong_asset"}


async def test_a_canvas_that_leaves_a_widget_outside_is_refused(owner: Caller) -> None:
    made = await owner.make("/v1/scenes", widget(type="text", text="a", x=1800, y=0, width=100, height=100))
    path = f"/v1/scenes/{made['id']}"

    refused = await owner.patch(path, {"width": 1080})
    assert (refused.status_code, faults_in(refused)) == (422, {"/widgets/0": "outside_canvas"})
    assert (await owner.patch(path, {"name": "Another"})).status_code == 200
    moved = {"width": 1080, "height": 1920, "widgets": [FRAME | {"type": "text", "text": "a", "x": 1079}]}
    assert (await owner.patch(path, moved)).status_code == 200


def wall(*widgets: tuple[str, int, int], gap: object = 40, panels: int = 2) -> dict[str, Any]:
    """A scene of these types of widgets, each from here to there."""
    boxes = [(kind, x, end - x) for kind, x, end in widgets]
    made = [FRAME | {"id": kind, "type": kind, "x": x, "width": width} for kind, x, width in boxes]
    told = [one | ({"text": "a"} if one["type"] in ("text", "ticker") else {}) for one in made]
    shapes = [one | ({"shape": "line", "color": "#FFFFFF"} if one["type"] == "shape" else {}) for one in told]
    return {"name": "Wall", "width": 3880, "widgets": shapes, "span": {"panels": panels, "gap": gap}}


async def test_no_text_lies_behind_the_frames_between_two_panels(owner: Caller) -> None:
    good = wall(("menu", 0, 1920), ("text", 1960, 3880), ("ticker", 0, 3880), ("shape", 0, 3880))
    made = await owner.make(SCENES, good)
    assert made["span"] == good["span"]
    path = f"{SCENES}/{made['id']}"
    for change, faults in (
        (
            {"span": {"panels": 2, "gap": Decimal("41.5")}},
            {"/widgets/0": "across_frames", "/widgets/1": "across_frames"},
        ),
        ({"span": {"panels": 3, "gap": 40}}, {"/widgets/0": "across_frames", "/widgets/1": "across_frames"}),
        ({"width": 3878}, {"/widgets/0": "across_frames"}),
        ({"widgets": wall(("clock", 1959, 2000))["widgets"]}, {"/widgets/0": "across_frames"}),
        ({"span": {"panels": 2, "gap": 3849}, "widgets": []}, {"/span/gap": "out_of_range"}),
        ({"span": {"panels": 1}}, {"/span/panels": "out_of_range"}),
        ({"span": {"panels": 4, "gap": -1}}, {"/span/panels": "out_of_range", "/span/gap": "out_of_range"}),
    ):
        refused = await owner.patch(path, change)
        assert (refused.status_code, faults_in(refused)) == (422, faults), change
    headline = wall(("text", 0, 3880), gap=0)
    assert (await owner.patch(path, headline)).status_code == 200, "where the frames hide nothing"
    assert body_of(await owner.patch(path, {"span": None}))["span"] is None


async def test_a_scene_says_who_changed_it_last(owner: Caller) -> None:
    scene = await owner.make("/v1/scenes", {"name": "Board"})
    assert scene["changedBy"] is None
    changed = (await owner.patch(f"/v1/scenes/{scene['id']}", {"name": "Menu"})).json()
    assert changed["changedBy"].startswith("key_")
    assert changed["changedAt"] >= scene["changedAt"]
