"""Owns what documents that ship with the service have in common: names in them that stand for ids, and their assets."""

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from service.services.assets.assets import AssetService, StoredAsset
from service.services.assets.checks import MEDIA_TYPES
from service.storage.database import Unit

_NAMES = ("asset:", "item:")

Shelf = Mapping[str, StoredAsset]
"""Files that ship with the service, on the disk already, by the names that stand for them."""


class BundledError(Exception):
    """A file that ships with the service is not right."""


def resolve(value: Any, names: Mapping[str, str]) -> Any:
    """The value with every `asset:NAME` and `item:KEY` in it replaced by what it stands for. Raises BundledError."""
    if isinstance(value, dict):
        return {key: resolve(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [resolve(part, names) for part in value]
    if isinstance(value, str) and value.startswith(_NAMES):
        if value not in names:
            raise BundledError(f"there is no {value!r}")
        return names[value]
    return value


def mentioned(value: Any) -> set[str]:
    """The names in the value that stand for something."""
    if isinstance(value, dict):
        return {name for part in value.values() for name in mentioned(part)}
    if isinstance(value, list):
        return {name for part in value for name in mentioned(part)}
    return {value} if isinstance(value, str) and value.startswith(_NAMES) else set()


def shelve(assets: AssetService, files: Mapping[str, Path]) -> Shelf:
    """Read the files and put them on the disk, where they are no workspace's yet. Raises BundledError.

    It waits for the disk, so it comes before the transaction. Nothing is decoded: tests show what ships to be good.
    """
    return {name: assets.store(file.read_bytes(), media_type=_media_type(file)) for name, file in files.items()}


def hand_out(assets: AssetService, unit: Unit, workspace: str, shelf: Shelf) -> dict[str, str]:
    """The ids by name of what is on the shelf, as assets of the workspace, which has them from now on."""
    return {name: assets.keep(unit, stored, workspace=workspace).view.id for name, stored in shelf.items()}


def _media_type(file: Path) -> str:
    media_type = mimetypes.guess_type(file.name)[0]
    if media_type not in MEDIA_TYPES:
        raise BundledError(f"{file.name} is neither a picture nor a video")
    return media_type
