"""Boards on virtual machines: `make kiosk-vm` runs these tests, as root. Other runs leave them out. MENU_VM names the
machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.figures import figures, pytest_terminal_summary
from tests.support.programs import Service
from tests.vm.computer import HOST, Computer, Disk
from tests.vm.emulator import CHECKOUT
from tests.vm.machines import MACHINES

__all__ = ["figures", "pytest_terminal_summary"]

MACHINE = os.environ.get("MENU_VM", "")

collect_ignore_glob = [] if MACHINE else ["test_*.py"]


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures of the screens are kept."""
    folder = Path(os.environ.get("MENU_PICTURES") or tmp_path_factory.mktemp("pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The machine's image as make builds it; MENU_IMAGE names one that is there."""
    if found := os.environ.get("MENU_IMAGE"):
        return Path(found)
    kind = MACHINES[MACHINE].image
    out = tmp_path_factory.mktemp("image") / f"menu-board-{kind}.img"
    subprocess.run(["make", "-C", CHECKOUT, f"image-{kind}", f"IMAGE=--out {out}"], check=True)
    return out


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The real service, on this machine."""
    service = Service(tmp_path_factory.mktemp("service"))
    service.start()
    try:
        yield service
    finally:
        service.kill()


def written(image: Path, folder: Path, service: Service, machine: str) -> Disk:
    """A disk with the image, and the boot file that an installer writes."""
    disk = Disk(image, folder, MACHINES[machine])
    disk.write_boot_file(f'service = "http://{HOST}:{service.port}"\nallow_plain_http = true\n')
    for path, text in disk.machine.files.items():
        given = folder / "given"
        given.write_text(text)
        disk.write(given, path)
    return disk


@pytest.fixture(scope="module")
def computer(image: Path, service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Computer]:
    """The machine, switched off, with the image on its disk."""
    folder = tmp_path_factory.mktemp(MACHINE)
    disk = written(image, folder, service, MACHINE)
    computer = Computer(disk, folder)
    try:
        yield computer
    finally:
        computer.cut_power()
        disk.path.unlink()
