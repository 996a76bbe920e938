"""Power cuts in packaging/install.sh: all processes are killed at a random moment, sometimes again in the next run.
One more run leaves the machine as a run that was never cut does, and the board plays after it; every second update has
no other run and is finished by the start of the machine.

MENU_TEST_KILLS says how many installations and how many updates are cut, MENU_TEST_SEED where to begin. With pytest's
-rP each test says where it was cut, and what healed it.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.kiosk.board import CONFIG, HEADLESS, SERVICE, Board
from tests.kiosk.machine import CHECKOUT, Machine, eventually, run
from tests.kiosk.roots import blank_root, built_packages
from tests.kiosk.variants import variant

KILLS = int(os.environ.get("MENU_TEST_KILLS", "3"))
SEED = int(os.environ.get("MENU_TEST_SEED", "1"))

RUN_SECONDS = 1800.0
HEAL_SECONDS = 600.0
DONE = "The board is installed. It starts with the machine."
INSTALL = "/root/packages/install.sh"
LOGS = ("var/log/dpkg.log", "var/log/menu-player-install.log")

STATE = r"""
dpkg --audit
apt-get check 2>&1 >/dev/null
dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version}\n'
apt-mark showauto
find /usr /etc /var/lib /boot -path '/var/lib/[!m]*' -prune -o -path /var/lib/menu-player-guard -prune -o \
  -type f ! -name '*.pyc' ! -name '*-' -printf '%M %s %p\n' |
  grep -vE '/etc/(ld.so.cache|resolv.conf|passwd|group|shadow|gshadow|subuid|subgid)$' | sort
