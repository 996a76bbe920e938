"""Roots that boards are installed in: a Debian 13 by debootstrap, and the packages of this checkout by apt."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from tests.kiosk.machine import CHECKOUT, in_root, run

CACHE = Path(os.environ.get("MENU_KIOSK_CACHE", "/var/cache/menu-player-kiosk"))
"""Where roots and packages are kept. Delete the folder to have them made anew."""

SYSTEM = ("systemd", "systemd-sysv", "udev", "dbus", "procps", "iproute2", "curl", "grim")
"""What the machine itself needs; the rest comes with the packages."""

OURS = ("menu-player", "menu-player-core", "menu-service")


def built_packages() -> Sequence[Path]:
    """The packages of this checkout, with the changes of tracked files."""
    folder = CACHE / "packages"
    run(CHECKOUT / "packaging/build-deb", folder)
    return sorted(folder.glob("*.deb"))


def installed_root() -> Path:
    """A Debian 13 with our packages, as apt installs them on a machine without a desktop."""
    packages = built_packages()
    root = CACHE / "installed"
    names = " ".join(f"/tmp/{path.name}" for path in packages)
    shutil.rmtree(root, ignore_errors=True)
    run("cp", "-a", "--reflink=auto", _root_with_dependencies(packages), root)
    for path in packages:
        shutil.copy(path, root / "tmp")
    in_root(root, f"apt-get -q -y install {names}; rm /tmp/*.deb")
    return root


def _root_with_dependencies(packages: Sequence[Path]) -> Path:
    """A Debian 13 with all that our packages depend on. Made once, until that changes."""
    needed = "".join(run("dpkg-deb", "--field", path, "Depends").stdout for path in packages)
    wanted = re.sub(r"menu-player-core \(= [^)]*\)", "", needed)
    root = CACHE / f"root-{hashlib.sha256(' '.join((*SYSTEM, wanted)).encode()).hexdigest()[:12]}"
    if root.exists():
        return root
    for older in CACHE.glob("root-*"):
        shutil.rmtree(older)
    growing = CACHE / "growing"
    shutil.rmtree(growing, ignore_errors=True)
    growing.mkdir(parents=True)
    run(CHECKOUT / "packaging/debian-root", "copy", growing)
    for path in packages:
        shutil.copy(path, growing / "tmp")
    names = " ".join(f"/tmp/{path.name}" for path in packages)
    in_root(
        growing,
        "printf 'APT::Install-Recommends \"0\";\n' > /etc/apt/apt.conf.d/99small; "
        "echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/unsafe-io; apt-get -q update; "
        f"apt-get -q -y install {' '.join(SYSTEM)} {names}; dpkg --purge {' '.join(OURS)}; "
        "apt-get clean; rm /tmp/*.deb",
    )
    growing.rename(root)
    return root
