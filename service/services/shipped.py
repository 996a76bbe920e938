"""Owns what documents that ship with the service have in common: names in them that stand for ids, and their assets."""

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from service.services.assets import AssetService
from service.storage.database import Unit

_NAMES = ("asset:", "item:")


class ShippedError(Exception):
    """A file that ships with the service is not right."""


def resolve(value: Any, names: Mapping[str, str]) -> Any:
    """The value with every `asset:NAME` and `item:KEY` in it replaced by what it stands for. Raises ShippedError."""
    if isinstance(value, dict):
        return {key: resolve(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [resolve(part, names) for part in value]
    if isinstance(value, str) and value.startswith(_NAMES):
        if value not in names:
            raise ShippedError(f"there is no {value!r}")
        return names[value]
    return value


def mentioned(value: Any) -> set[str]:
    """The names in the value that stand for something."""
    if isinstance(value, dict):
        return {name for part in value.values() for name in mentioned(part)}
    if isinstance(value, list):
        return {name for part in value for name in mentioned(part)}
    return {value} if isinstance(value, str) and value.startswith(_NAMES) else set()


def keep_asset(assets: AssetService, unit: Unit, workspace: str, file: Path) -> str:
    """The id of the file's bytes as an asset of the workspace, which has it from now on."""
    media_type = mimetypes.guess_type(file.name)[0] or ""
    with assets.begin(media_type) as upload:
        assets.take(upload, file.read_bytes(), media_type=media_type)
        return assets.keep(unit, upload, workspace=workspace, media_type=media_type).view.id
