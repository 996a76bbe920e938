"""Note from the boot file's reader to the player: mistakes, and secrets still in the file; pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from menu.documents.manifest import Rejection
from menu.text.phrase import Phrase, phrase

FILE_NAME = "menu-player.toml"
BOOT_FILE_BAD = "boot_file_bad"
BOOT_FILE_NETWORK = "boot_file_network"
BOOT_FILE_READABLE = "boot_file_readable"
"""Codes of rejections, and of their findings."""

IS_ENROLLED = "is-enrolled"
"""File in the player's runtime directory: a board that is paired asks root to delete its enrolment token."""

MAX_NOTED = 20
"""Mistakes that a note has."""

MAX_NESTED = 4
"""Phrases within a phrase."""


class BootFileNote(Struct, frozen=True, kw_only=True):
    """Faults, each a phrase of `where`, `what` and sometimes `write`. `lacks_network`: all but the network is in
    effect; `is_readable`: secrets are still in the file, on a partition that cannot be written."""

    faults: tuple[Phrase, ...] = ()
    lacks_network: bool = False
    is_readable: bool = False

    def rejections(self) -> Iterator[Rejection]:
        for fault in self.faults:
            code = BOOT_FILE_NETWORK if self.lacks_network else BOOT_FILE_BAD
            yield Rejection(code=code, subject=_place(fault), detail=fault)
        if self.is_readable:
            yield Rejection(code=BOOT_FILE_READABLE, subject=FILE_NAME, detail="")

    def packed(self) -> str:
        """Packs the note into a text for `unpacked`."""
        flags = {"lacks_network": self.lacks_network, "readable": self.is_readable}
        return json.dumps({"faults": [_packed(fault) for fault in self.faults], **flags})


NOTHING_NOTED = BootFileNote()


def unpacked(text: str) -> BootFileNote:
    """Unpacks a note. Raises ValueError."""
    found = json.loads(text)
    if not isinstance(found, dict) or not isinstance(found.get("faults"), list):
        raise ValueError("no note of a boot file")
    faults = tuple(_unpacked(fault) for fault in found["faults"][:MAX_NOTED])
    lacks_network, is_readable = (found.get(flag) is True for flag in ("lacks_network", "readable"))
    return BootFileNote(faults=faults, lacks_network=lacks_network, is_readable=is_readable)


def _place(fault: Phrase) -> str:
    """Returns the file, and the line if it is known."""
    where = fault.values["where"]
    inner = where.values.get("where") if isinstance(where, Phrase) else None
    place = inner or where
    return place if isinstance(place, str) else ""


def _packed(text: object) -> Any:
    if not isinstance(text, Phrase):
        return str(text)
    return {"text": text.template, "values": {name: _packed(value) for name, value in text.values.items()}}


def _unpacked(raw: Any, depth: int = 0) -> Phrase:
    if not isinstance(raw, dict) or depth > MAX_NESTED:
        raise ValueError("no phrase")
    values = {
        str(name): value if isinstance(value, str) else _unpacked(value, depth + 1)
        for name, value in raw["values"].items()
    }
    try:
        return phrase(str(raw["text"]), **values)
    except (KeyError, IndexError) as error:
        raise ValueError(str(error)) from None
