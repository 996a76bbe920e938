"""The image of a board: from its first start to the menu, and back after every loss of power.

What is on the screen is read from its pixels: the code of the pairing, and one on the menu.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import statistics
from pathlib import Path
from typing import Any

import pytest

from tests.kiosk.roots import built_packages
from tests.kiosk.variants import dies_at_once, variant
from tests.support.programs import Service
from tests.vm.computer import Computer, eventually
from tests.vm.conftest import MACHINE, written

CUTS = int(os.environ.get("MENU_VM_CUTS", "20"))
MENU = "menu-of-the-day"
"""The text of the code on the menu."""

MOST_BEHIND_ROOT_MIB = 42

PLAYS_SECONDS = 40.0
"""The longest that a menu stands before the power goes."""

GOOD, BAD = "8.1", "8.2"
"""Versions that the board is given."""

UPDATES = f"""\
is_good() {{
  until python3 -c 'import json, sys; sys.exit(json.load(open(sys.argv[1]))["good"]["menu-player"] != sys.argv[2])' \\
    /var/lib/menu-player-guard/state.json "$1"; do sleep 5; done
}}
is_good "$(dpkg-query -W -f '${{Version}}' menu-player)"
for version in {GOOD} {BAD}; do
  apt-get -q -y install /var/updates/*_${{version}}_all.deb
  is_good $version
done
"""
"""As a technician would type it, who finds no keyboard here."""

UPDATES_UNIT = """\
[Service]
ExecStart=/bin/bash /var/updates/run
Environment=DEBIAN_FRONTEND=noninteractive
"""

WITH_UPDATES = """\
[Unit]
Wants=updates.service
"""

has_button = pytest.mark.skipif(MACHINE == "raspi4b", reason="this model cannot be switched off")


def code_of(computer: Computer, to: Path) -> str | None:
    """The pairing code on the screen."""
    for text in computer.codes(to):
        if found := re.search(r"/pair.*[=#/]([A-Z0-9]{3}-?[A-Z0-9]{3})$", text):
            return found[1]
    return None


def test_a_machine_with_the_image_shows_a_pairing_code(
    computer: Computer, figures: dict[str, float], pictures: Path
) -> None:
    computer.switch_on()
    shown = pictures / "code.png"
    eventually(lambda: code_of(computer, shown), what=f"a pairing code is on the screen; see {shown}")
    figures["power to the pairing code, at the first start"] = computer.seconds


def test_paired_by_the_code_on_its_screen_it_shows_the_menu(
    computer: Computer, service: Service, figures: dict[str, float], pictures: Path
) -> None:
    place = {"name": "Corner Café", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "en-GB"}
    location = service.post("/locations", place)["id"]
    for name, price in (("Flat white", 3.4), ("Espresso", 2.2), ("Soup of the day", 6.5), ("Carrot cake", 4.8)):
        service.post("/content/items", {"name": name, "category": "Café", "price": price})
    menu = {"id": "menu", "type": "menu", "x": 100, "y": 60, "width": 1200, "height": 960, "title": "Corner Café"}
    code = {"id": "code", "type": "qr", "x": 1400, "y": 300, "width": 420, "height": 420, "data": MENU}
    scene = service.post("/scenes", {"name": "Menu", "widgets": [menu, code]})["id"]
    playlist = service.post("/playlists", {"name": "All day"})["id"]
    service.post(f"/playlists/{playlist}/scenes", {"sceneId": scene, "durationSeconds": 3600})
    service.post(f"/playlists/{playlist}/publish")

    shown = pictures / "menu.png"
    read = eventually(lambda: code_of(computer, shown), what="a pairing code is on the screen")
    before = computer.seconds
    service.post("/screens/pair", {"code": read, "playlist": playlist, "location": location, "name": "Counter"})
    eventually(lambda: MENU in computer.codes(shown), what=f"the menu is on the screen; see {shown}")
    figures["pairing to the menu"] = computer.seconds - before


@pytest.mark.skipif(CUTS == 0, reason="no cuts are asked for")
def test_after_every_loss_of_power_the_menu_is_back(
    computer: Computer, service: Service, figures: dict[str, float], pictures: Path
) -> None:
    seed = int(os.environ.get("SEED", random.SystemRandom().randrange(10**6)))
    chance = random.Random(seed)
    item = service.get("/content/items")["data"][0]
    shown = pictures / "back.png"
    cuts, starts = 0, []
    while cuts < CUTS:
        # The menu is there: it is cut while it plays and stores prices, and every other time again while it starts.
        ends = computer.seconds + chance.uniform(0, PLAYS_SECONDS)
        while computer.seconds < ends:
            price = chance.randrange(100, 900) / 100
            service.patch(f"/content/items/{item['id']}", {"price": price})
            computer.codes(shown)
        computer.cut_power()
        cuts += 1
        computer.switch_on()
        if cuts < CUTS and chance.random() < 0.5:
            moment = chance.uniform(1, statistics.median(starts) if starts else 60.0)
            eventually(lambda until=moment: computer.seconds > until, what="its time has come")  # type: ignore[misc]
            computer.cut_power()
            cuts += 1
            computer.switch_on()
        what = f"the menu is back after {cuts} cuts; see {shown}; SEED={seed}"
        eventually(lambda: MENU in computer.codes(shown), what=what)
        starts.append(computer.seconds)
    figures[f"power to the stored menu, median of {len(starts)} starts after {cuts} cuts"] = statistics.median(starts)
    figures["the slowest of them"] = max(starts)


@has_button
def test_an_update_comes_and_a_version_that_dies_is_taken_back(
    computer: Computer, service: Service, tmp_path: Path, figures: dict[str, float], pictures: Path
) -> None:
    variant(built_packages(), GOOD, tmp_path)
    variant(built_packages(), BAD, tmp_path, dies_at_once)
    (tmp_path / "run").write_text(UPDATES)
    (tmp_path / "updates.service").write_text(UPDATES_UNIT)
    (tmp_path / "with.conf").write_text(WITH_UPDATES)
    computer.switch_off()
    for file in (*tmp_path.glob("*.deb"), tmp_path / "run"):
        computer.disk.write(file, f"/var/updates/{file.name}")
    for name, place in (("updates.service", ""), ("with.conf", "multi-user.target.d/")):
        computer.disk.write(tmp_path / name, f"/etc/systemd/system/{place}{name}")

    def screen() -> dict[str, Any]:
        found: dict[str, Any] = service.get("/screens")["data"][0]
        return found

    computer.switch_on()
    eventually(lambda: screen()["appVersion"] == GOOD, what="the update runs")
    figures["power to the update"] = computer.seconds
    bad = eventually(lambda: screen()["takenBack"], what="the version that dies is taken back")
    figures["power to the way back from the version after it"] = computer.seconds
    assert (bad["version"], screen()["appVersion"]) == (BAD, GOOD)
    shown = pictures / "after-the-way-back.png"
    eventually(lambda: MENU in computer.codes(shown), what=f"the menu is on the screen; see {shown}")


@has_button
def test_its_root_has_grown_and_it_is_like_no_other(computer: Computer) -> None:
    computer.switch_off()
    assert computer.disk.behind_root_mib() < MOST_BEHIND_ROOT_MIB
    own = computer.disk.read("/etc/machine-id")
    assert re.fullmatch(r"[0-9a-f]{32}\n", own)
    assert computer.disk.size(f"/var/log/journal/{own.strip()}/system.journal"), "the shutdown has written no journal"
    assert re.match(r"root:[!*]", computer.disk.read("/etc/shadow"))


@pytest.mark.skipif(MACHINE != "pc", reason="a PC's loader")
def test_uefi_starts_it_as_well(
    image: Path, service: Service, tmp_path: Path, figures: dict[str, float], pictures: Path
) -> None:
    computer = Computer(written(image, tmp_path, service, "uefi"), tmp_path)
    shown = pictures / "code-uefi.png"
    try:
        computer.switch_on()
        eventually(lambda: code_of(computer, shown), what=f"a pairing code is on the screen; see {shown}")
        figures["power to the pairing code, at the first start, by UEFI"] = computer.seconds
    finally:
        computer.cut_power()
        shutil.rmtree(tmp_path, ignore_errors=True)
