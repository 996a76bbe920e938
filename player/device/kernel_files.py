"""Reads small files of the kernel and the system; never fails, and never blocks on a FIFO or device in their place."""

from __future__ import annotations

from pathlib import Path

from player.plain_file import read_plain

MAX_FACT_BYTES = 16 * 1024
"""Bytes of a file that are read, unless its reader says otherwise."""


def kernel_text(path: Path, *, most: int = MAX_FACT_BYTES) -> str:
    """Returns up to so many bytes of a file, as stripped text; empty if it cannot be read."""
    try:
        return read_plain(path, most).decode("utf-8", "replace").strip("\0 \n")
    except OSError:
        return ""


def kernel_number(text: str) -> int | None:
    """Returns the number that a file consists of; None if it is something else."""
    try:
        return int(text.strip())
    except ValueError:
        return None


def kernel_word(path: Path, name: str, separator: str = ":") -> str:
    """Returns the rest of the file's first line that begins with this name; empty if there is none."""
    found = (line.partition(separator) for line in kernel_text(path).splitlines())
    return next((rest for first, _, rest in found if first == name), "")


def kernel_bytes(meminfo: Path, name: str) -> int | None:
    """Returns a size of /proc/meminfo."""
    kibibytes = kernel_number(kernel_word(meminfo, name).removesuffix("kB"))
    return None if kibibytes is None else kibibytes * 1024
