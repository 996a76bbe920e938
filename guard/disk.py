"""Stores the guard's notes, and the packages to which a board can revert. All writes are atomic."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

MAX_DOCUMENT_BYTES = 64 * 1024


def read_document(path: Path) -> Any:
    """Reads JSON from a file; None if there is none that can be read. Follows no link and does not block: the file may
    be written by an untrusted program."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        try:
            content = file.read(MAX_DOCUMENT_BYTES + 1)
            return json.loads(content) if len(content) <= MAX_DOCUMENT_BYTES else None
        except (OSError, ValueError, RecursionError):
            return None


def write_whole(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Replaces a file. After a loss of power it is the former or the new one. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    with new.open("wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    _sync(path.parent)


def write_document(path: Path, document: Mapping[str, Any]) -> None:
    """Replaces a file of JSON. Raises OSError."""
    write_whole(path, json.dumps(document, indent=1, sort_keys=True).encode())


class KeptPackages:
    """Packages by their versions, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, package: str, version: str, file: Path) -> None:
        """Stores a copy of a package. Raises OSError."""
        kept = self._path(package, version)
        if kept.exists() and kept.stat().st_size == file.stat().st_size:
            return
        write_whole(kept, file.read_bytes())
        _sync(self._folder)

    def files(self, versions: Mapping[str, str]) -> list[Path]:
        """Returns the files of these packages in these versions; empty unless all exist."""
        found = [self._path(package, version) for package, version in sorted(versions.items())]
        return found if all(path.is_file() for path in found) else []

    def drop_others(self, versions: Iterable[str]) -> None:
        named = {_folder_name(version) for version in versions}
        with suppress(OSError):
            for folder in self._folder.iterdir():
                if folder.name not in named:
                    shutil.rmtree(folder, ignore_errors=True)

    def _path(self, package: str, version: str) -> Path:
        return self._folder / _folder_name(version) / f"{package}.deb"


def _folder_name(version: str) -> str:
    return quote(version, safe="+~")


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
