"""Slideshows, countdowns and values through both programs: from the call to the pixels."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtGui import QImage

from tests.e2e.conftest import Shop
from tests.service.support.application import png
from tests.support.programs import eventually, on_glass

DARK, LIGHT = 40, 200
EXPIRES_SECONDS = 10


@pytest.mark.long
def test_a_slideshow_that_was_published_turns_on_the_board(shop: Shop) -> None:
    menu = {"id": "menu", "type": "menu", "x": 0, "y": 0, "width": 960, "height": 900, "categories": ["Coffee"]}
    scene = shop.service.post("/scenes", {"name": "Menu", "widgets": [menu]})["id"]
    playlist = shop.playlist("All day", (scene, 2))
    shop.pair(playlist)
    shop.player.wait_for("the menu is on the glass", on_glass)

    dark, light = (shop.service.upload(png(shade), "image/png") for shade in (DARK, LIGHT))
    zone = {"id": "zone", "type": "slideshow", "x": 960, "y": 0, "width": 960, "height": 900, "fadeMilliseconds": 0}
    slides = [{"asset": asset, "durationSeconds": 3} for asset in (dark, light)]
    left = {"id": "left", "type": "countdown", "x": 0, "y": 920, "width": 1920, "height": 140, "end": "24:00"}
    shop.service.patch(f"/scenes/{scene}", {"widgets": [menu, zone | {"slides": slides}, left]})
    assert shop.publish(playlist) == 2
    shop.player.wait_for("version 2 is on the glass", lambda s: s["presented"]["version"] == 2 and on_glass(s))
    seen: list[int] = []

    def both_turned() -> bool:
        shade = QImage.fromData(shop.player.glass()).pixelColor(720, 225).lightness()
        if not seen or seen[-1] != shade:
            seen.append(shade)
        return len(seen) > 2

    # The scene's showings of two seconds follow each other, and do not begin it anew.
    eventually(both_turned, what="each picture has had its turn")
    assert sorted(set(seen)) == [DARK, LIGHT]
    assert shop.player.state()["rejections"] == []


@pytest.mark.long
@pytest.mark.proves("program-sends-values")
def test_a_value_shows_on_the_board_and_is_gone_when_it_expires_without_the_service(shop: Shop) -> None:
    menu = {"id": "menu", "type": "menu", "x": 0, "y": 0, "width": 960, "height": 900, "categories": ["Coffee"]}
    outside = {"id": "outside", "type": "text", "x": 960, "y": 0, "width": 960, "height": 900}
    widgets = [menu, outside | {"text": "{{temperature}}°"}]
    scene = shop.service.post("/scenes", {"name": "Menu", "widgets": widgets})["id"]
    shop.pair(shop.playlist("All day", (scene, 20)))
    shop.player.wait_for("the menu is on the glass", on_glass)

    def tells() -> bool:
        glass = QImage.fromData(shop.player.glass())
        row = range(glass.width() // 2, glass.width())
        return any(glass.pixelColor(x, glass.height() * 5 // 12).lightness() > LIGHT for x in row)

    assert not tells()
    assert [one["code"] for one in shop.player.state()["rejections"]] == ["value_missing"]
    version = shop.player.state()["presented"]["version"]
    expires = datetime.now(UTC) + timedelta(seconds=EXPIRES_SECONDS)
    value = {"value": -21.5, "expiresAt": expires.isoformat()}
    shop.service.patch(f"/locations/{shop.location}/values", {"values": {"temperature": value}})
    eventually(tells, what="the temperature is on the glass")
    assert shop.player.state()["rejections"] == []
    shop.service.kill()
    eventually(lambda: not tells(), what="the temperature has gone")
    assert datetime.now(UTC) >= expires
    assert shop.player.state()["presented"]["version"] == version
