"""Themes of the design kit: every template in each of them, and in the colours of a brand."""

from itertools import product
from typing import Any

import pytest
from PySide6.QtGui import QColor

from menu.documents.scene_reader import read_scene
from menu.documents.tolerant import Fields, RejectionLog
from player.display.typography.contrast import LEAST_CONTRAST, contrast, readable_theme
from player.display.typography.theme import resolve_theme
from service.core.json_text import read_json, write_json
from service.schema.content.scene import SceneCreate
from service.services.scenes import themes
from service.services.scenes.kit import Kit
from service.services.scenes.themes import LEAST_LOGO, KitTheme, themed
from tests.service.support.application import Caller, body_of, faults_in, png

SCENES = "/v1/scenes"
KIT = Kit()
NAMES = ("bistro", "chalkboard", "diner", "market", "night", "parlour")
RED, CREAM = "#7A1F2B", "#FFF4DC"


def test_there_are_six() -> None:
    assert tuple(KIT.themes) == NAMES
    looks = {(one.theme["titleFamily"], one.theme["headingStyle"]) for one in KIT.themes.values()}
    assert len(looks) == len(NAMES), "no two have the same face and the same headings"


@pytest.mark.parametrize("theme", KIT.themes.values(), ids=NAMES)
def test_every_template_in_a_theme_is_drawn_as_it_is(theme: KitTheme) -> None:
    for template in KIT.templates.values():
        for orientation, items in product(template.orientations, (0, 60)):
            scene = themed(template.scene(orientation, items), theme)
            widgets = [
                {**widget, "itemId": "itm_1"} if widget["type"] == "item" else widget
                for widget in scene["widgets"]
                if not str(widget).count("asset:")
            ]
            document = SceneCreate.model_validate({**scene, "widgets": widgets}).document()
            log = RejectionLog()
            read = read_scene(Fields(read_json(write_json(document)), subject="scn_1", rejections=log))
            assert (read.unreadable, log.recorded()) == (None, ()), template.key


@pytest.mark.parametrize("theme", KIT.themes.values(), ids=NAMES)
def test_the_colours_of_a_theme_are_readable_wherever_they_stand(theme: KitTheme) -> None:
    read = read_scene(
        Fields({"id": "s", "theme": theme.theme, "widgets": []}, subject="s", rejections=RejectionLog())
    ).theme
    gradient = theme.background.get("gradient", {})
    grounds = [theme.background.get("color"), gradient.get("from"), gradient.get("to"), theme.band, theme.panel]
    behind = [QColor(ground) for ground in grounds if ground]
    assert readable_theme(resolve_theme((read,), locale="en"), behind)[1] == ()


async def test_a_theme_is_named_in_the_call(owner: Caller) -> None:
    listed = body_of(await owner.get(f"{SCENES}/themes"))["data"]
    assert [one["theme"] for one in listed] == list(NAMES)
    made = body_of(await owner.post(SCENES, {"template": "list", "theme": "diner"}))
    assert made["theme"]["headingStyle"] == "boxed"
    assert made["background"] == KIT.themes["diner"].background
    refused = await owner.post(SCENES, {"template": "list", "theme": "saloon"})
    assert faults_in(refused) == {"/theme": "unknown_theme"}
    own = body_of(await owner.post(SCENES, {"template": "list", "theme": {"textColor": "#112233"}}))
    assert own["theme"] == {"textColor": "#112233"}
    bad = await owner.post(SCENES, {"template": "list", "theme": {"textColor": "red"}})
    assert faults_in(bad) == {"/theme/textColor": "not_a_color"}


async def test_a_brand_has_its_colours_and_its_logo(owner: Caller) -> None:
    logo = (await owner.raw("POST", "/v1/assets", png(90), "image/png")).json()["id"]
    brand = {"logo": logo, "colors": [RED, "#F2B84B"]}
    made = body_of(await owner.post(SCENES, {"template": "list", "theme": "bistro", "brand": brand}))
    assert made["background"] == {"color": RED}
    assert made["theme"]["titleFamily"] == "Noto Serif Display", "the faces are those of the theme"
    widgets = {widget["id"]: widget for widget in made["widgets"]}
    logo_box, head = widgets["logo"], widgets["headline"]
    assert (logo_box["asset"], logo_box["fit"]) == (logo, "contain")
    assert head["x"] + head["width"] < logo_box["x"]
    small = body_of(await owner.post(SCENES, {"template": "breakfast", "brand": brand}))
    [placed] = [widget for widget in small["widgets"] if widget["id"] == "logo"]
    assert placed["height"] >= LEAST_LOGO, "beside a small text, too"
    own = {"template": "list", "theme": {"titleFamily": "Comfortaa", "textColor": RED}, "brand": brand}
    plain = body_of(await owner.post(SCENES, own))["theme"]
    assert (plain["titleFamily"], plain["textColor"]) == ("Comfortaa", "#FFFFFF"), "colours are the brand's"
    for name in ("textColor", "accentColor"):
        assert contrast(QColor(made["theme"][name]), QColor(RED)) >= LEAST_CONTRAST


@pytest.mark.parametrize(
    ("brand", "faults"),
    [
        ({"colors": [RED, "#B5121B"]}, {"/brand/colors/1": "low_contrast"}),
        ({"colors": [RED]}, {"/brand/colors": "too_short"}),
        ({"colors": [RED, CREAM], "logo": f"sha256:{'0' * 64}"}, {"/brand/logo": "unknown_asset"}),
        ({"colors": [RED, "cream"]}, {"/brand/colors/1": "not_a_color"}),
    ],
)
async def test_a_brand_that_cannot_be_read_is_refused(owner: Caller, brand: Any, faults: dict[str, str]) -> None:
    refused = await owner.post(SCENES, {"template": "list", "brand": brand})
    assert faults_in(refused) == faults


async def test_the_nearest_readable_colour_is_told_and_accepted(owner: Caller) -> None:
    refused = await owner.post(SCENES, {"template": "list", "brand": {"colors": [RED, "#B5121B"]}})
    told = refused.json()["errors"][0]["detail"]
    assert "4.5:1" in told
    near = told.rstrip(".")[-7:]
    assert (await owner.post(SCENES, {"template": "list", "brand": {"colors": [RED, near]}})).status_code == 201


def test_contrast_is_that_of_the_player() -> None:
    for one, other in ((RED, CREAM), ("#000000", "#FFFFFF"), ("#777777", "#0A0B0C")):
        assert themes.contrast(one, other) == pytest.approx(contrast(QColor(one), QColor(other)), rel=1e-6)
