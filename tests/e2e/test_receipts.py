"""What was on the glass: the real player tells the real service, which draws it again with the values of then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage

from service.core.clock import instant_text
from tests.e2e.conftest import Shop
from tests.e2e.test_commands import fetched
from tests.support.programs import HttpError, Player, eventually, on_glass


class Look:
    """A moment at which a guest looked at the glass."""

    def __init__(self, player: Player) -> None:
        def still() -> bytes | None:
            self.at = datetime.now(UTC)
            frame = player.glass()
            return frame if frame == player.glass() else None

        # Rows glide to their places for a moment.
        self.frame = QImage.fromData(eventually(still, what="the glass stands still", poll_seconds=0.3))


def picture(shop: Shop, screen: str, at: datetime) -> QImage:
    instant = instant_text(at)
    return QImage.fromData(fetched(shop, f"/screens/{screen}/picture?at={instant}&width=960"))


MENU = QRect(0, 0, 960, 420)
"""The glass above the strip that is there for the staff in the first minutes."""


def is_same(one: QImage, other: QImage) -> bool:
    kind = QImage.Format.Format_RGB32
    return one.copy(MENU).convertToFormat(kind) == other.copy(MENU).convertToFormat(kind)


def receipts(shop: Shop, screen: str) -> list[dict[str, Any]]:
    return list(shop.service.get(f"/screens/{screen}/receipts?limit=100")["data"])


def gaps(shop: Shop, screen: str) -> list[str]:
    return [one["gapBefore"]["reason"] for one in receipts(shop, screen) if one["gapBefore"] is not None]


def told_until(shop: Shop, screen: str, at: datetime) -> bool:
    found = receipts(shop, screen)
    return bool(found) and found[-1]["to"] >= instant_text(at)


@pytest.mark.long
def test_each_price_that_hung_there_is_drawn_again(shop: Shop) -> None:
    service, player, coffee = shop.service, shop.player, shop.items["Flat white"]
    screen = shop.pair(shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 20)))
    player.wait_for("the menu is on the glass", lambda s: on_glass(s).get("Flat white") == "3,40 €")
    looks = [Look(player)]

    service.patch(f"/content/items/{coffee}", {"price": 3.9})
    player.wait_for("the new price is on the glass", lambda s: on_glass(s).get("Flat white") == "3,90 €")
    looks.append(Look(player))

    ends = datetime.now(UTC) + timedelta(seconds=12)
    offer = {"price": 1.8, "regularPrice": 2.2, "offerEndsAt": instant_text(ends)}
    service.patch(f"/content/items/{shop.items['Espresso']}", offer)
    player.wait_for("the offer is on the glass", lambda s: on_glass(s).get("Espresso") == "1,80 €")
    looks.append(Look(player))
    service.kill()
    player.wait_for("it ends without the service", lambda s: on_glass(s).get("Espresso") == "2,20 €")
    looks.append(Look(player))

    service.start()
    service.patch(f"/content/items/{coffee}", {"price": 9})
    player.wait_for("the newest price is on the glass", lambda s: on_glass(s).get("Flat white") == "9,00 €")
    looks.append(Look(player))
    player.end()
    player.start()
    eventually(lambda: told_until(shop, screen, looks[-1].at), what="the service has all of it", players=[player])

    pictures = [picture(shop, screen, one.at) for one in looks]
    for number, (drawn, look) in enumerate(zip(pictures, looks, strict=True)):
        assert is_same(drawn, look.frame), number
    assert not any(is_same(one, other) for one, other in pairwise(pictures))
    assert gaps(shop, screen) in ([], ["stopped"]), "from the first frame on nothing but the restart"


@pytest.mark.long
def test_a_power_cut_leaves_a_named_gap_and_a_whole_log(shop: Shop) -> None:
    player = shop.player
    screen = shop.pair(shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 20)))
    player.wait_for("the menu is on the glass", lambda s: len(on_glass(s)) == 2)
    eventually(lambda: receipts(shop, screen), what="the first batch has come", players=[player])
    told = datetime.fromisoformat(receipts(shop, screen)[-1]["to"])
    # Shorter gaps are within the precision of what is told.
    eventually(lambda: datetime.now(UTC) > told + timedelta(seconds=3), what="some of what shows is not told yet")
    cut = datetime.now(UTC)
    player.kill()
    with (player.state_folder / "receipts").open("ab") as torn:
        torn.write(b"0000")
    player.start()
    player.wait_for("the menu is back", lambda s: len(on_glass(s)) == 2)
    back = datetime.now(UTC)
    eventually(lambda: told_until(shop, screen, back), what="the next batch has come", players=[player])
    assert gaps(shop, screen) == ["cut"]
    try:
        picture(shop, screen, cut - timedelta(seconds=1))
    except Exception as error:
        problem = HttpError(error.code, error.read()).problem  # type: ignore[attr-defined]
        assert (problem["code"], problem["errors"][0]["code"]) == ("nothing_shown", "cut")
    else:
        raise AssertionError("a picture of a time of which nothing is known")
