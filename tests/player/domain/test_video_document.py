"""Video widgets as they stand in a document, and what a device fetches for them."""

from __future__ import annotations

from typing import Any

import pytest

from player.domain.fields import Fields, RejectionLog
from player.domain.manifest import AssetFact
from player.domain.scene import Box, Fit, Scene, VideoWidget
from player.domain.scene_document import read_scene
from player.domain.sync import scene_assets

FILM, STILL, UNDECLARED = "f" * 64, "5" * 64, "0" * 64
ASSETS = {
    FILM: AssetFact(size=1, media_type="video/mp4"),
    STILL: AssetFact(size=1, media_type="image/png"),
}
PLACE = {"id": "film", "type": "video", "x": 0, "y": 0, "width": 100, "height": 50}


def read(**fields: Any) -> tuple[Scene, list[str]]:
    rejections = RejectionLog()
    document = {"widgets": [{**PLACE, "asset": f"sha256:{FILM}", **fields}]}
    found = read_scene(Fields(document, subject="scn_1", rejections=rejections), assets=ASSETS)
    return found, [rejection.code for rejection in rejections.recorded()]


def test_a_video_has_the_defaults_of_the_document() -> None:
    found, faults = read()
    box = Box(x=0, y=0, width=100, height=50)

    assert found.widgets == (VideoWidget(id="film", box=box, asset=FILM, fit=Fit.COVER, muted=True, poster=None),)
    assert faults == []


def test_a_video_with_everything() -> None:
    [widget] = read(fit="contain", muted=False, poster=f"sha256:{STILL}")[0].widgets

    assert isinstance(widget, VideoWidget)
    assert (widget.fit, widget.muted, widget.poster) == (Fit.CONTAIN, False, STILL)


@pytest.mark.parametrize(
    "fields", [{"poster": f"sha256:{UNDECLARED}"}, {"poster": 1}, {"fit": "zoom"}, {"muted": "no"}]
)
def test_a_fault_beside_the_video_leaves_the_video(fields: dict[str, Any]) -> None:
    found, faults = read(**fields)

    assert len(found.widgets) == 1
    assert len(faults) == 1


@pytest.mark.parametrize("asset", [f"sha256:{UNDECLARED}", "http://127.0.0.1/film.mp4", "../film.mp4", None])
def test_a_video_whose_asset_is_not_declared_is_left_out(asset: object) -> None:
    found, faults = read(asset=asset)

    assert found.widgets == ()
    assert faults


def test_the_poster_is_fetched_before_its_video() -> None:
    assert scene_assets(read(poster=f"sha256:{STILL}")[0]) == (STILL, FILM)
    assert scene_assets(read()[0]) == (FILM,)
