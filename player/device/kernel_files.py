"""Reads what the kernel says in files of /proc and /sys; never fails."""

from __future__ import annotations

from pathlib import Path


def kernel_text(path: Path, *, most: int) -> str:
    """Up to so many bytes of a file, as text; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""


def kernel_number(text: str) -> int | None:
    """The number that a file consists of; None where it is something else."""
    try:
        return int(text.strip())
    except ValueError:
        return None
