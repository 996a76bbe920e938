"""An update of the board stays if the board is as well as before, and is taken back otherwise."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kiosk.board import Board
from tests.kiosk.machine import Machine, eventually
from tests.kiosk.roots import built_packages
from tests.kiosk.variants import dies_at_once, finds_no_service, shows_nothing, variant

PATIENCE = """\
[Service]
Environment=MENU_GUARD_WELL_SECONDS=10
Environment=MENU_GUARD_FAULT_SECONDS=30
"""
OFTEN = """\
[Timer]
OnActiveSec=
OnActiveSec=2s
OnUnitInactiveSec=2s
AccuracySec=1s
"""
APT = "DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Options::=--force-confold"
STATE = "/var/lib/menu-player-guard/state.json"
FOLDER = "/var/lib/menu-player-guard/kept"
KEPT = f"ls {FOLDER}"


@pytest.fixture(scope="module")
def watched(board: Board, packages: Path) -> Board:
    """A board that plays the sample, in the version of the checkout, which is known to be good."""
    machine = board.machine
    is_watched_often(machine)
    has_display(machine)
    board.play_sample()
    eventually(lambda: notes(machine).get("good"), what="the first version is good", seconds=180)
    return board


@pytest.fixture(scope="module")
def packages(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Versions of the board, each in its folder."""
    folder, made = tmp_path_factory.mktemp("versions"), built_packages()
    variant(made, "8.0", folder, dies_at_once)
    variant(made, "8.1", folder)
    variant(made, "8.2", folder, dies_at_once)
    variant(made, "8.3", folder, shows_nothing)
    variant(made, "8.4", folder, finds_no_service)
    variant(made, "8.5", folder)
    variant(made, "8.6", folder, slow="postinst")
    variant(made, "8.7", folder, dies_at_once)
    variant(made, "8.8", folder, slow="preinst")
    return folder


@pytest.fixture
def give(watched: Board, packages: Path) -> Callable[[str], str]:
    """Puts the packages of a version onto the machine; returns their names there."""

    def to_machine(version: str) -> str:
        names = []
        for file in sorted(packages.glob(f"*_{version}_all.deb")):
            put = watched.machine.command("sh", "-c", f"cat > /root/{file.name}")
            subprocess.run(put, input=file.read_bytes(), check=True)
            names.append(f"/root/{file.name}")
        return " ".join(names)

    return to_machine


def notes(machine: Machine) -> dict[str, Any]:
    found = machine.sh(f"cat {STATE} 2>/dev/null", ok=False)
    document: dict[str, Any] = json.loads(found) if found else {}
    return document


def is_watched_often(machine: Machine) -> None:
    """By the guard, which judges soon."""
    for name, text in (("service", PATIENCE), ("timer", OFTEN)):
        machine.write(f"/etc/systemd/system/menu-player-guard.{name}.d/test.conf", text)
    machine.sh("systemctl daemon-reload; systemctl restart menu-player-guard.timer")


def has_display(machine: Machine) -> None:
    """To the guard: cage itself draws without one."""
    machine.sh("mkdir -p /dev/dri && touch /dev/dri/card0")


def cut_power_when(board: Board, happens: Callable[[], object], *, what: str) -> None:
    """Cut the power at that moment, and switch on again."""
    machine = board.machine
    eventually(happens, what=what, seconds=180)
    machine.cut_power()
    machine.boot()
    has_display(machine)
    machine.sh("systemctl start --no-block menu-service menu-player")


def version(machine: Machine) -> str:
    return machine.sh("dpkg-query -W -f '${Version} ${db:Status-Abbrev}' menu-player-core")


def wait_for_good(machine: Machine, wanted: str) -> None:
    eventually(
        lambda: notes(machine).get("good", {}).get("menu-player") == wanted, what=f"{wanted} is good", seconds=90
    )


def wait_for_way_back(machine: Machine, bad: str) -> dict[str, Any]:
    def taken_back() -> dict[str, Any] | None:
        found = notes(machine).get("takenBack", [])
        return found[0] if found and found[0]["version"] == bad else None

    return eventually(taken_back, what=f"{bad} is taken back", seconds=240)


def test_a_board_without_a_way_back_says_so_until_its_packages_are_installed_once_more(watched: Board) -> None:
    machine = watched.machine
    changed = "/usr/lib/menu-player/player/version.py"
    machine.sh(f"cp -p {changed} /root/version.py; echo '# changed' >> {changed}; rm -r {FOLDER}")

    def why() -> list[str]:
        found = watched.state().get("findings", [])
        return [each["why"] for each in found if each["code"] == "no_way_back"]

    said = eventually(why, what="the board says that there is no way back", seconds=60)
    assert said == [f"The packages of version {version(machine).split()[0]} cannot be had."]
    assert "no_way_back" in machine.sh("menu-player doctor --json", ok=False)
    machine.sh(f"mv /root/version.py {changed}")
    files = [path for path in built_packages() if path.name.startswith(("menu-player_", "menu-player-core_"))]
    for file in files:
        subprocess.run(machine.command("sh", "-c", f"cat > /root/{file.name}"), input=file.read_bytes(), check=True)
    machine.sh(f"{APT} install --reinstall {' '.join(f'/root/{file.name}' for file in files)}")
    eventually(lambda: not why(), what="there is a way back again", seconds=60)


