"""Opens a file for reading, and never waits for what stands in its place: a pipe, a socket, a device."""

from __future__ import annotations

import errno
import os
import stat
from io import FileIO
from pathlib import Path

NO_FILE = "no file, but something else of that name"


def open_plain(path: Path) -> FileIO:
    """Returns the file at `path`, unbuffered. Raises OSError, also if anything but a plain file is there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise OSError(errno.EINVAL, NO_FILE, str(path)) from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, NO_FILE, str(path))
        return FileIO(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_plain(path: Path, most: int) -> bytes:
    """Returns the first `most` bytes of the file at `path`. Raises OSError, also if anything but a plain file is
    there."""
    with open_plain(path) as file:
        content = bytearray()
        while len(content) < most and (chunk := file.read(most - len(content))):
            content += chunk
        return bytes(content)
