"""Flushes folders, so that a power cut does not undo a rename."""

import os
from pathlib import Path


def flush_folder(folder: Path) -> None:
    """Makes the names in a folder durable: a flushed file can otherwise lose its name. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
