"""Items sold out while a new version waits for its files stay off the glass, whatever is killed."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Shop
from tests.service.support.application import png
from tests.support.programs import eventually, on_glass


@pytest.mark.long
@pytest.mark.proves("new-version-waits")
def test_a_dish_sold_out_while_a_version_waits_stays_off_after_a_power_cut_without_the_service(shop: Shop) -> None:
    menu = {"id": "menu", "type": "menu", "x": 0, "y": 0, "width": 1920, "height": 900}
    scene = shop.service.post("/scenes", {"name": "Menu", "widgets": [menu | {"categories": ["Coffee", "Lunch"]}]})
    playlist = shop.playlist("All day", (scene["id"], 2))
    shop.pair(playlist)
    shop.player.wait_for("the menu is on the glass", lambda s: len(on_glass(s)) == 3)

    # A version with a picture whose file the service has lost, and without the soup.
    picture = shop.service.upload(png(40), "image/png")
    digest = picture.removeprefix("sha256:")
    (shop.service.data / "assets" / "files" / digest[:2] / digest).unlink()
    image = {"id": "image", "type": "image", "asset": picture, "x": 0, "y": 0, "width": 400, "height": 400}
    shop.service.patch(
        f"/scenes/{scene['id']}", {"widgets": [menu | {"categories": ["Coffee"], "x": 400, "width": 1520}, image]}
    )
    assert shop.publish(playlist) == 2
    shop.player.wait_for("version 2 waits", lambda s: s["staged"])

    # One dish that both versions list, one that only the running one lists.
    shop.service.patch(f"/content/items/{shop.items['Espresso']}", {"eightySixed": True})
    shop.player.wait_for("the espresso is off", lambda s: "Espresso" not in on_glass(s) and on_glass(s))
    shop.service.patch(f"/content/items/{shop.items['Soup']}", {"eightySixed": True})
    left = {"Flat white": "3,40 €"}
    state = shop.player.wait_for("the soup is off", lambda s: on_glass(s) == left)
    stored = shop.player.state_folder / "staged"
    newest = f'"revision":{state["revision"]},'.encode()
    eventually(lambda: newest in stored.read_bytes(), what="the newest facts are stored")

    shop.player.kill()
    shop.service.kill()
    shop.player.start()
    state = shop.player.wait_for("the menu is back from the disk", on_glass)
    assert on_glass(state) == left
    assert state["presented"]["version"] == 1
    assert state["staged"]["version"] == 2
    assert state["contact"]["lastAnswerAt"] is None
