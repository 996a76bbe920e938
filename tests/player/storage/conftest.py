"""Tests of the storage use a disk in memory: they wait for thousands of syncs, whose effect is reckoned elsewhere."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")


def folder_in_memory() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with folder_in_memory() as folder:
        yield Path(folder)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in which everybody may write."""
    with folder_in_memory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)
