"""Debian 13's QEMU, whatever this machine runs: Debian 12's has no Raspberry Pi 4. It lies in a root of its own, beside
those that build packages, and runs from there with that root's libraries."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parents[2]

ROOT = Path(os.environ.get("MENU_ROOTS", "/var/cache/menu-player-build")) / "emulator"
PACKAGES = ("qemu-system-x86", "qemu-system-arm", "ipxe-qemu", "ovmf", "seabios", "device-tree-compiler")


def run(*command: str | Path, **options: Any) -> str:
    """Run a command to its end; fails with what it said."""
    words = [str(word) for word in command]
    done: subprocess.CompletedProcess[str] = subprocess.run(
        words, check=False, text=True, capture_output=True, **options
    )
    assert done.returncode == 0, f"{' '.join(words)}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@cache
def root() -> Path:
    """The root, made once."""
    made = ROOT.with_suffix(".made")
    if not made.exists():
        script = CHECKOUT / "packaging/debian-root"
        shutil.rmtree(ROOT, ignore_errors=True)
        run(script, "copy", ROOT)
        for words in (("update",), ("-y", "install", "--no-install-recommends", *PACKAGES), ("clean",)):
            run(script, "run", ROOT, "apt-get", "-q", *words)
        made.touch()
    return ROOT


def command(program: str, *words: str) -> tuple[list[str], dict[str, str]]:
    """A program of the root, as this machine starts it, and its environment."""
    (loader,), (libraries,) = root().glob("usr/lib*/ld-linux-*"), root().glob("usr/lib/*-linux-gnu")
    started = [str(loader), "--library-path", str(libraries), str(root() / "usr/bin" / program)]
    if program.startswith("qemu-"):
        started += ["-L", f"{root()}/usr/share/qemu", "-L", f"{root()}/usr/share/seabios"]
    return [*started, *words], {**os.environ, "QEMU_MODULE_DIR": str(libraries / "qemu")}
