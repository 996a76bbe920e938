"""A technician's computer finds the real player on the network of the shop, also when its cable comes late."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs import Player, eventually

NOBODY_LISTENS = "http://127.0.0.1:9"
SECURITY = Path(__file__).parents[2] / "docs" / "security.md"
SCREEN, LAPTOP = "192.0.2.11", "192.0.2.12"


def ip(*words: str) -> bool:
    return subprocess.run(("ip", *words), capture_output=True, check=False).returncode == 0


class Shop:
    """Two machines with a cable between them: namespaces, or one machine where nobody may have those."""

    def __init__(self) -> None:
        self.names = tuple(f"menu-{who}-{os.getpid()}" for who in ("screen", "laptop"))
        self.cable = f"m{os.getpid()}a", f"m{os.getpid()}b"
        self.apart = all(ip("netns", "add", name) for name in self.names) and ip(
            *("link", "add", self.cable[0], "netns", self.names[0], "type", "veth"),
            *("peer", "name", self.cable[1], "netns", self.names[1]),
        )
        if self.apart:
            for name in self.names:
                ip("-n", name, "link", "set", "lo", "up")
            ip("-n", self.names[1], "addr", "add", f"{LAPTOP}/24", "dev", self.cable[1])
            ip("-n", self.names[1], "link", "set", self.cable[1], "up")

    def plug_in(self) -> None:
        if self.apart:
            ip("-n", self.names[0], "addr", "add", f"{SCREEN}/24", "dev", self.cable[0])
            ip("-n", self.names[0], "link", "set", self.cable[0], "up")

    def on(self, machine: int) -> tuple[str, ...]:
        """Before a command."""
        return ("ip", "netns", "exec", self.names[machine]) if self.apart else ()

    def close(self) -> None:
        for name in self.names:
            ip("netns", "del", name)


@pytest.fixture
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.close()


def open_ports(player: Player) -> set[str]:
    """The ports at which this machine answers; nothing but the player runs there."""
    found = set()
    for kind, opened in (("tcp", "0A"), ("udp", "07")):
        for version in ("", "6"):
            lines = Path(f"/proc/{player.pid}/net/{kind}{version}").read_text(encoding="ascii").splitlines()
            rows = [line.split() for line in lines[1:]]
            found |= {f"{int(row[1].rpartition(':')[2], 16)}/{kind}" for row in rows if row[3] == opened}
    return found


@pytest.fixture
def player(shop: Shop, tmp_path: Path) -> Iterator[Player]:
    player = Player(tmp_path, NOBODY_LISTENS)
    player.prefix = shop.on(0)
    player.start()
    yield player
    player.kill()


def own_id(player: Player) -> str:
    """As it is on the disk: the page is not open to another machine."""

    def stored() -> str | None:
        path = player.state_folder / "identity"
        return path.read_text(encoding="ascii").splitlines()[-1] if path.exists() else None

    return eventually(stored, what=f"the player has an identity; see {player.log}")[:6].upper()


def search(shop: Shop, seconds: float) -> list[dict[str, Any]]:
    command = (sys.executable, "-m", "player", "discover", "--json", "--seconds", str(seconds))
    done = subprocess.run((*shop.on(1), *command), capture_output=True, text=True, check=False)
    players: list[dict[str, Any]] = json.loads(done.stdout)["players"]
    return players


@pytest.mark.long
def test_a_laptop_finds_the_player_that_is_plugged_in_late(shop: Shop, player: Player) -> None:
    wanted = own_id(player)
    shop.plug_in()

    def found() -> dict[str, Any] | None:
        return next((each for each in search(shop, 1.0) if each["short_id"] == wanted and each["state"] != "ok"), None)

    told = eventually(found, what=f"the player is found, and that it lacks its service; see {player.log}")

    assert told["state"] in {"warning", "fault"}
    assert told["version"]
    if shop.apart:
        assert told["address"] == SCREEN
        assert told["page"].endswith(f"{SCREEN}:{player.port}/")


@pytest.mark.long
@pytest.mark.first_case
@pytest.mark.parametrize("announce", [True, False])
def test_the_ports_of_the_player_are_those_of_the_page_on_security(
    shop: Shop, tmp_path: Path, *, announce: bool
) -> None:
    if not shop.apart:
        pytest.skip("this machine lets nobody have a network of their own")
    player = Player(tmp_path, NOBODY_LISTENS)
    player.prefix = shop.on(0)
    player.environment["MENU_PLAYER_ANNOUNCE"] = str(announce).lower()
    _, _, page = SECURITY.read_text(encoding="utf-8").partition("## The player\n")
    rows = dict(re.findall(r"^\| (\d+/\w+)(.*)", page.partition("## The service\n")[0], re.MULTILINE))
    assert "`announce = false`" in rows["5353/udp"]
    listed = {port.replace("8085", str(player.port)) for port in rows if announce or port != "5353/udp"}
    player.start()
    try:
        eventually(lambda: open_ports(player) == listed, what=f"{listed} are open; see {player.log}")
    finally:
        player.kill()


@pytest.mark.long
def test_avahi_sees_the_player_and_its_end(shop: Shop, player: Player, tmp_path: Path) -> None:
    if not shop.apart:
        pytest.skip("this machine lets nobody have a network of their own")
    wanted = own_id(player)
    shop.plug_in()
    # Avahi tells its programs by D-Bus, which lies where the machine's own may be.
    script = f"""
        mkdir -p /run/dbus /run/avahi-daemon && mount -t tmpfs tmpfs /run/dbus && mount -t tmpfs tmpfs /run/avahi-daemon
        dbus-daemon --system --nofork --nopidfile & sleep 1
        avahi-daemon --no-drop-root --no-chroot --no-rlimits & sleep 2
        avahi-browse --parsable --resolve --no-db-lookup _menu-player._tcp > {tmp_path}/seen &
        wait
    """
    command = (*shop.on(1), "unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script)
    with (tmp_path / "avahi.log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as avahi:
        try:

            def seen(mark: str) -> str | None:
                lines = (tmp_path / "seen").read_text(encoding="utf-8") if (tmp_path / "seen").exists() else ""
                return next((line for line in lines.splitlines() if line.startswith(mark) and wanted in line), None)

            resolved = eventually(lambda: seen("="), what=f"avahi resolves the player; see {tmp_path}")
            assert f'"id={wanted}"' in resolved
            assert f";{player.port};" in resolved
            assert f";{SCREEN};" in resolved
            before = time.monotonic()
            player.end()
            eventually(lambda: seen("-"), what=f"avahi hears the goodbye; see {tmp_path}")
            assert time.monotonic() - before < 15
        finally:
            avahi.kill()
