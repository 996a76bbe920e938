"""While the player's page is attacked in every way, what is sold out leaves the glass and the scenes go on."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import Any

import pytest

from tests.e2e.conftest import Shop
from tests.support.flood import UNDER_WAY
from tests.support.programs import on_glass

SECONDS = 600
KINDS = ("idle", "slow", "bodies", "requests", "pages", "pictures", "pins")
MOST_MILLISECONDS = 5_000
"""From the operator's call to the frame; at rest it is a tenth of a second, and this machine runs the attack, too."""


@pytest.mark.proves("hundreds-idle-slow")
@pytest.mark.long
def test_a_sold_out_item_comes_off_the_glass_and_the_scenes_go_on(shop: Shop) -> None:
    fade = {"transition": {"type": "fade", "milliseconds": 300}}
    coffee, lunch = shop.scene("Coffee", "Coffee", **fade), shop.scene("Lunch", "Lunch", **fade)
    shop.pair(shop.playlist("All day", (coffee, 2), (lunch, 2)))
    shop.player.wait_for("the menu is on the glass", on_glass)
    command = ("nice", "-n", "10", sys.executable, "-m", "tests.support.flood", str(shop.player.port), *KINDS)
    with subprocess.Popen((*command, "--seconds", str(SECONDS)), stdout=subprocess.PIPE, text=True) as attack:
        assert attack.stdout is not None
        assert attack.stdout.readline().strip() == UNDER_WAY
        before = shop.player.state()["presented"]["since"]
        for sold_out in (True, False, True):
            shop.service.patch(f"/content/items/{shop.items['Flat white']}", {"eightySixed": sold_out})
            coffees = {"Espresso"} if sold_out else {"Espresso", "Flat white"}
            state = shop.player.wait_for("the change is on the glass", partial(shows, coffees))
            assert state["presented"]["latencyMilliseconds"] < MOST_MILLISECONDS
        state = shop.player.wait_for("the next scene shows", partial(shows, {"Soup"}))
        assert state["presented"]["since"] != before
        assert attack.poll() is None, "the attack was over"
        attack.terminate()
    assert not shop.player.state()["findings"], "none of it is a fault of the board"


def shows(names: set[str], state: dict[str, Any]) -> bool:
    """Whether these dishes are on the glass, and no others."""
    return on_glass(state).keys() == names
