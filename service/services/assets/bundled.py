"""Bundled documents (the sample and the design kit): replaces the placeholders in them and stores their assets."""

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from service.services.assets.assets import AssetService, StoredAsset
from service.services.assets.checks import MEDIA_TYPES
from service.storage.database import Unit

_PREFIXES = ("asset:", "item:")

BundledAssets = Mapping[str, StoredAsset]
"""Bundled files that are on the disk, by their placeholders."""


class BundledError(Exception):
    """A fault of a bundled file."""


def resolve(value: Any, names: Mapping[str, str]) -> Any:
    """Replaces each `asset:NAME` and `item:KEY` in the value by an id. Raises BundledError for an unknown one."""
    if isinstance(value, dict):
        return {key: resolve(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [resolve(part, names) for part in value]
    if isinstance(value, str) and value.startswith(_PREFIXES):
        if value not in names:
            raise BundledError(f"there is no {value!r}")
        return names[value]
    return value


def placeholders(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {name for part in value.values() for name in placeholders(part)}
    if isinstance(value, list):
        return {name for part in value for name in placeholders(part)}
    return {value} if isinstance(value, str) and value.startswith(_PREFIXES) else set()


def store_bundled(assets: AssetService, files: Mapping[str, Path]) -> BundledAssets:
    """Stores the files on the disk; `add_bundled` adds them to a workspace. Raises BundledError.

    Call it before the transaction, because it waits for the disk. Bundled files are checked by tests, not here.
    """
    return {name: assets.store(file.read_bytes(), media_type=_media_type(file)) for name, file in files.items()}


def add_bundled(assets: AssetService, unit: Unit, workspace: str, stored: BundledAssets) -> dict[str, str]:
    """Adds the stored files to the workspace; returns their ids by placeholder."""
    return {name: assets.add(unit, asset, workspace=workspace).view.id for name, asset in stored.items()}


def _media_type(file: Path) -> str:
    # Not strictly: Python itself knows WebP only so, and not every machine has a list of types.
    media_type = mimetypes.guess_type(file.name, strict=False)[0]
    if media_type not in MEDIA_TYPES:
        raise BundledError(f"{file.name} is neither an image nor a video")
    return media_type
