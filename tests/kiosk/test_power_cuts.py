"""Power cuts in packaging/install.sh: all processes are killed at a random moment, sometimes again in the next run;
one more run leaves the machine as a run that was never cut does.

MENU_TEST_KILLS says how many installations and how many updates are cut, MENU_TEST_SEED where to begin.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.kiosk.machine import CHECKOUT, Machine, eventually
from tests.kiosk.roots import blank_root, built_packages
from tests.kiosk.variants import variant

KILLS = int(os.environ.get("MENU_TEST_KILLS", "3"))
SEED = int(os.environ.get("MENU_TEST_SEED", "1"))

RUN_SECONDS = 900.0
INSTALL = "/root/packages/install.sh"
SERVICE = ("--service", "https://menu.example.com")
LOGS = ("var/log/dpkg.log", "var/log/menu-player-install.log")

STATE = r"""
dpkg --audit
apt-get check 2>&1 >/dev/null
dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version}\n'
apt-mark showauto
find /usr /etc /var/lib/menu-* /boot -type f ! -name '*.pyc' ! -name '*-' -printf '%M %s %p\n' |
  grep -vE '/etc/(ld.so.cache|resolv.conf|passwd|group|shadow|gshadow|subuid|subgid)$' | sort
"""
"""Prints nothing of dpkg and apt unless something is wrong, then all packages and files."""


class Disk:
    """A machine that runs install.sh and nothing else."""

    def __init__(self, lower: Path, packages: Iterable[Path]) -> None:
        self.machine = Machine(lower)
        self._logged = 0
        self._logged = self.progress()
        folder = self.machine.folder / "upper/root/packages"
        folder.mkdir(parents=True)
        for file in (*packages, CHECKOUT / "packaging/install.sh"):
            shutil.copy(file, folder)
        # There is no network, and no use in waiting for it.
        self.machine.add("etc/apt/apt.conf.d/99retries", 'Acquire::Retries::Delay "false";\n')

    def run(self, *command: str) -> str:
        """Runs a command to its end."""
        process = self.machine.start(*command)
        code = process.wait(RUN_SECONDS)
        self.machine.cut_power()
        said = (self.machine.folder / "console").read_text()
        assert code == 0, (command, said[-3000:])
        return said

    def progress(self) -> int:
        """Bytes that apt, dpkg and the script have logged here."""
        return sum(self._size(log) for log in LOGS) - self._logged

    def _size(self, log: str) -> int:
        files = [folder / log for folder in (self.machine.folder / "upper", self.machine.lower)]
        return next((file.stat().st_size for file in files if file.exists()), 0)

    def cut(self, *command: str, after: int) -> None:
        """Starts a command, and cuts the power once this much is logged."""
        process, least = self.machine.start(*command), self.progress() + after
        eventually(
            lambda: self.progress() >= least or process.poll() is not None,
            what="the moment has come",
            seconds=RUN_SECONDS,
            poll_seconds=0.003,
        )
        self.machine.cut_power()

    def state(self) -> set[str]:
        return set(self.run("sh", "-c", STATE).splitlines())


Kind = tuple[Path, list[Path], int, set[str]]
"""A root, packages, the progress of a run that nobody cuts, and the machine after it."""


@pytest.fixture(scope="module", params=["installation", "update"])
def kind(request: pytest.FixtureRequest, installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Kind:
    root, packages = blank_root(), list(built_packages())
    if request.param == "update":
        folder = tmp_path_factory.mktemp("update")
        variant(packages, "8.1", folder)
        root, packages = installed, [*packages, *folder.glob("*.deb")]
    with disk(root, packages) as machine:
        machine.run(INSTALL, *SERVICE)
        return root, packages, machine.progress(), machine.state()


@contextmanager
def disk(root: Path, packages: Iterable[Path]) -> Iterator[Disk]:
    made = Disk(root, packages)
    try:
        yield made
    finally:
        made.machine.throw_away()


@pytest.mark.proves("power-fails-install")
@pytest.mark.parametrize("seed", range(SEED, SEED + KILLS))
def test_one_more_run_completes_what_was_cut(kind: Kind, seed: int) -> None:
    root, packages, total, state = kind
    moments = random.Random(seed)
    with disk(root, packages) as machine:
        for _ in range(moments.choice((1, 1, 2))):
            machine.cut(INSTALL, *SERVICE, after=int(moments.random() * total))
        said = machine.run(INSTALL, *SERVICE)
        assert said.splitlines()[-1] == "The board is installed. It starts with the machine."
        assert machine.state() ^ state == set()
