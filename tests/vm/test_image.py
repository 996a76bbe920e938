"""The image of a mini-PC: from its first start to the menu, and back after every loss of power.

What is on the screen is read from its pixels: the code of the pairing, and one on the menu.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import statistics
from pathlib import Path

import pytest

from tests.support.programs import Service
from tests.vm.conftest import written
from tests.vm.pc import MIB, ROOT_PARTITION, SECTOR, Pc, eventually

CUTS = int(os.environ.get("MENU_VM_CUTS", "20"))
MENU = "menu-of-the-day"
"""The text of the code on the menu."""

PLAYS_SECONDS = 40.0
"""The longest that a menu stands before the power goes."""


def code_of(pc: Pc, to: Path) -> str | None:
    """The pairing code on the screen."""
    for text in pc.codes(to):
        if found := re.search(r"/pair.*[=#/]([A-Z0-9]{3}-?[A-Z0-9]{3})$", text):
            return found[1]
    return None


def test_a_pc_with_the_image_shows_a_pairing_code(pc: Pc, figures: dict[str, float], pictures: Path) -> None:
    pc.switch_on()
    shown = pictures / "code.png"
    eventually(lambda: code_of(pc, shown), what=f"a pairing code is on the screen; see {shown}")
    figures["power to the pairing code, at the first start"] = pc.seconds


def test_paired_by_the_code_on_its_screen_it_shows_the_menu(
    pc: Pc, service: Service, figures: dict[str, float], pictures: Path
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
    read = eventually(lambda: code_of(pc, shown), what="a pairing code is on the screen")
    before = pc.seconds
    service.post("/screens/pair", {"code": read, "playlist": playlist, "location": location, "name": "Counter"})
    eventually(lambda: MENU in pc.codes(shown), what=f"the menu is on the screen; see {shown}")
    figures["pairing to the menu"] = pc.seconds - before


@pytest.mark.skipif(CUTS == 0, reason="no cuts are asked for")
def test_after_every_loss_of_power_the_menu_is_back(
    pc: Pc, service: Service, figures: dict[str, float], pictures: Path
) -> None:
    seed = int(os.environ.get("SEED", random.SystemRandom().randrange(10**6)))
    chance = random.Random(seed)
    item = service.get("/content/items")["data"][0]
    shown = pictures / "back.png"
    cuts, starts = 0, []
    while cuts < CUTS:
        # The menu is there: it is cut while it plays and stores prices, and every other time again while it starts.
        ends = pc.seconds + chance.uniform(0, PLAYS_SECONDS)
        while pc.seconds < ends:
            price = chance.randrange(100, 900) / 100
            service.patch(f"/content/items/{item['id']}", {"price": price})
            pc.codes(shown)
        pc.cut_power()
        cuts += 1
        pc.switch_on()
        if cuts < CUTS and chance.random() < 0.5:
            moment = chance.uniform(1, statistics.median(starts) if starts else 60.0)
            eventually(lambda until=moment: pc.seconds > until, what="its time has come")  # type: ignore[misc]
            pc.cut_power()
            cuts += 1
            pc.switch_on()
        what = f"the menu is back after {cuts} cuts; see {shown}; SEED={seed}"
        eventually(lambda: MENU in pc.codes(shown), what=what)
        starts.append(pc.seconds)
    figures[f"power to the stored menu, median of {len(starts)} starts after {cuts} cuts"] = statistics.median(starts)
    figures["the slowest of them"] = max(starts)


def test_its_root_has_grown_and_it_is_like_no_other(pc: Pc) -> None:
    pc.switch_off()
    assert pc.disk.sizes()[ROOT_PARTITION] * SECTOR > (pc.disk.size_mib - 300) * MIB
    assert re.fullmatch(r"[0-9a-f]{32}\n", pc.disk.read("/etc/machine-id"))
    assert re.match(r"root:[!*]", pc.disk.read("/etc/shadow"))


def test_uefi_starts_it_as_well(
    image: Path, service: Service, tmp_path: Path, figures: dict[str, float], pictures: Path
) -> None:
    disk = written(image, tmp_path, service)
    pc = Pc(disk, tmp_path, uefi=True)
    shown = pictures / "code-uefi.png"
    try:
        pc.switch_on()
        eventually(lambda: code_of(pc, shown), what=f"a pairing code is on the screen; see {shown}")
        figures["power to the pairing code, at the first start, by UEFI"] = pc.seconds
    finally:
        pc.cut_power()
        shutil.rmtree(tmp_path, ignore_errors=True)
