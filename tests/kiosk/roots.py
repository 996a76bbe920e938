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
"""Roots of a kind that are kept, of packages of this checkout and of others."""

BARE = ("systemd", "systemd-sysv", "udev", "dbus", "procps", "iproute2")
"""Packages of the machine itself; the rest comes with ours."""

SYSTEM = (*BARE, "curl", "grim")
"""The same, with what tests use."""

DOCUMENTED = ("caddy", "curl", "plymouth", "network-manager", "wpasupplicant", "wireless-regdb", "iw")
"""Other packages that docs/install.md installs."""

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
    base = _root_with_dependencies()
    with _locked():
        run("cp", "-a", "--reflink=auto", base, root)
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


def blank_root() -> Path:
    """A Debian 13 with systemd and nothing of ours; what we and docs/install.md install is in apt's cache."""
    fetch = f"apt-get -q -y --download-only install {' '.join(DOCUMENTED)} /tmp/*.deb"
    script = f"apt-get -q -y --no-install-recommends install {' '.join(BARE)}; {fetch}"
    return _cached("blank", f"{script} {_needed('Depends')} {_needed('Recommends')}", script)


def _root_with_dependencies() -> Path:
    """A Debian 13 with all that our packages depend on."""
    return _cached(
        "root",
        " ".join((*SYSTEM, _needed("Depends"))),
        "printf 'APT::Install-Recommends \"0\";\n' > /etc/apt/apt.conf.d/99small; "
        f"apt-get -q -y install {' '.join(SYSTEM)} /tmp/*.deb; dpkg --purge {' '.join(OURS)}; apt-get clean",
    )


def _needed(field: str) -> str:
    needed = "".join(run("dpkg-deb", "--field", path, field).stdout for path in built_packages())
    return re.sub(r"menu-player-core \(= [^)]*\)", "", needed)


def _cached(kind: str, wanted: str, script: str) -> Path:
    """A Debian 13 in which a script has run, with our packages in /tmp. Made once, until what is wanted changes."""
    root = CACHE / f"{kind}-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    with _locked():
        if root.exists():
            os.utime(root)
            return root
        newest = sorted(CACHE.glob(f"{kind}-*"), key=lambda path: path.stat().st_mtime, reverse=True)
        for older in newest[MOST_ROOTS - 1 :]:
            shutil.rmtree(older)
        growing = CACHE / "growing"
        shutil.rmtree(growing, ignore_errors=True)
        growing.mkdir(parents=True)
        run(CHECKOUT / "packaging/debian-root", "copy", growing)
        for path in built_packages():
            shutil.copy(path, growing / "tmp")
        in_root(
            growing,
            f"echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/unsafe-io; apt-get -q update; {script}; rm /tmp/*.deb",
        )
        growing.rename(root)
    return root
