"""Fonts of a scene's themes: the name of an installed family, or a font of the assets by its hash."""

from __future__ import annotations

from typing import Any

import pytest

from menu.documents.manifest import AssetFact
from menu.documents.references import font_fields, named_in_document, scene_assets, scene_fonts, scene_media
from menu.documents.scene import Scene
from menu.documents.scene_reader import read_scene
from menu.documents.tolerant import Fields, RejectionLog

BRAND, SCRIPT, CUP = "b" * 64, "c" * 64, "5" * 64
FONT = AssetFact(size=1, media_type="font/ttf")
ASSETS = {BRAND: FONT, SCRIPT: FONT, CUP: AssetFact(size=1, media_type="image/png")}
TEXT = {"id": "text", "type": "text", "x": 0, "y": 0, "width": 100, "height": 50, "text": "Lunch"}
IMAGE = {"id": "cup", "type": "image", "x": 0, "y": 0, "width": 100, "height": 50, "asset": f"sha256:{CUP}"}


def read(theme: dict[str, Any], *widgets: dict[str, Any]) -> tuple[Scene, list[str]]:
    rejections = RejectionLog()
    document = {"theme": theme, "widgets": list(widgets)}
    found = read_scene(Fields(document, subject="scn_1", rejections=rejections, assets=ASSETS))
    return found, [rejection.code for rejection in rejections.recorded()]


def test_a_scene_needs_the_fonts_of_its_themes_first() -> None:
    widgets = (IMAGE, {**TEXT, "theme": {"titleFamily": f"sha256:{SCRIPT}", "fontFamily": f"sha256:{BRAND}"}})
    scene, codes = read({"fontFamily": f"sha256:{BRAND}", "headingFamily": "Noto Serif"}, *widgets)

    assert codes == []
    assert scene.theme.font_family == f"sha256:{BRAND}"
    assert scene_fonts(scene) == {BRAND: "theme/fontFamily", SCRIPT: "text/theme/titleFamily"}
    assert scene_media(scene) == (CUP,)
    assert scene_assets(scene) == (BRAND, SCRIPT, CUP)


def test_installed_families_are_no_assets() -> None:
    scene, _ = read({"fontFamily": "Inter", "titleFamily": "Noto Serif"}, TEXT)
    assert scene_assets(scene) == ()


@pytest.mark.parametrize(
    ("family", "code"), [(f"sha256:{'0' * 64}", "asset_undeclared"), ("sha256:brand", "asset_bad"), (7, "field_bad")]
)
def test_a_bad_font_costs_the_field_alone(family: object, code: str) -> None:
    scene, codes = read({"fontFamily": family, "titleFamily": "Inter"}, TEXT)
    assert (scene.theme.font_family, scene.theme.title_family, len(scene.widgets)) == (None, "Inter", 1)
    assert codes == [code]


def test_the_fields_that_may_name_a_font() -> None:
    assert set(font_fields()) == {"fontFamily", "titleFamily", "headingFamily"}


def test_a_document_names_its_fonts_by_place() -> None:
    theme = {"fontFamily": f"sha256:{BRAND}", "titleFamily": "Inter"}
    document = {"theme": theme, "widgets": [IMAGE, {**TEXT, "theme": {"headingFamily": f"sha256:{SCRIPT}"}}]}
    assert [(one.pointer, str(one.kind), one.id) for one in named_in_document(document)] == [
        ("/theme/fontFamily", "font", f"sha256:{BRAND}"),
        ("/widgets/0/asset", "picture", f"sha256:{CUP}"),
        ("/widgets/1/theme/headingFamily", "font", f"sha256:{SCRIPT}"),
    ]
