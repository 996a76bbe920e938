"""The last pairing on disk: whose programs these are, when the credentials are lost or refused."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from player.domain.pairing import LastPairing
from player.storage.checksummed import CorruptError, read_checksummed, write_checksummed

log = logging.getLogger(__name__)

_KIND = "last-pairing"


class LastPairingFile:
    """A LastPairingStore in one file. Calls block."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> LastPairing | None:
        """The last pairing; None if none is stored, or it is not whole. Never raises for what is on the disk."""
        try:
            stored = read_checksummed(self._path, _KIND)
            return None if stored is None else msgspec.json.decode(stored, type=LastPairing)
        except (CorruptError, msgspec.MsgspecError) as error:
            # The next pairing forgets the programs instead of going on with them.
            log.warning("%s cannot be used: %s", self._path.name, error)
            return None

    def keep_last_pairing(self, last: LastPairing) -> None:
        """Store durably, in place of what was there. Raises StorageError."""
        write_checksummed(self._path, _KIND, msgspec.json.encode(last))
