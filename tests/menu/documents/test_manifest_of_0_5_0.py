"""A manifest of the service of 0.5.0 is read as the player of 0.5.0 read it.

`tests/data/manifest-0.5.0-read.json` has every field that it read, with the default where the manifest has none; fields
that are called otherwise since then stand there by their new names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from menu.documents.manifest_reader import read_manifest

DATA = Path(__file__).parents[2] / "data"


def as_told(found: Any, told: Any) -> Any:
    """Returns what was found as values of JSON, of structures the fields that are told: later versions add some."""
    if isinstance(found, msgspec.Struct):
        return {name: as_told(getattr(found, name), told[name]) for name in told if hasattr(found, name)}
    if isinstance(found, Mapping):
        return {name: as_told(value, told.get(name)) for name, value in found.items()}
    if isinstance(found, frozenset):
        return sorted(found)
    if isinstance(found, tuple) and len(found) == len(told):
        return [as_told(*both) for both in zip(found, told, strict=True)]
    return msgspec.to_builtins(found)


def test_a_manifest_of_0_5_0_is_read_with_every_field() -> None:
    found = read_manifest((DATA / "manifest-0.5.0.json").read_bytes())
    told = json.loads((DATA / "manifest-0.5.0-read.json").read_text(encoding="utf-8"))

    assert found.rejections == ()
    assert as_told(found, told) == told
