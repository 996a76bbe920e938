"""Makes images of finished boards: copies of one image, each with another boot file on its boot partition.

mtools writes into the partition, so that nothing is mounted and nobody has to be root.
"""

import json
import lzma
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from service.cli.cards import BOOT_FILE

CARD_IMAGE = "menu-board.img"
SECTOR = 512
PROGRAMS = {"mcopy": "mtools", "mtype": "mtools", "sfdisk": "fdisk", "cp": "coreutils"}
"""With the Debian package of each."""


class ImageError(Exception):
    """An image cannot be made. The message says what to do."""


def write_images(folder: Path, image: Path, *, only: str | None = None) -> None:
    """Writes the image of each card beside its boot file. Raises ImageError and OSError."""
    for program, package in PROGRAMS.items():
        if shutil.which(program, path=_search_path()) is None:
            raise ImageError(f"the program {program} is missing: sudo apt install {package}")
    cards = _cards(folder, only)
    with image.open("rb") as file:
        is_packed = file.read(6) == b"\xfd7zXZ\0"
    whole = cards[0] / f"{CARD_IMAGE}.whole" if is_packed else image
    try:
        if is_packed:
            whole.unlink(missing_ok=True)
            _unpack(image, whole)
        offset = _boot_partition(whole, image)
        _check_room(whole, cards, image)
        for card in cards:
            _write_image(card, whole, offset)
            sys.stderr.write(f"menu-service: {card / CARD_IMAGE}\n")
    finally:
        if is_packed:
            whole.unlink(missing_ok=True)


def _cards(folder: Path, only: str | None) -> Sequence[Path]:
    cards = [one for one in sorted(folder.iterdir()) if (one / BOOT_FILE).is_file()]
    if not cards:
        raise ImageError(f"{folder} holds no folder with a {BOOT_FILE}; `menu-service cards create` makes them")
    if only is None:
        return cards
    chosen = [one for one in cards if only == one.name] or [one for one in cards if one.name.endswith(f" - {only}")]
    if len(chosen) != 1:
        those = ", ".join(repr(one.name) for one in chosen)
        raise ImageError(f"several boards are called {only!r}: {those}" if chosen else f"no board is called {only!r}")
    return chosen


def _unpack(packed: Path, image: Path) -> None:
    """Unpacks an .xz, with holes where it has zeros."""
    try:
        with lzma.open(packed) as source, open(image, "xb", opener=_for_owner_only) as target:
            while chunk := source.read(1024 * 1024):
                if chunk.count(0) == len(chunk):
                    target.seek(len(chunk), os.SEEK_CUR)
                else:
                    target.write(chunk)
            target.truncate()
    except (EOFError, lzma.LZMAError) as error:
        raise ImageError(f"{packed} is cut off or damaged ({error}); get it again") from None


def _boot_partition(image: Path, named: Path) -> int:
    """Returns the offset of the first FAT partition in bytes."""
    done = _run("sfdisk", "--json", str(image))
    table = json.loads(done.stdout)["partitiontable"] if done.returncode == 0 else {}
    partitions = table.get("partitions", [])
    if not partitions:
        raise ImageError(f"{named} is no image of a disk: it has no partitions")
    size = image.stat().st_size
    # Without the second GPT at its end, nothing but the partition that protects the first is told.
    if any((one["start"] + one["size"]) * SECTOR > size or one["type"] == "ee" for one in partitions):
        raise ImageError(f"{named} is cut off: its partitions do not end within it; get it again")
    with image.open("rb") as file:
        for one in sorted(partitions, key=lambda one: int(one["start"])):
            file.seek(one["start"] * SECTOR)
            first = file.read(SECTOR)
            if first[510:] == b"\x55\xaa" and b"FAT" in (first[54:57], first[82:85]):
                return int(one["start"]) * SECTOR
    raise ImageError(f"{named} has no boot partition that is FAT")


def _check_room(image: Path, cards: Sequence[Path], named: Path) -> None:
    """Prints the size of the images. Raises ImageError if it exceeds the free space."""
    trial = cards[0] / f"{CARD_IMAGE}.trial"
    shares = _run("cp", "--reflink=always", str(image), str(trial)).returncode == 0
    trial.unlink(missing_ok=True)
    stat = image.stat()
    each = 0 if shares else stat.st_blocks * 512
    free = shutil.disk_usage(cards[0]).free
    size = f"images of {_gigabytes(stat.st_size)}: {len(cards)}"
    taken = "which share their blocks" if shares else f"{_gigabytes(each * len(cards))} on the disk"
    sys.stderr.write(f"menu-service: {size}, {taken}\n")
    if each * len(cards) > free:
        raise ImageError(
            f"{_gigabytes(free)} are free. Make one at a time with --only NAME, write it to its card and delete it"
        )


def _write_image(card: Path, image: Path, offset: int) -> None:
    part = card / f"{CARD_IMAGE}.part"
    try:
        part.unlink(missing_ok=True)
        os.close(_for_owner_only(str(part), os.O_CREAT | os.O_EXCL))
        if (done := _run("cp", "--reflink=auto", "--sparse=always", str(image), str(part))).returncode != 0:
            raise ImageError(done.stderr.decode(errors="replace").strip())
        at = f"{part}@@{offset}"
        if (done := _run("mcopy", "-o", "-i", at, str(card / BOOT_FILE), f"::{BOOT_FILE}")).returncode != 0:
            why = done.stderr.decode(errors="replace").strip()
            raise ImageError(f"the boot file of {card.name} does not go onto the boot partition: {why}")
        if _run("mtype", "-i", at, f"::{BOOT_FILE}").stdout != (card / BOOT_FILE).read_bytes():
            raise ImageError(f"the boot file of {card.name} reads differently from the boot partition than it was")
        part.rename(card / CARD_IMAGE)
    finally:
        part.unlink(missing_ok=True)


def _run(*command: str) -> subprocess.CompletedProcess[bytes]:
    # A check of mtools is about old floppies, and refuses good partitions.
    environment = {**os.environ, "PATH": _search_path(), "MTOOLS_SKIP_CHECK": "1", "LC_ALL": "C.UTF-8"}
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=environment)


def _search_path() -> str:
    return f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


def _for_owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
