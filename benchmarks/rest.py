"""Measures what a whole board at rest writes to its card: Debian, the packages and the settings of the images.

As root, `python -m benchmarks.rest 60` counts for 60 minutes: a paired board that plays the sample café and whose menu
does not change, on an ext4 file system of its own; the service on the same machine has another one. The kernel counts
what reaches either, journal and metadata included. The machine is the one of `make kiosk-test`: MENU_KIOSK_ROOT is its
root, if that is set.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.wear import MEBIBYTE, card, written
from tests.kiosk.board import CONFIG, HEADLESS, Board
from tests.kiosk.machine import CHECKOUT, Machine
from tests.kiosk.roots import installed_root, remove_run

IMAGE = CHECKOUT / "packaging/image/files"
OF_THE_IMAGE = ("etc/systemd", "etc/apt/apt.conf.d")
TIMERS = "etc/systemd/system/timers.target.wants"
SERVICE_DATA = "/var/lib/menu-service"
INTERVAL_MINUTES = 10
"""The first of these does not count: in it the guard finds its version good, and keeps its packages."""

MINUTES_A_DAY = 24 * 60


class Cards(NamedTuple):
    """The folders that both cards are mounted in, and the names of their devices."""

    places: tuple[Path, Path]
    devices: tuple[str, str]

    def written(self) -> tuple[int, int]:
        """Bytes up to now, with what waits to be written."""
        for place in self.places:
            subprocess.run(["sync", "--file-system", place / "card"], check=True)
        board, service = self.devices
        return written(board), written(service)


def main(minutes: int) -> None:
    """Prints what is written in each interval, and what that makes in a day."""
    with tempfile.TemporaryDirectory(prefix="menu-rest-") as folder:
        places = (Path(folder) / "board", Path(folder) / "service")
        for place in places:
            place.mkdir()
        with card(places[0]) as of_board, card(places[1]) as of_service:
            cards = Cards(places, (of_board, of_service))
            machine = Machine(_root(), place=places[0] / "card")
            try:
                _play(machine, of_service)
                _rest(minutes, cards)
                assert (state := Board(machine).state())["presented"]["kind"] == "scene", state
            finally:
                machine.throw_away()
    remove_run()


def _rest(minutes: int, cards: Cards) -> None:
    time.sleep(INTERVAL_MINUTES * 60)
    first = last = cards.written()
    for minute in range(INTERVAL_MINUTES, minutes + 1, INTERVAL_MINUTES):
        time.sleep(INTERVAL_MINUTES * 60)
        now = cards.written()
        _say(f"to minute {minute}", last, now)
        last = now
    _say("a day of that", first, last, times=MINUTES_A_DAY / minutes)


def _root() -> Path:
    return Path(found) if (found := os.environ.get("MENU_KIOSK_ROOT")) else installed_root()


def _play(machine: Machine, device: str) -> None:
    """Boots a board as an image has it, with the service's data on this device, and has the sample play."""
    for part in OF_THE_IMAGE:
        for file in (IMAGE / part).rglob("*"):
            if file.is_file():
                machine.add(str(file.relative_to(IMAGE)), file.read_text())
    machine.add("etc/systemd/system/menu-player.service.d/headless.conf", HEADLESS)
    machine.add("etc/menu-player/config.toml", CONFIG)
    machine.without("menu-player", "menu-service")
    timer = machine.folder / "upper" / TIMERS / "menu-board-journal.timer"
    timer.parent.mkdir(parents=True, exist_ok=True)
    timer.symlink_to("/etc/systemd/system/menu-board-journal.timer")
    machine.boot()
    number = Path(f"/sys/block/{device}/dev").read_text(encoding="ascii").strip().replace(":", " ")
    machine.sh(f"mknod /dev/service b {number}; mkdir {SERVICE_DATA}; mount -o noatime /dev/service {SERVICE_DATA}")
    # The guard sees a display, and finds the version good.
    machine.sh(f"chown menu-service: {SERVICE_DATA}; mkdir -p /dev/dri; touch /dev/dri/card0")
    Board(machine).play_sample()


def _say(when: str, before: tuple[int, int], after: tuple[int, int], times: float = 1.0) -> None:
    board, service = ((now - then) * times / MEBIBYTE for then, now in zip(before, after, strict=True))
    sys.stdout.write(f"{when:<16}{board:>8.2f} MiB of the board {service:>8.2f} MiB of the service\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
