"""Stores which machine the state directory belongs to, and separates a copy from the screen that it was copied from."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from player.domain.pairing.hardware import Hardware
from player.storage.credentials import CredentialFile, stored_pairing
from player.storage.identity import identity_file
from player.storage.state_file import StateFile

log = logging.getLogger(__name__)


class _Record(msgspec.Struct, frozen=True, omit_defaults=True):
    hardware: Hardware
    is_copy: bool = False


def leave_behind(folder: Path, hardware: Hardware) -> bool:
    """Deletes the identity and the token if the directory was another machine's; returns whether it was. Raises
    StorageError.

    The token first, and the record last, by `record_hardware`: after a power cut in between all of it happens again.
    """
    record = _file(folder).load()
    if record is None or not hardware.is_other_than(record.hardware):
        return False
    log.warning("the state directory comes from another device; this one becomes a screen of its own")
    CredentialFile(folder).remove()
    identity_file(folder).remove()
    return True


def record_hardware(folder: Path, hardware: Hardware, *, is_copy: bool) -> bool:
    """Stores which machine this is, if that has changed; returns whether it is a copy that is still to be paired.
    Raises StorageError."""
    before = _file(folder).load()
    if before is not None and not is_copy:
        hardware = hardware.over(before.hardware)
        is_copy = before.is_copy and stored_pairing(folder) is None
    record = _Record(hardware, is_copy)
    if record != (before or _Record(Hardware())):
        _file(folder).save(record)
    return is_copy


def _file(folder: Path) -> StateFile[_Record]:
    return StateFile(folder / "hardware", _Record, durably=True)
