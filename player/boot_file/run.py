"""Reads the boot file once, applies it if it has changed, and removes its secrets.
systemd/menu-player-boot-file.service runs it, as root and before the network.

A file with a mistake changes nothing: the mistake is noted for the player, and the previous settings stay.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

if __name__ == "__main__":
    # Run as a file, by a Python that looks for nothing but its own library.
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import msgspec
from msgspec.structs import replace

from menu.text.phrase import Phrase, phrase
from player.boot_file.document import (
    MAX_BOOT_FILE_BYTES,
    MAX_CERTIFICATES_BYTES,
    MistakesError,
    Taken,
    mistake,
    read_boot_file,
    text_of,
    without_secrets,
)
from player.boot_file.machine import NETWORK_MANAGER, apply, run_command
from player.boot_file.note import NOTE, write_note
from player.domain.pairing.boot_file import FILE_NAME, BootFileNote
from player.plain_file import read_plain
from player.storage.durable import sync_folder, write_all, write_file

log = logging.getLogger(__name__)

TAKEN = Path("var/lib/menu-player-boot-file/taken")
MAX_TAKEN_BYTES = 256 * 1024
MAX_NAMES = 1000
"""In the folder, that are looked at for a file of a wrong name."""


def read_taken(file: Path) -> Taken:
    """Reads it from the disk; an empty one if it cannot be read."""
    try:
        return msgspec.json.decode(read_plain(file, MAX_TAKEN_BYTES), type=Taken)
    except (OSError, msgspec.MsgspecError):
        return Taken()


def write_taken(file: Path, taken: Taken) -> None:
    """Stores it durably. Raises OSError."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_file(file, msgspec.json.encode(taken))


def read_once(root: Path, run: Callable[[Sequence[str]], object] = run_command) -> BootFileNote:
    """Reads the boot file, applies it if it has changed, and returns its faults."""
    try:
        file = find(root)
        return BootFileNote() if file is None else _read(file, root, run)
    except MistakesError as error:
        return BootFileNote(faults=error.faults)
    except OSError as error:
        return BootFileNote(faults=(mistake(phrase("cannot be read: {why}", why=error.strerror or str(error))),))


def find(root: Path) -> Path | None:
    """Returns the boot file, None if there is none. Raises MistakesError for one of a wrong name, and OSError."""
    misnamed = []
    # On Raspberry Pi OS, on a PC with UEFI, on others.
    for folder in (Path("boot/firmware"), Path("boot/efi"), Path("boot")):
        names = _names(root / folder)
        for name in names:
            if name.lower() == FILE_NAME:
                return root / folder / name
        misnamed += [name for name in names if _is_misnamed(name)]
    if misnamed:
        what = phrase("the name of this file is wrong, perhaps by a second ending")
        raise MistakesError([mistake(what, write=FILE_NAME, file=misnamed[0])])
    return None


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for _, entry in zip(range(MAX_NAMES), entries, strict=False) if entry.is_file())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_misnamed(name: str) -> bool:
    name = name.lower().replace("_", "-").replace(" ", "-")
    is_like_it = name.startswith(("menu-player", "menuplayer")) and (".toml" in name or name.endswith(".txt"))
    return is_like_it and "example" not in name and not name.endswith((".tmp", ".corrupt"))


def _read(file: Path, root: Path, run: Callable[[Sequence[str]], object]) -> BootFileNote:
    raw = read_plain(file, MAX_BOOT_FILE_BYTES + 1)
    taken = read_taken(root / TAKEN)
    faults: tuple[Phrase, ...] = ()
    if _digest(raw, file.parent, taken) != taken.digest:
        text = text_of(raw)
        boot_file = read_boot_file(text, folder=file.parent, kept=taken)
        taken = Taken(
            wifi_name=boot_file.wifi.name if boot_file.wifi else "",
            certificates=boot_file.certificates.name if boot_file.certificates else "",
            secrets=boot_file.secrets,
        )
        if (boot_file.wifi or boot_file.address) and not (root / NETWORK_MANAGER).exists():
            what = phrase("{package}, which sets up the network, is not installed", package="network-manager")
            faults = (mistake(what, key="wifi_name" if boot_file.wifi else "address"),)
            # Without its digest the file is read again at each boot, until the network can be set up.
            boot_file = replace(boot_file, wifi=None, address=None)
        else:
            taken = replace(taken, digest=_digest(raw, file.parent, taken))
        try:
            apply(boot_file, root=root, run=run)
            write_taken(root / TAKEN, taken)
        except OSError as error:
            raise MistakesError([mistake(phrase("cannot be applied: {why}", why=str(error)))]) from error
        log.info("%s is in effect", file)
    if not taken.wiped:
        try:
            raw = wipe(file, raw)
        except (OSError, ValueError) as error:
            log.warning("the secrets in %s cannot be taken away: %s", file, error)
            return BootFileNote(faults=faults, lacks_network=bool(faults), is_readable=True)
        digest = taken.digest and _digest(raw, file.parent, taken)
        write_taken(root / TAKEN, replace(taken, digest=digest, wiped=True))
    return BootFileNote(faults=faults, lacks_network=bool(faults))


def _digest(raw: bytes, folder: Path, taken: Taken) -> str:
    """Digest of the file, and of the certificates beside it that were taken."""
    digest = hashlib.sha256(raw)
    if taken.certificates:
        with suppress(OSError):
            digest.update(read_plain(folder / taken.certificates, MAX_CERTIFICATES_BYTES))
    return digest.hexdigest()


def wipe(file: Path, raw: bytes) -> bytes:
    """Replaces the file by itself without secrets; returns what is there now. Raises OSError."""
    begin = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    wiped = begin + without_secrets(text_of(raw)).encode()
    if wiped != raw:
        overwrite(file, wiped)
    return wiped


def overwrite(file: Path, data: bytes) -> None:
    """Replaces a file with secrets by this, and writes zeros over its previous content, as far as the medium allows.
    Raises OSError."""
    with file.open("r+b", buffering=0) as old:
        was = os.fstat(old.fileno())
        write_file(file, data, like=was)
        write_all(old, bytes(was.st_size))
        os.fsync(old.fileno())
    sync_folder(file.parent)


def main() -> int:
    """Reads the boot file, and notes its faults for the player."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    read_and_tell(Path("/"), NOTE)
    return 0


def read_and_tell(root: Path, note_file: Path, run: Callable[[Sequence[str]], object] = run_command) -> None:
    """Reads it, notes its faults for the player, and has running programs start with new settings."""
    before = read_taken(root / TAKEN)
    note = read_once(root, run)
    for fault in note.faults:
        log.error("%s", fault)
    write_note(note_file, note)
    if note.faults or read_taken(root / TAKEN) != before:
        # Does nothing to units that have not started, as at most boots.
        units = ["NetworkManager.service"] if (root / NETWORK_MANAGER).exists() else []
        run(("systemctl", "--no-block", "try-restart", "menu-player.service", *units))


if __name__ == "__main__":
    sys.exit(main())
