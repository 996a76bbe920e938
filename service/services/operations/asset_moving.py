"""Copies the assets that the database names from the data folder into a bucket. A second run continues."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from service.storage.asset_files import AssetFiles
from service.storage.asset_objects import AssetObjects


@dataclass(slots=True)
class MoveSummary:
    copied: int = 0
    there: int = 0
    """Assets that the bucket had."""
    missing: list[str] = field(default_factory=list)
    """SHA-256 of those that neither has, or that are damaged in the folder."""


def move_assets(digests: Iterable[str], files: AssetFiles, objects: AssetObjects) -> MoveSummary:
    """Copies each asset, unless the bucket has it. The folder stays unchanged.

    Raises StoreUnavailableError and OSError.
    """
    moved = MoveSummary()
    for digest in digests:
        size, stored = files.size(digest), objects.size(digest)
        if stored is not None and size in (None, stored):
            moved.there += 1
        elif size is not None and _is_whole(files, digest):
            objects.add_file(files.path(digest), digest)
            moved.copied += 1
        else:
            moved.missing.append(digest)
    return moved


def _is_whole(files: AssetFiles, digest: str) -> bool:
    with files.path(digest).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == digest
