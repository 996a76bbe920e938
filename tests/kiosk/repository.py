"""An apt repository of packages, as packaging/build-repository makes it, with a key of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.kiosk.machine import Machine

RELEASE = "APT::FTPArchive::Release::"


def key(folder: Path, name: str) -> tuple[str, ...]:
    """gpg with a new key."""
    (folder / name).mkdir(mode=0o700)
    gpg = ("gpg", "--homedir", str(folder / name), "--batch", "--quiet")
    said_by(*gpg, "--passphrase", "", "--quick-generate-key", name, "ed25519", "sign", "never")
    return gpg


def said_by(*command: str, at: Path | None = None, given: bytes = b"") -> bytes:
    return subprocess.run(command, cwd=at, input=given, check=True, capture_output=True).stdout


def repository(
    folder: Path, packages: Iterable[Path], *, signed_by: tuple[str, ...], with_key: tuple[str, ...]
) -> Path:
    """One of these packages, in the folder. `with_key` is the key that it gives to machines."""
    folder.mkdir()
    for package in packages:
        shutil.copy(package, folder)
    (folder / "Packages").write_bytes(said_by("apt-ftparchive", "packages", ".", at=folder))
    names = [word for field in ("Origin", "Label") for word in ("-o", f"{RELEASE}{field}=Menu Player")]
    release = said_by("apt-ftparchive", *names, "release", ".", at=folder)
    (folder / "InRelease").write_bytes(said_by(*signed_by, "--clearsign", given=release))
    (folder / "menu-player.gpg").write_bytes(said_by(*with_key, "--export"))
    return folder


def put(folder: Path, machine: Machine, to: str) -> None:
    """Copy a folder onto the machine."""
    packed = said_by("tar", "-C", str(folder), "-c", ".")
    said_by(*machine.command("sh", "-c", f"mkdir -p {to}; tar -C {to} -x"), given=packed)
