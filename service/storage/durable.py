"""What a power cut may not take back. Knows nothing of what is stored."""

import os
from pathlib import Path


def flush_folder(folder: Path) -> None:
    """Make the names in a folder durable: a file that was flushed may otherwise be gone by its name. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
