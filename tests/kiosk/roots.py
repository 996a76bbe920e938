"""Roots that boards are installed in: a Debian 13 by debootstrap, and the packages of this checkout by apt."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.kiosk.machine import CHECKOUT, in_root, run

CACHE = Path(os.environ.get("MENU_KIOSK_CACHE", "/var/cache/menu-player-kiosk"))
"""Where roots are kept. Delete the folder to have them made anew."""

RUN = CACHE / f"run-{os.getpid()}"
"""The packages of this run, and the root that they are installed in; another run may go on beside it."""

MOST_ROOTS = 3
"""Roots that are kept, of packages of this checkout and of others."""

SYSTEM = ("systemd", "systemd-sysv", "udev", "dbus", "procps", "iproute2", "curl", "grim")
"""Packages of the machine itself; the rest comes with ours."""

OURS = ("menu-player", "menu-player-core", "menu-player-guard", "menu-service")


@functools.cache
def built_packages() -> Sequence[Path]:
    """The packages of this checkout, with the changes of tracked files."""
    _remove_ended_runs()
    folder = RUN / "packages"
    run(CHECKOUT / "packaging/build-deb", folder)
    return sorted(folder.glob("*.deb"))


def installed_root() -> Path:
    """A Debian 13 with our packages, as apt installs them on a machine without a desktop."""
    packages = built_packages()
    root = RUN / "installed"
    guard, others = (
        " ".join(f"/tmp/{path.name}" for path in packages if path.name.startswith("menu-player-guard") is is_guard)
        for is_guard in (True, False)
    )
    with _locked():
        run("cp", "-a", "--reflink=auto", _root_with_dependencies(packages), root)
    for path in packages:
        shutil.copy(path, root / "tmp")
    # The guard first, as install.sh does: it keeps a copy of what is installed after it.
    in_root(root, f"apt-get -q -y install {guard}; apt-get -q -y install {others}; rm /tmp/*.deb")
    return root


def remove_run() -> None:
    """Delete what this run has made."""
    shutil.rmtree(RUN, ignore_errors=True)


def _remove_ended_runs() -> None:
    """Removes roots whose making was killed."""
    for folder in CACHE.glob("run-*"):
        if not Path("/proc", folder.name.removeprefix("run-")).exists():
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked() -> Iterator[None]:
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _root_with_dependencies(packages: Sequence[Path]) -> Path:
    """A Debian 13 with all that our packages depend on. Made once, until that changes."""
    needed = "".join(run("dpkg-deb", "--field", path, "Depends").stdout for path in packages)
    wanted = re.sub(r"menu-player-core \(= [^)]*\)", "", needed)
    root = CACHE / f"root-{hashlib.sha256(' '.join((*SYSTEM, wanted)).encode()).hexdigest()[:12]}"
    if root.exists():
        os.utime(root)
        return root
    for older in sorted(CACHE.glob("root-*"), key=lambda path: path.stat().st_mtime, reverse=True)[MOST_ROOTS - 1 :]:
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
