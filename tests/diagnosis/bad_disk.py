"""A disk that fails: an ext4 file system on a loop device, whose memory takes no more writes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import tempfile
from pathlib import Path

SIZE = 1 << 30
"""Bytes: the board has room. Only what is written takes memory."""


class NotHereError(Exception):
    """This machine does not let a test have that; says why."""


class BadDisk:
    """A disk that works until it `fails`. Made outside of the namespaces of a rig, by root: only root mounts one."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="menu-disk-"))
        self.memory = os.memfd_create("disk", os.MFD_ALLOW_SEALING)
        self._device = ""
        try:
            os.ftruncate(self.memory, SIZE)
            disk = f"/proc/{os.getpid()}/fd/{self.memory}"
            _run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=1", disk)
            self._device = _run("losetup", "--find", "--show", disk).strip()
            _run("mount", "-o", "errors=remount-ro,noinit_itable", self._device, str(self.folder))
        except (OSError, subprocess.CalledProcessError) as error:
            self.close()
            raise NotHereError(f"no disk can be made: {getattr(error, 'stderr', None) or error}") from error

    def close(self) -> None:
        """Give back what it took."""
        for command in (
            ("umount", "-l", str(self.folder)),
            *([("losetup", "-d", self._device)] if self._device else ()),
        ):
            subprocess.run(command, check=False, capture_output=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()
        os.close(self.memory)


def break_disk(memory: int) -> None:
    """From now on each write is answered with an input/output error, for good; `memory` is that of the disk."""
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
