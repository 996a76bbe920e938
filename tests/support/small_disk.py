"""A disk of a few megabytes, which tests fill up."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(place: Path, *, megabytes: int) -> Iterator[Path]:
    """A file system of its own, for as long as the block lasts. Skips the test where nobody may mount anything."""
    place.mkdir()
    own = ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--mount", "--map-root-user")
    script = 'mount -t tmpfs -o size="$1"m,mode=700 tmpfs "$0" && echo mounted && exec cat'
    command = (*own, "sh", "-c", script, str(place), str(megabytes))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as holder:
        assert holder.stdout is not None
        try:
            if holder.stdout.readline() != b"mounted\n":
                pytest.skip("this machine lets nobody mount anything")
            # Mounted in a namespace of its own, and seen from there.
            yield Path(f"/proc/{holder.pid}/root{place}")
        finally:
            holder.terminate()


def fill(folder: Path) -> Path:
    """Take all the room that is left on the disk; returns the file that has it."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1024 * 1024, 4096, 1):
            with contextlib.suppress(OSError):
                while file.write(bytes(size)):
                    pass
    return filler
