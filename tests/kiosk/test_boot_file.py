"""A board that is set up by a file on its boot partition, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kiosk.board import HEADLESS, SERVICE, Board
from tests.kiosk.machine import Machine, eventually
from tests.kiosk.test_board import seen

FILE = "/boot/firmware/menu-player.toml"
WHOLE = f"""\
service = "{SERVICE}"
time_zone = "Europe/Berlin"
rotate = 0
page = "device"
page_pin = "271828"
wifi_name = "Shop"
wifi_password = "correct horse"
wifi_country = "DE"
"""


@pytest.fixture(scope="module")
def board(installed: Path) -> Iterator[Board]:
    """A board as it comes: it knows no service. The file lies there before it is switched on."""
    machine = Machine(installed)
    machine.add("etc/systemd/system/menu-player.service.d/headless.conf", HEADLESS)
    machine.add("usr/sbin/NetworkManager", "a stand-in: nothing starts it here")
    machine.add(FILE.lstrip("/"), WHOLE)
    machine.without("menu-service")
    try:
        machine.boot()
        yield Board(machine)
    finally:
        machine.throw_away()


def boots_again(board: Board, text: str, *, name: str = FILE) -> None:
    """Write the file, and start the machine anew."""
    board.machine.sh("systemctl stop menu-player; rm -f /boot/firmware/menu-player*")
    board.machine.write(name, text)
    board.machine.cut_power()
    board.machine.boot()


def findings(board: Board) -> dict[str, str]:
    return {finding["code"]: finding["why"] for finding in board.state().get("findings", [])}


def hindrance(board: Board) -> str:
    """What keeps the board from starting; empty while nothing does."""
    said = board.machine.unit("menu-player").get("StatusText", "")
    return said if said.startswith("cannot start: ") else ""


def test_a_file_on_the_boot_partition_is_all_that_a_board_needs(
    board: Board, figures: dict[str, float], pictures: Path
) -> None:
    board.start_service()
    board.wait_for_kind("pairing", seconds=90)
    eventually(lambda: board.state()["pairing"]["code"], what="a code of that service shows")
    time.sleep(1)
    seen(board.picture(pictures / "boot-file.png"))
    unit = board.machine.unit("menu-player-boot-file")
    assert (unit["Result"], unit["ActiveState"]) == ("success", "active")
    took = int(unit["ExecMainExitTimestampMonotonic"]) - int(unit["ExecMainStartTimestampMonotonic"])
    figures["the boot file, read and applied"] = took / 1e6
    sh = board.machine.sh
    assert "correct horse" not in sh(f"cat {FILE}")
    wifi = "/etc/NetworkManager/system-connections/menu-player-wifi.nmconnection"
    assert sh(f"stat -c '%a %U' {wifi}") == "600 root"
    assert "psk=correct\\shorse" in sh(f"cat {wifi}")
    assert sh("stat -c '%a %U %G' /etc/menu-player/config.d/boot.toml") == "640 root menu-player"
    assert sh("readlink /etc/localtime") == "../usr/share/zoneinfo/Europe/Berlin"
    assert "boot_file_bad" not in findings(board)


@pytest.mark.proves("boot-file-mistake")
def test_a_mistake_leaves_the_board_as_it_was_and_stands_on_its_screen(
    board: Board, figures: dict[str, float], pictures: Path
) -> None:
    boots_again(board, f'service = "{SERVICE}"\nrotate = 45\n')
    board.machine.sh("systemctl start menu-service")
    board.wait_for_kind("pairing", seconds=90)
    why = eventually(lambda: findings(board).get("boot_file_bad"), what="it is told")
    assert "menu-player.toml, line 2: rotate: 45 is none of 0, 90, 180, 270" in why
    eventually(lambda: board.state()["pairing"]["code"], what="a code shows")
    time.sleep(1)
    seen(board.picture(pictures / "boot-file-mistake-of-a-board-that-is-set-up.png"))
    unit = board.machine.unit("menu-player-boot-file")
    figures["the boot file, read and refused"] = (
        int(unit["ExecMainExitTimestampMonotonic"]) - int(unit["ExecMainStartTimestampMonotonic"])
    ) / 1e6


@pytest.mark.proves("boot-partition-time")
def test_a_partition_that_comes_while_the_board_plays_is_read_then(board: Board) -> None:
    """Its device has not come in time. When it does, the board's rule of udev starts the unit again."""
    machine, units = board.machine, "/etc/systemd/system"
    machine.sh("systemctl stop menu-player; rm /boot/firmware/*; mkdir -p /boot/efi")
    machine.write("/root/partition/menu-player.toml", WHOLE.replace("rotate = 0", "rotate = 90"))
    machine.write(f"{units}/boot-efi.mount", "[Mount]\nWhat=/dev/late\nWhere=/boot/efi\n")
    machine.write(f"{units}/dev-late.device.d/test.conf", "[Unit]\nJobRunningTimeoutSec=3\n")
    machine.write(f"{units}/NetworkManager.service", "[Service]\nExecStart=/usr/bin/sleep infinity\n")
    machine.cut_power()
    machine.boot()
    machine.sh("systemctl start NetworkManager menu-service")
    board.wait_for_kind("pairing", seconds=90)
    assert machine.unit("boot-efi.mount")["ActiveState"] != "active"
    assert machine.unit("menu-player-boot-file")["ActiveState"] == "inactive"

    before, network = board.started, machine.unit("NetworkManager")["InvocationID"]
    machine.write(f"{units}/boot-efi.mount", "[Mount]\nWhat=/root/partition\nWhere=/boot/efi\nOptions=bind\n")
    machine.sh("systemctl daemon-reload; systemctl start menu-player-boot-file")
    eventually(lambda: board.started not in ("", before), what="the board begins again")
    board.wait_for_kind("pairing", seconds=90)
    assert "rotate = 90" in machine.sh("cat /etc/menu-player/config.d/boot.toml")
    assert machine.unit("NetworkManager")["InvocationID"] != network
    machine.sh(f"rm -r {units}/boot-efi.mount {units}/dev-late.device.d {units}/NetworkManager.service")


