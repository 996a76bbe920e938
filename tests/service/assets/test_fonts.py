"""Fonts among the assets: what is taken and refused at upload, what is known of one, and where scenes name it."""

import hashlib
from typing import Any

import pytest

from menu.fonts import MAX_FONT_BYTES
from service.services.assets.checks import max_bytes
from tests.service.support.application import Caller, body_of, png
from tests.support.fonts import ARABIC, LATIN, font_file

ASSETS = "/v1/assets"
FONT = font_file(family="Brand Sans", weight=700)
NAME = "sha256:" + hashlib.sha256(FONT).hexdigest()
TEXT = {"id": "text", "type": "text", "x": 0, "y": 0, "width": 800, "height": 200, "text": "Lunch"}


@pytest.mark.parametrize("media_type", ["font/ttf", "font/otf", "font/sfnt", "application/x-font-ttf"])
async def test_a_font_is_kept_as_what_it_is(owner: Caller, media_type: str) -> None:
    made = await owner.raw("POST", ASSETS, FONT, media_type)

    asset = body_of(made)
    assert (made.status_code, asset["id"], asset["mediaType"]) == (201, NAME, "font/ttf")
    assert asset["font"] == {"family": "Brand Sans", "weights": [700, 700], "scripts": ["Latn"]}
    assert (await owner.raw("GET", f"{ASSETS}/{NAME}", b"", "")).content == FONT
    assert body_of(await owner.get(ASSETS))["data"] == [asset]


async def test_pictures_have_no_facts_of_fonts(owner: Caller) -> None:
    assert body_of(await owner.raw("POST", ASSETS, png(), "image/png"))["font"] is None


@pytest.mark.parametrize(
    ("content", "status", "code", "why"),
    [
        (FONT[:-50], 415, "font_unusable", "cut off"),
        (b"wOF2" + bytes(40), 415, "font_unusable", "WOFF2"),
        (b"ttcf" + bytes(40), 415, "font_unusable", "collection"),
        (font_file(glyf=None), 415, "font_unusable", "outlines"),
        (b"MZ" + bytes(40), 415, "media_type_mismatch", "none of"),
        (FONT + bytes(MAX_FONT_BYTES - len(FONT) + 1), 413, "too_large", str(MAX_FONT_BYTES)),
    ],
    ids=["cut", "woff2", "collection", "pictures", "program", "large"],
)
async def test_what_is_no_font_is_refused_with_the_reason(
    owner: Caller, content: bytes, status: int, code: str, why: str
) -> None:
    refused = await owner.raw("POST", ASSETS, content, "font/ttf")

    problem = refused.json()
    assert (refused.status_code, problem["code"]) == (status, code)
    assert why in problem["detail"]
    assert body_of(await owner.get(ASSETS))["data"] == []


async def test_a_font_that_is_sent_as_a_picture_is_small_as_well(owner: Caller) -> None:
    assert max_bytes("font/otf") == max_bytes("font/sfnt") == MAX_FONT_BYTES == 5 * 1024 * 1024
    large = font_file(DSIG=bytes(MAX_FONT_BYTES))
    assert (await owner.raw("POST", ASSETS, large, "image/png")).status_code == 413


async def test_a_font_has_no_thumbnail(owner: Caller) -> None:
    await owner.raw("POST", ASSETS, FONT, "font/ttf")
    refused = await owner.get(f"{ASSETS}/{NAME}/thumbnail")
    assert (refused.status_code, refused.json()["code"]) == (404, "no_thumbnail")


async def scene(owner: Caller, **fields: Any) -> Any:
    return await owner.post("/v1/scenes", {"name": "Lunch", "widgets": [TEXT], **fields})


async def test_scenes_name_fonts_where_they_name_families(owner: Caller) -> None:
    await owner.raw("POST", ASSETS, FONT, "font/ttf")
    await owner.raw("POST", ASSETS, png(), "image/png")
    picture = "sha256:" + hashlib.sha256(png()).hexdigest()

    made = await scene(owner, theme={"fontFamily": NAME, "titleFamily": "Noto Serif"})
    assert (made.status_code, body_of(made)["theme"]["fontFamily"]) == (201, NAME)
    uses = body_of(await owner.get(f"{ASSETS}/{NAME}/uses"))
    assert [one["name"] for one in uses["scenes"]] == ["Lunch"]
    assert (await owner.delete(f"{ASSETS}/{NAME}")).json()["code"] == "in_use"

    for family, code in (
        ("sha256:" + "0" * 64, "unknown_asset"),
        (picture, "wrong_asset"),
        ("sha256:x", "not_an_asset"),
    ):
        refused = await scene(owner, theme={"headingFamily": family})
        [fault] = refused.json()["errors"]
        assert (fault["code"], fault["pointer"]) == (code, "/theme/headingFamily")
    refused = await scene(owner, widgets=[{**TEXT, "type": "image", "asset": NAME}])
    assert refused.status_code == 422


async def test_a_manifest_has_the_fonts_of_its_scenes(owner: Caller) -> None:
    both = font_file(LATIN + ARABIC)
    await owner.raw("POST", ASSETS, FONT, "font/ttf")
    other = body_of(await owner.raw("POST", ASSETS, both, "font/ttf"))["id"]
    widget = {**TEXT, "theme": {"fontFamily": other}}
    made = body_of(await scene(owner, theme={"fontFamily": NAME}, widgets=[widget]))
    playlist = body_of(await owner.post("/v1/playlists", {"name": "Day"}))["id"]
    await owner.post(f"/v1/playlists/{playlist}/scenes", {"sceneId": made["id"], "durationSeconds": 10})
    published = await owner.post(f"/v1/playlists/{playlist}/publish")
    assert published.status_code == 200, published.text

    for font in (NAME, other):
        uses = body_of(await owner.get(f"{ASSETS}/{font}/uses"))
        assert [one["version"] for one in uses["versions"]] == [1]
