"""Video widgets in a scene's document, and the assets that they need."""

from __future__ import annotations

from typing import Any

import pytest

from menu.documents.box import Box
from menu.documents.manifest import AssetFact
from menu.documents.references import scene_assets
from menu.documents.scene import Fit, Scene, VideoWidget
from menu.documents.scene_reader import read_scene
from menu.documents.tolerant import Fields, RejectionLog

VIDEO, POSTER, UNDECLARED = "f" * 64, "5" * 64, "0" * 64
ASSETS = {
    VIDEO: AssetFact(size=1, media_type="video/mp4"),
    POSTER: AssetFact(size=1, media_type="image/png"),
}
WIDGET = {"id": "film", "type": "video", "x": 0, "y": 0, "width": 100, "height": 50}


def read(**fields: Any) -> tuple[Scene, list[str]]:
    rejections = RejectionLog()
    document = {"widgets": [{**WIDGET, "asset": f"sha256:{VIDEO}", **fields}]}
    found = read_scene(Fields(document, subject="scn_1", rejections=rejections, assets=ASSETS))
    return found, [rejection.code for rejection in rejections.recorded()]


def test_a_video_without_options_has_the_defaults() -> None:
    found, codes = read()
    box = Box(x=0, y=0, width=100, height=50)

    assert found.widgets == (VideoWidget(id="film", box=box, asset=VIDEO, fit=Fit.COVER, muted=True, poster=None),)
    assert codes == []


def test_a_video_with_every_option() -> None:
    [widget] = read(fit="contain", muted=False, poster=f"sha256:{POSTER}")[0].widgets

    assert isinstance(widget, VideoWidget)
    assert (widget.fit, widget.muted, widget.poster) == (Fit.CONTAIN, False, POSTER)


@pytest.mark.parametrize(
    "fields", [{"poster": f"sha256:{UNDECLARED}"}, {"poster": 1}, {"fit": "zoom"}, {"muted": "no"}]
)
def test_a_bad_option_does_not_cost_the_video(fields: dict[str, Any]) -> None:
    found, codes = read(**fields)

    assert len(found.widgets) == 1
    assert len(codes) == 1


@pytest.mark.parametrize("asset", [f"sha256:{UNDECLARED}", "http://127.0.0.1/film.mp4", "../film.mp4", None])
def test_a_video_without_a_declared_asset_is_left_out(asset: object) -> None:
    found, codes = read(asset=asset)

    assert found.widgets == ()
    assert codes


def test_the_poster_comes_before_its_video() -> None:
    assert scene_assets(read(poster=f"sha256:{POSTER}")[0]) == (POSTER, VIDEO)
    assert scene_assets(read()[0]) == (VIDEO,)