@pytest.mark.proves("boot-partition-time")
def test_a_machine_too_slow_for_its_boot_file_reads_it_again(board: Board) -> None:
    """The unit has a minute, for which the board waits; where that is too short, it runs again beside the board."""
    machine, drop_in = board.machine, "/etc/systemd/system/menu-player-boot-file.service.d/slow.conf"
    machine.sh("systemctl stop menu-player; rm -r /etc/menu-player/config.d /var/lib/menu-player-boot-file/taken")
    slow = "mkdir /run/is-slow 2>/dev/null && exec sleep infinity; true"
    machine.write(drop_in, f"[Service]\nTimeoutStartSec=3\nRestartSec=10\nExecStartPre=+/bin/sh -c '{slow}'\n")
    boots_again(board, WHOLE)
    eventually(lambda: hindrance(board), what="the board knows no service", seconds=90)
    board.wait_for_kind("pairing", seconds=90)
    assert machine.unit("menu-player-boot-file")["ActiveState"] == "active"
    machine.sh(f"rm {drop_in}")


def test_a_mistake_of_a_board_that_knows_nothing_fills_its_screen(board: Board, pictures: Path) -> None:
    board.machine.sh("rm -r /etc/menu-player/config.d")
    wrong = f"servcie = {SERVICE}\nwifi_name = “Shop”\nwifi_password = correct horse\nrotate = 45\n"
    boots_again(board, "\ufeff" + wrong.replace("\n", "\r\n"))
    why = eventually(lambda: hindrance(board), what="it is told", seconds=90)
    for line in (1, 2, 3):
        assert f"menu-player.toml, line {line}: " in why
    assert "horse" not in why
    time.sleep(1)
    seen(board.picture(pictures / "boot-file-mistakes.png"))
    assert board.machine.unit("menu-player")["NRestarts"] == "0"


def test_a_file_that_windows_has_named_is_found(board: Board, pictures: Path) -> None:
    boots_again(board, WHOLE, name=f"{FILE}.txt")
    why = eventually(lambda: hindrance(board), what="it is told", seconds=90)
    assert "menu-player.toml.txt: the name of this file is wrong" in why
    time.sleep(1)
    seen(board.picture(pictures / "boot-file-misnamed.png"))
    boots_again(board, WHOLE)
    board.wait_for_kind("pairing", seconds=90)


def test_a_board_pairs_by_the_token_of_its_file_and_keeps_no_copy_of_it(board: Board) -> None:
    machine = board.machine
    machine.sh("systemctl start menu-service")
    board.load_sample()
    body = {"playlist": board.sample["playlists"]["landscape"], "location": board.sample["location"], "name": "Counter"}
    token = machine.call("POST", f"{SERVICE}/v1/enrolment-tokens", key=board.key, body=body)["token"]
    boots_again(board, WHOLE + f'enrolment_token = "{token}"\n')
    machine.sh("systemctl start menu-service")
    board.wait_for_kind("scene", seconds=90)
    assert board.state()["pairing"]["screenName"] == "Counter"

    def left() -> str:
        return machine.sh(f"grep -rl {token} /boot /etc /run /var/lib/menu-player* || true")

    eventually(lambda: not left(), what="the token is nowhere any more")
    assert machine.sh("stat -c '%a %U %G' /etc/menu-player/config.d/boot.toml") == "640 root menu-player"
    eventually(lambda: machine.unit("menu-player-token")["ActiveState"] == "inactive", what="the unit has ended")
    assert machine.unit("menu-player-token")["Result"] == "success"
    assert machine.unit("menu-player-token.path")["SubState"] == "waiting"
    machine.cut_power()
    machine.boot()
    board.wait_for_kind("scene", seconds=90)
    assert board.state()["pairing"]["screenName"] == "Counter", "without the service"
    assert not left()
    said = machine.sh("journalctl --no-pager -o short -u menu-player | grep -F '[ERROR]' || true").splitlines()
    assert [line for line in said if " cage[" not in line] == []
