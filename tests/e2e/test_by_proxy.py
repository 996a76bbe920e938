"""A shop whose only way out is a proxy with a password, and whose service has a certificate of the shop's own.

Only the proxy knows the name of the service, so a call that went past it would fail.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from tests.e2e.conftest import Shop
from tests.support.authority import Authority
from tests.support.films import still
from tests.support.programs import HttpError, Player, Service, eventually, free_port, on_glass
from tests.support.proxy import a_proxy, pump

NAME = "menus.invalid"


class WayOut:
    """The proxy, and TLS before the service, on a thread of their own."""

    def __init__(self, service: Service, authority: Authority) -> None:
        self.url = ""
        self.asked: list[str] = []
        self._service, self._authority = service, authority
        self._ready = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        assert self._ready.wait(30)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        tls = await asyncio.start_server(self._pass_on, "127.0.0.1", 0, ssl=self._authority.server(NAME))
        async with a_proxy("secret", {NAME: tls.sockets[0].getsockname()[1]}) as proxy:
            self.url, self.asked = proxy.url.replace("http://", "http://shop:secret@"), proxy.asked
            self._ready.set()
            await self._stop.wait()
        tls.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._service.port)
        await asyncio.gather(pump(reader, back), pump(there, writer))

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()


@pytest.fixture
def way_out(tmp_path: Path, shop: Shop) -> Iterator[WayOut]:
    """The player of the shop has to go by the proxy: said by the environment, its authority by the configuration."""
    shop.player.kill()
    authority = Authority(tmp_path)
    out = WayOut(shop.service, authority)
    config = tmp_path / "config.toml"
    config.write_text(f'service = "https://{NAME}"\nca_file = "{authority.file}"\n')
    player = shop.player
    player.environment |= {"HTTPS_PROXY": out.url, "MENU_PLAYER_CONFIG": str(config)}
    player.state_folder = tmp_path / "by-proxy"
    yield out
    player.kill()
    out.end()


def start(player: Player) -> None:
    """As its unit does, without flags that say where the service is."""
    own = ("--state", str(player.state_folder), "--diagnostics-port", str(player.port))
    player.launch("player", "run", *player.display, *own)


@pytest.mark.long
def test_a_shop_behind_a_proxy_pairs_plays_and_is_looked_after(shop: Shop, way_out: WayOut, tmp_path: Path) -> None:
    start(shop.player)
    picture = shop.service.upload(still("png").read_bytes(), "image/png")
    image = {"id": "picture", "type": "image", "x": 0, "y": 0, "width": 640, "height": 640, "asset": picture}
    scene = str(shop.service.post("/scenes", {"name": "Picture", "widgets": [image]})["id"])
    menu = shop.scene("Coffee", "Coffee")
    screen = shop.pair(shop.playlist("All day", (menu, 2), (scene, 2)))
    state = shop.player.wait_for("the menu is on the glass", on_glass)
    assert state["findings"] == []
    for command in ("screenshot", "sendLogs"):
        shop.service.post(f"/screens/{screen}/commands", {"type": command})

    def come(what: str) -> bool:
        try:
            shop.service.get(f"/screens/{screen}/{what}")
        except HttpError:
            return False
        except ValueError:
            return True  # No JSON: the picture, or the log.
        return True

    eventually(lambda: come("screenshot"), what="the screen's picture has come")
    eventually(lambda: come("logs"), what="the screen's log has come")
    assert set(way_out.asked) == {f"CONNECT {NAME}:443"}
    assert "secret" not in shop.player.log.read_text()

    assert shop.player.end() == 0
    found = doctor(shop.player)
    assert [finding["code"] for finding in found["findings"]] == ["player_not_running"], "the way out is good"


def doctor(player: Player, *more: str) -> dict[str, Any]:
    own = ("--state", str(player.state_folder), "--diagnostics-port", str(free_port()), "--offscreen", "--json")
    done = subprocess.run(
        [sys.executable, "-m", "player", "doctor", *own, *more],
        env=player.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        (
            "MENU_PLAYER_PROXY",
            "socks5://shop:hidden-word@10.0.0.1:1080",
            "MENU_PLAYER_PROXY: this is not the address of a proxy",
        ),
        ("HTTPS_PROXY", "http://shop:hidden-word@proxy", "HTTPS_PROXY: this is not the address of a proxy"),
        (
            "MENU_PLAYER_CA_FILE",
            "/none/hidden.pem",
            "MENU_PLAYER_CA_FILE: /none/hidden.pem cannot be read",
        ),
    ],
)
def test_a_wrong_way_out_is_named_at_the_start_and_by_the_doctor(
    tmp_path: Path, variable: str, value: str, words: str
) -> None:
    player = Player(tmp_path, "https://menus.example.com")
    player.environment |= {variable: value, "MENU_PLAYER_SERVICE": player.service}
    player.start()
    assert player.process is not None
    assert player.process.wait(60) == 2
    found = doctor(player)
    (finding,) = found["findings"]
    assert finding["code"] == "settings_wrong"
    for said in (player.log.read_text(), finding["why"]):
        assert words in said
        assert "hidden-word" not in said
