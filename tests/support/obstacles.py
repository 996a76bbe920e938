"""Obstacles in the place of a file on a worn or meddled-with disk; each is real, none is a fake."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


def _directory(path: Path) -> None:
    path.mkdir()
    (path / "somebody's").write_bytes(b"file")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            # By this way its name may be longer than a socket's address.
            bound.bind(f"/proc/self/fd/{folder}/{path.name}")
        finally:
            os.close(folder)


OBSTACLES: dict[str, Callable[[Path], None]] = {
    "a directory": _directory,
    "an empty directory": Path.mkdir,
    "a dangling link": lambda path: path.symlink_to(path.parent / "nowhere"),
    "a link to itself": lambda path: path.symlink_to(path),
    "a pipe": os.mkfifo,
    "a socket": _socket,
    # A plain file for stat and open; every read of its first bytes is an input/output error.
    "a file with an input/output error": lambda path: path.symlink_to("/proc/self/mem"),
}


def obstruct(path: Path, obstacle: str) -> None:
    """Put an obstacle in the place of a file."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    OBSTACLES[obstacle](path)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Within the block permissions bind this process, also where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