@pytest.mark.proves("update-board-start")
def test_a_board_that_came_in_one_run_of_apt_goes_back_to_packages_built_from_its_files(
    watched: Board, give: Callable[[str], str]
) -> None:
    machine, first = watched.machine, version(watched.machine)
    # The guard came in the same run, and has seen no package.
    machine.sh(f"rm -r {FOLDER}")
    eventually(lambda: machine.sh(f"{KEPT} 2>/dev/null", ok=False) == first.split()[0], what="the packages are kept")
    assert machine.sh("dpkg-query -W -f '${Conffiles}' menu-player menu-player-core") == "", (
        "they would come back changed"
    )
    machine.sh(f"{APT} install {give('8.0')}")
    assert wait_for_way_back(machine, "8.0")["to"] == first.split()[0]
    assert (version(machine), machine.sh("dpkg --audit; dpkg --verify menu-player menu-player-core")) == (first, "")
    watched.wait_for_kind("scene", seconds=120)


def test_an_update_while_the_menu_plays_stays(
    watched: Board, give: Callable[[str], str], figures: dict[str, float]
) -> None:
    machine, files = watched.machine, give("8.1")
    began = time.monotonic()
    machine.sh(f"{APT} install {files}")
    watched.wait_for_kind("scene", seconds=120)
    figures["update while the menu plays, to the menu"] = time.monotonic() - began
    wait_for_good(machine, "8.1")
    eventually(lambda: machine.sh(KEPT) == "8.1", what="nothing else is kept")


@pytest.mark.proves("update-board-start")
@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("8.2", "the board does not start"),
        ("8.3", "nothing comes onto the screen"),
        ("8.4", "the board is not in contact with the service, which answers this machine"),
    ],
)
def test_a_version_that_fails_is_taken_back_and_does_not_come_again(
    watched: Board, give: Callable[[str], str], figures: dict[str, float], bad: str, why: str
) -> None:
    machine, files = watched.machine, give(bad)
    began = time.monotonic()
    machine.sh(f"{APT} install {files}")
    report = wait_for_way_back(machine, bad)
    watched.wait_for_kind("scene", seconds=120)
    figures[f"broken update to the menu of the version before ({bad})"] = time.monotonic() - began
    assert (report["to"], report["why"]) == ("8.1", why)
    assert version(machine) == "8.1 ii"
    assert f"Pin: version {bad}" in machine.sh("cat /etc/apt/preferences.d/menu-player-guard")
    eventually(lambda: machine.sh(KEPT) == "8.1", what="nothing else is kept")


@pytest.mark.proves("network-away-screen")
def test_without_the_service_an_update_is_neither_good_nor_bad_until_it_is_back(
    watched: Board, give: Callable[[str], str]
) -> None:
    machine = watched.machine
    eventually(lambda: watched.state()["contact"]["fault"] is None, what="it is in contact")
    files = give("8.5")
    machine.sh(f"{APT} install {files}; systemctl stop menu-service")
    watched.wait_for_kind("scene", seconds=120)
    time.sleep(45)
    assert notes(machine)["good"]["menu-player"] == "8.1"
    assert version(machine) == "8.5 ii"
    machine.sh("systemctl start menu-service")
    wait_for_good(machine, "8.5")


@pytest.mark.proves("power-fails-update")
def test_a_power_cut_while_packages_are_configured_is_finished_at_the_next_start(
    watched: Board, give: Callable[[str], str]
) -> None:
    machine, files = watched.machine, give("8.6")
    machine.sh(f"{APT} install {files} >/dev/null 2>&1 &")
    cut_power_when(watched, lambda: version(machine) == "8.6 iF", what="a package is being configured")
    assert version(machine) == "8.6 iF"
    wait_for_good(machine, "8.6")
    assert (version(machine), machine.sh("dpkg --audit")) == ("8.6 ii", "")
    watched.wait_for_kind("scene", seconds=120)


@pytest.mark.proves("power-fails-update")
def test_a_power_cut_on_the_way_back_is_finished_at_the_next_start(watched: Board, give: Callable[[str], str]) -> None:
    machine, files = watched.machine, give("8.7")
    machine.sh(f"{APT} install {files}")
    cut_power_when(watched, lambda: version(machine) == "8.6 iF", what="the version before is being configured")
    assert wait_for_way_back(machine, "8.7")["to"] == "8.6"
    assert (version(machine), machine.sh("dpkg --audit")) == ("8.6 ii", "")
    watched.wait_for_kind("scene", seconds=120)


@pytest.mark.proves("power-fails-update")
def test_a_power_cut_while_packages_are_unpacked_leaves_the_version_before_or_the_new_one(
    watched: Board, give: Callable[[str], str]
) -> None:
    machine, files = watched.machine, give("8.8")
    machine.sh(f"{APT} install {files} >/dev/null 2>&1 &")
    unpacking = "pgrep -f '[m]enu-player-core.preinst|[t]mp.ci/preinst'"
    cut_power_when(watched, lambda: machine.sh(unpacking, ok=False), what="a package is being unpacked")
    eventually(lambda: re.fullmatch(r"8\.[68] ii", version(machine)), what="one version is whole")
    eventually(lambda: machine.sh("dpkg --audit") == "", what="nothing stands half-way")
    watched.wait_for_kind("scene", seconds=120)
    whole = machine.sh("dpkg-query -W -f '${Version} ' menu-player menu-player-core").split()
    assert len(set(whole)) == 1
