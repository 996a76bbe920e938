"""From an operator's command to its effect and its result, with the real programs over HTTP."""

from __future__ import annotations

import time
import urllib.request
from typing import Any

import pytest
from PySide6.QtGui import QImage

from tests.e2e.conftest import Shop
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import eventually, on_glass

MOST_SECONDS = 10.0
"""Well below the 30 s between two heartbeats, also on a machine that is busy."""


def fetched(shop: Shop, path: str) -> bytes:
    request = urllib.request.Request(
        f"{shop.service.address}/v1{path}", headers={"Authorization": f"Bearer {shop.service.key}"}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
        content: bytes = answer.read()
        return content


def result_of(shop: Shop, where: str) -> dict[str, Any]:
    """The command as the operator reads it once it has a result."""

    def finished() -> dict[str, Any] | None:
        found: dict[str, Any] = shop.service.get(where)
        return found if found["finishedAt"] else None

    return eventually(finished, what=f"the command has a result: {shop.service.get(where)}")


@pytest.mark.long
def test_an_operator_sees_the_effect_of_each_command_and_what_became_of_it(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    coffee = shop.scene("Coffee", "Coffee")
    screen = shop.pair(shop.playlist("All day", (coffee, 3600)))
    shop.player.wait_for("the menu is on the glass", on_glass)
    commands = f"/screens/{screen}/commands"
    seconds: dict[str, float] = {}

    def run(kind: str) -> tuple[str, str]:
        begun = time.monotonic()
        given = shop.service.post(commands, {"type": kind})
        if kind == "identify":
            eventually(lambda: shop.player.glass() != before, what="the banner is on the glass")
            seconds["identify, on the glass"] = time.monotonic() - begun
        found = result_of(shop, f"{commands}/{given['id']}")
        seconds[f"{kind}, result"] = time.monotonic() - begun
        return found["state"], found["detail"]

    assert run("screenshot") == ("done", "A picture of the screen was sent.")
    picture = QImage.fromData(fetched(shop, f"/screens/{screen}/screenshot"))
    assert (picture.width(), picture.height()) == (960, 540)
    assert run("sendLogs") == ("done", "The log was sent.")
    assert b"command received: sendLogs" in fetched(shop, f"/screens/{screen}/logs")
    assert run("reload") == ("done", "The menu was fetched again.")
    before = shop.player.glass()
    assert run("identify") == ("done", "The screen shows its name.")
    state, detail = run("screenshot")
    assert (state, "the PIN is on the screen" in detail) == ("refused", True)
    with capsys.disabled():
        print("\n" + "\n".join(f"{what}: {taken:.2f} s" for what, taken in seconds.items()))  # noqa: T201
    assert max(seconds.values()) < MOST_SECONDS

    restart = shop.service.post(commands, {"type": "restart"})
    eventually(lambda: not shop.player.alive(), what="the player ends, for its supervisor to start it")
    assert shop.service.get(f"{commands}/{restart['id']}")["state"] == "sent"
    shop.player.start()
    assert result_of(shop, f"{commands}/{restart['id']}")["detail"] == "The player runs again."
    listed = shop.service.get(commands)["data"]
    assert [one["state"] for one in listed] == ["done", "done", "done", "done", "refused", "done"]
