"""Keeps which machine the state directory belongs to, and parts a copy from the screen that it was copied from."""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path

import msgspec

from player.domain.hardware import Hardware
from player.storage.checksummed import CorruptError, read_checksummed, write_checksummed
from player.storage.credentials import FILE_NAME as CREDENTIALS
from player.storage.credentials import KIND as CREDENTIALS_KIND
from player.storage.credentials import stored_pairing
from player.storage.identity import KIND as IDENTITY_KIND
from player.storage.twin_file import TwinFile

log = logging.getLogger(__name__)

FILE_NAME = "hardware"


class _Record(msgspec.Struct, frozen=True, omit_defaults=True):
    hardware: Hardware
    is_copy: bool = False


def leave_behind(folder: Path, hardware: Hardware) -> bool:
    """Delete the identity and the token if the directory was another machine's; returns whether it was. Raises
    StorageError.

    The token first, and the record last, by `record_hardware`: after a power cut in between all of it happens again.
    """
    record = _read(folder)
    if record is None or not hardware.is_other_than(record.hardware):
        return False
    log.warning("the state directory comes from another device; this one becomes a screen of its own")
    TwinFile(folder / CREDENTIALS, kind=CREDENTIALS_KIND).remove()
    TwinFile(folder / "identity", kind=IDENTITY_KIND).remove()
    return True


def record_hardware(folder: Path, hardware: Hardware, *, is_copy: bool) -> bool:
    """Store which machine this is, if that has changed; returns whether it is a copy that is still to be paired. Raises
    StorageError."""
    before = _read(folder)
    if before is not None and not is_copy:
        hardware = hardware.over(before.hardware)
        is_copy = before.is_copy and stored_pairing(folder) is None
    record = _Record(hardware, is_copy)
    if record != (before or _Record(Hardware())):
        write_checksummed(folder / FILE_NAME, FILE_NAME, msgspec.json.encode(record))
    return is_copy


def _read(folder: Path) -> _Record | None:
    with contextlib.suppress(CorruptError, msgspec.MsgspecError):
        stored = read_checksummed(folder / FILE_NAME, FILE_NAME)
        return None if stored is None else msgspec.json.decode(stored, type=_Record)
    return None  # It is recorded anew.
