"""Boards on virtual machines: `make kiosk-vm` runs these tests, as root. Other runs leave them out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.figures import figures, pytest_terminal_summary
from tests.support.programs import Service
from tests.vm.pc import CHECKOUT, HOST, Disk, Pc

__all__ = ["figures", "pytest_terminal_summary"]

collect_ignore_glob = [] if os.environ.get("MENU_VM") else ["test_*.py"]


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures of the screens are kept."""
    folder = Path(os.environ.get("MENU_PICTURES") or tmp_path_factory.mktemp("pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The image as `make image-pc` builds it; MENU_IMAGE names one that is there."""
    if found := os.environ.get("MENU_IMAGE"):
        return Path(found)
    out = tmp_path_factory.mktemp("image") / "menu-board-pc.img"
    subprocess.run(["make", "-C", CHECKOUT, "image-pc", f"IMAGE=--out {out}"], check=True)
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


def written(image: Path, folder: Path, service: Service) -> Disk:
    """A disk with the image, and the boot file that an installer writes."""
    disk = Disk(image, folder)
    disk.write_boot_file(f'service = "http://{HOST}:{service.port}"\nallow_plain_http = true\n')
    return disk


@pytest.fixture(scope="module")
def pc(image: Path, service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pc]:
    """A PC with BIOS, switched off, with the image on its disk."""
    folder = tmp_path_factory.mktemp("pc")
    disk = written(image, folder, service)
    pc = Pc(disk, folder)
    try:
        yield pc
    finally:
        pc.cut_power()
        disk.path.unlink()