"""
"""Prints nothing of dpkg and apt unless something is wrong, then all packages and files. Not those of the guard: where
it was installed before the cut, it keeps the packages that the next run unpacks."""


SHOWN = """\
import json, urllib.request
print(json.load(urllib.request.urlopen("http://127.0.0.1:8085/state.json"))["presented"]["kind"])
"""
"""A machine that has only what its packages need has no curl."""


class Kind(NamedTuple):
    """What is cut: the root and what was written above it, the packages and their service."""

    root: Path
    written: Path | None
    packages: list[Path]
    service: str
    shows: str
    """What is on the glass of the board that comes of it."""


class Whole(NamedTuple):
    """A run that nobody cuts: what it logs, and the machine after it."""

    progress: int
    state: set[str]


class Disk:
    """A machine that runs install.sh, and is switched on afterwards."""

    def __init__(self, kind: Kind) -> None:
        self.machine = Machine(kind.root)
        self.command = (INSTALL, "--service", kind.service)
        if kind.written is not None:
            run("cp", "-a", f"{kind.written}/.", self.machine.folder / "upper")
        self._logged = self._lines = 0
        self._logged = self.progress()
        self._lines = len(self._by_dpkg())
        folder = self.machine.folder / "upper/root/packages"
        folder.mkdir(parents=True)
        for file in (*kind.packages, CHECKOUT / "packaging/install.sh"):
            shutil.copy(file, folder)
        # There is no network, and no use in waiting for it.
        self.machine.add("etc/apt/apt.conf.d/99retries", 'Acquire::Retries::Delay "false";\n')
        self.machine.add("etc/systemd/system/menu-player.service.d/headless.conf", HEADLESS)

    def install(self) -> str:
        """Runs the script to its end; returns its last line."""
        return self._run(*self.command).splitlines()[-1]

    def state(self) -> set[str]:
        return set(self._run("sh", "-c", STATE).splitlines())

    def _run(self, *command: str) -> str:
        process = self.machine.start(*command)
        code = process.wait(RUN_SECONDS)
        self.machine.cut_power()
        said = (self.machine.folder / "console").read_text()
        assert code == 0, (command, said[-3000:])
        return said

    def progress(self) -> int:
        """Bytes that apt, dpkg and the script have logged here."""
        return sum(file.stat().st_size for log in LOGS if (file := self._file(log))) - self._logged

    def _file(self, log: str) -> Path | None:
        files = [folder / log for folder in (self.machine.folder / "upper", self.machine.lower)]
        return next((file for file in files if file.exists()), None)

    def cut(self, *, after: int) -> str:
        """Starts the script, and cuts the power once this much is logged; returns what dpkg did last."""
        process, least = self.machine.start(*self.command), self.progress() + after
        eventually(
            lambda: self.progress() >= least or process.poll() is not None,
            what="the moment has come",
            seconds=RUN_SECONDS,
            poll_seconds=0.003,
        )
        self.machine.cut_power()
        done = self._by_dpkg()
        return " ".join(done[-1].split()[2:5]) if done else "before dpkg"

    def _by_dpkg(self) -> list[str]:
        """The lines that dpkg has logged here."""
        log = self._file(LOGS[0])
        return log.read_text().splitlines()[self._lines :] if log else []

    def boot(self) -> None:
        self.machine.boot()
        # To the guard: cage itself draws without one.
        self.machine.sh("mkdir -p /dev/dri && touch /dev/dri/card0")

    def wait_until_whole(self) -> str:
        """The version of the board, once nothing stands half-way and all its packages are of one version."""
        # A tmp.i in updates is dpkg's spare file: it reads those of digits only, and a killed run leaves the other.
        unfinished = "dpkg --audit; ls /var/lib/dpkg/updates | grep '^[0-9]'"
        versions = "dpkg-query -W -f '${Version} ${db:Status-Abbrev}\n' menu-player menu-player-core | sort -u"
        found = eventually(
            lambda: re.fullmatch(r"(\S+) ii", self.machine.sh(f"{unfinished}; {versions}")),
            what="the guard has finished the update",
            seconds=HEAL_SECONDS,
        )
        return found[1]

    def wait_for_kind(self, kind: str) -> None:
        command = self.machine.command("python3", "-c", SHOWN)
        eventually(
            lambda: subprocess.run(command, check=False, text=True, capture_output=True).stdout.strip() == kind,
            what=f"{kind} is on the glass",
            seconds=HEAL_SECONDS,
        )


@pytest.fixture(scope="module", params=["installation", "update"])
def kind(request: pytest.FixtureRequest, installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kind]:
    packages = list(built_packages())
    if request.param == "installation":
        yield Kind(blank_root(), None, packages, "https://menu.example.com", "pairing")
        return
    folder = tmp_path_factory.mktemp("update")
    variant(packages, "8.1", folder)
    packages += folder.glob("*.deb")
    machine = Machine(installed)
    try:
        machine.add("etc/systemd/system/menu-player.service.d/headless.conf", HEADLESS)
        machine.add("etc/menu-player/config.toml", CONFIG)
        machine.boot()
        Board(machine).play_sample()
        machine.cut_power()
        yield Kind(installed, machine.folder / "upper", packages, SERVICE, "scene")
    finally:
        machine.throw_away()


@pytest.fixture(scope="module")
def whole(kind: Kind) -> Whole:
    with disk(kind) as machine:
        assert machine.install() == DONE
        return Whole(machine.progress(), machine.state())


@contextmanager
def disk(kind: Kind) -> Iterator[Disk]:
    made = Disk(kind)
    try:
        yield made
    finally:
        made.machine.throw_away()


@pytest.mark.proves("power-fails-install", "power-fails-update")
@pytest.mark.parametrize("seed", range(SEED, SEED + KILLS))
def test_one_more_run_or_start_gives_a_board_that_plays(kind: Kind, whole: Whole, seed: int) -> None:
    moments = random.Random(seed)
    with disk(kind) as machine:
        times = moments.choice((1, 1, 2))
        cuts = [machine.cut(after=int(moments.random() * whole.progress)) for _ in range(times)]
        by_start = kind.written is not None and seed % 2 == 0
        if not by_start:
            assert machine.install() == DONE
            assert machine.state() ^ whole.state == set()
        machine.boot()
        version = machine.wait_until_whole()
        machine.wait_for_kind(kind.shows)
        healed = "a start" if by_start else "one more run"
        sys.stdout.write(f"{seed} | {'; '.join(cuts)} | {healed} | {kind.shows} of {version}\n")
