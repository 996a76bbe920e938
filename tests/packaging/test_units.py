"""Every systemd unit is valid and sandboxes its program.

systemd-analyze exits with 0 on unknown keys, so anything it prints counts. It runs on a root directory with nothing but
the units and stand-ins for what they start: other units of this machine do not matter.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from player.boot_file.used_token import REQUEST
from player.device.systemd import START_SECONDS
from player.domain.recovery.ladder import REPORT_SECONDS
from player.domain.recovery.liveness import HUNG_SECONDS
from player.runtime.app import JOIN_SECONDS, NOTIFY_SECONDS

CHECKOUT = Path(__file__).parents[2]
UNITS = sorted((CHECKOUT / "systemd").glob("*.service"))
INSTALLED = "\n".join(path.read_text() for path in (CHECKOUT / "packaging/debian").glob("*.install"))
DROP_INS = re.findall(r"^(systemd/\S+) usr/lib/systemd/system/(\S+\.d)$", INSTALLED, re.MULTILINE)
"""Parts of units as the packages install them, and the folders that they lie in."""

TARGETS = ("timers.target", "paths.target", "sysinit.target", "basic.target", "shutdown.target", "multi-user.target")
MAX_EXPOSURE = {
    "menu-player.service": 20,
    "menu-player-boot-file.service": 26,
    "menu-player-guard.service": 59,
    "menu-player-token.service": 12,
    "menu-player-update.service": 59,
    "menu-service.service": 12,
}
"""Tenths of the score of `systemd-analyze security`; 0 is fully sandboxed, 100 not at all."""

WAIT_FOR_THE_NETWORK = {
    *("network.target", "network-online.target", "time-sync.target", "systemd-user-sessions.service"),
    *("rc-local.service", "plymouth-quit.service", "plymouth-quit-wait.service"),
}

STARTERS = sorted(path for path in UNITS[0].parent.iterdir() if path.suffix in (".timer", ".path"))
"""Units that start others."""


def root_with(tmp_path: Path, name: str, unit: str) -> Path:
    units = tmp_path / "usr/lib/systemd/system"
    units.mkdir(parents=True)
    for target in TARGETS:
        (units / target).write_text(f"[Unit]\nDescription={target}\n")
    (units / name).write_text(unit)
    for source, folder in DROP_INS:
        if folder == f"{name}.d":
            (units / folder).mkdir()
            (units / folder / Path(source).name).write_text((CHECKOUT / source).read_text())
    for program in re.findall(r"^Exec\w+=[-@:+!]*(/\S+)", unit, re.MULTILINE):
        stand_in = tmp_path / program.lstrip("/")
        stand_in.parent.mkdir(parents=True, exist_ok=True)
        stand_in.write_text("#!/bin/true\n")
        stand_in.chmod(0o755)
    return tmp_path


def analyze(verb: str, root: Path, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", verb, f"--root={root}", *options, name], capture_output=True, text=True, check=False
    )


def test_there_is_a_unit_for_the_player() -> None:
    assert "menu-player.service" in [unit.name for unit in UNITS]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_unit_is_valid(tmp_path: Path, unit: Path) -> None:
    said = analyze("verify", root_with(tmp_path, unit.name, unit.read_text()), unit.name, "--man=no")
    assert (said.stdout + said.stderr, said.returncode) == ("", 0)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_typo_in_the_unit_would_be_noticed(tmp_path: Path, unit: Path) -> None:
    slipped = unit.read_text().replace("UMask=", "UMaks=")
    said = analyze("verify", root_with(tmp_path, unit.name, slipped), unit.name, "--man=no")
    assert "UMaks" in said.stdout + said.stderr


@pytest.mark.parametrize("starter", STARTERS, ids=lambda starter: starter.name)
def test_a_unit_that_starts_another_is_valid(tmp_path: Path, starter: Path) -> None:
    unit = starter.with_suffix(".service")
    root = root_with(tmp_path, unit.name, unit.read_text())
    (root / "usr/lib/systemd/system" / starter.name).write_text(starter.read_text())
    said = analyze("verify", root, starter.name, "--man=no")
    assert (said.stdout + said.stderr, said.returncode) == ("", 0)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_program_is_sandboxed(tmp_path: Path, unit: Path) -> None:
    root = root_with(tmp_path, unit.name, unit.read_text())
    said = analyze("security", root, unit.name, "--offline=yes", f"--threshold={MAX_EXPOSURE[unit.name]}", "--no-pager")
    assert said.returncode == 0, said.stdout[-2000:]


def test_the_player_s_request_for_its_token_to_be_deleted_starts_the_unit() -> None:
    path = next(path for path in STARTERS if path.suffix == ".path").read_text()
    assert f"PathExists=/{REQUEST}\n" in path


def test_the_board_waits_neither_for_the_network_nor_for_what_waits_for_it() -> None:
    unit = next(unit for unit in UNITS if unit.name == "menu-player.service").read_text()
    after = " ".join(re.findall(r"^After=(.*)$", unit, re.MULTILINE)).split()
    assert not WAIT_FOR_THE_NETWORK & {*after}


def test_the_watchdog_does_not_overtake_the_player() -> None:
    """A display that hangs is noticed by the player itself, reported, and then ended: all before systemd does it."""
    unit = next(path for path in UNITS if path.name == "menu-player.service").read_text()
    watchdog = int(re.findall(r"^WatchdogSec=(\d+)$", unit, re.MULTILINE)[0])
    last_fed = HUNG_SECONDS - watchdog / 2
    assert last_fed + watchdog > HUNG_SECONDS + REPORT_SECONDS + JOIN_SECONDS + NOTIFY_SECONDS


def test_the_session_waits_as_long_as_the_unit_gives_a_start() -> None:
    unit = next(path for path in UNITS if path.name == "menu-player.service").read_text()
    assert re.findall(r"^TimeoutStartSec=(\d+)$", unit, re.MULTILINE) == [f"{START_SECONDS:g}"]
