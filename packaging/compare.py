"""Says which bytes of two builds differ: `python3 packaging/compare.py FIRST SECOND`, two folders.

A file that is not the same in both is named with its two SHA-256, and beneath it what differs inside: the members of a
Debian package, the partitions of a disk image and the files in them. Exits with 1 if anything differs.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import stat
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

CHUNK = 1 << 20
MOST_NAMED = 50
"""Differences inside of one file that are named; the others are counted."""

EXT_MAGIC = b"\x53\xef"

Entries = Mapping[str, object]
"""Each part of a file by its name, with all that is compared of it."""


def main(first: Path, second: Path) -> int:
    """Compare the folders; 1 if they differ."""
    names = sorted({str(path.relative_to(folder)) for folder in (first, second) for path in files_in(folder)})
    differ = False
    for name in names:
        pair = (first / name, second / name)
        sums = tuple(sha256(path) if path.is_file() else "missing" for path in pair)
        if sums[0] == sums[1]:
            continue
        differ = True
        say(f"{name}: {sums[0]} / {sums[1]}")
        if "missing" not in sums:
            say_bounded(inside(*pair))
    if not names:
        sys.exit(f"compare: there are no files in {first} and {second}")
    if not differ:
        say(f"{len(names)} files, the same in both builds")
    return int(differ)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def say_bounded(lines: Iterable[str]) -> None:
    """Say the first ones, and how many more there are."""
    more = 0
    for number, line in enumerate(lines):
        if number < MOST_NAMED:
            say(f"  {line}")
        else:
            more += 1
    if more:
        say(f"  and {more} more")


def files_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def inside(first: Path, second: Path) -> Iterator[str]:
    """Names what differs in two files of one name."""
    if first.suffix == ".deb":
        yield from differences(members(first), members(second), "the same members: their order or compression")
    elif first.name.endswith((".img", ".img.xz")):
        yield from inside_images(first, second)


def differences(first: Entries, second: Entries, otherwise: str) -> Iterator[str]:
    found = False
    for name in sorted({*first, *second}):
        if first.get(name) != second.get(name):
            found = True
            yield f"{name}: {first.get(name, 'missing')} / {second.get(name, 'missing')}"
    if not found:
        yield otherwise


def members(package: Path) -> Entries:
    """The members of a Debian package: its scripts and settings below DEBIAN/, and its files."""
    found: dict[str, object] = {}
    for option, below in (("--ctrl-tarfile", "DEBIAN/"), ("--fsys-tarfile", "")):
        packed = subprocess.run(["/usr/bin/dpkg-deb", option, package], check=True, stdout=subprocess.PIPE).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            for each in archive:
                content = archive.extractfile(each) if each.isreg() else None
                digest = hashlib.sha256(content.read()).hexdigest()[:12] if content else each.linkname
                name = below + each.name.removeprefix("./")
                found[name] = f"{stat.filemode(each.mode)} {each.uid}:{each.gid} {each.mtime:.0f} {digest}"
    return found


def inside_images(first: Path, second: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="compare-", dir="/var/tmp") as folder:
        disks = [unpacked(image, Path(folder) / str(number)) for number, image in enumerate((first, second))]
        tables = [partitions(disk) for disk in disks]
        if tables[0] != tables[1]:
            yield f"partitions: {tables[0]} / {tables[1]}"
            return
        begin = min((start for start, _ in tables[0]), default=0)
        if part_sum(disks[0], 0, begin) != part_sum(disks[1], 0, begin):
            yield "before the first partition: identifiers of the disk and its partitions, or the boot loader"
        for number, (start, size) in enumerate(tables[0], start=1):
            if part_sum(disks[0], start, size) != part_sum(disks[1], start, size):
                yield f"partition {number}"
                a, b = (files_of(disk, start, Path(folder) / f"{at}.{number}") for at, disk in enumerate(disks))
                yield from (f"  {line}" for line in differences(a, b, "the same files, or none: what is around them"))


def unpacked(image: Path, to: Path) -> Path:
    """The disk in an image, which may be compressed."""
    if image.suffix != ".xz":
        return image
    with lzma.open(image) as packed, to.open("wb") as disk:
        while chunk := packed.read(CHUNK):
            disk.write(chunk)
    return to


def partitions(disk: Path) -> list[tuple[int, int]]:
    """Begin and length of each, in bytes."""
    said = subprocess.run(["/usr/sbin/sfdisk", "--json", disk], check=False, capture_output=True, text=True)
    if said.stderr:
        # Not whole, and the partitions that lie beyond its end are left out.
        sys.exit(f"{disk} is cut off or broken: {said.stderr.strip()}")
    table = json.loads(said.stdout)["partitiontable"]
    unit = table.get("sectorsize", 512)
    found = [(each["start"] * unit, each["size"] * unit) for each in table["partitions"]]
    end, size = max(map(sum, found), default=0), disk.stat().st_size
    if end > size:
        sys.exit(f"{disk} is cut off or broken: its partitions end at byte {end}, the file at {size}")
    return found


def part_sum(disk: Path, start: int, size: int) -> str:
    digest = hashlib.sha256()
    with disk.open("rb") as file:
        file.seek(start)
        while size and (chunk := file.read(min(size, CHUNK))):
            digest.update(chunk)
            size -= len(chunk)
    return digest.hexdigest()


def files_of(disk: Path, start: int, to: Path) -> Entries:
    """The files of a partition; none where it is neither ext4 nor FAT."""
    extract(disk, start, "/", to)
    found: dict[str, object] = {}
    for path in sorted(to.rglob("*")):
        about = path.lstat()
        if path.is_symlink():
            # debugfs gives the link that it makes the time of now.
            found[str(path.relative_to(to))] = f"link to {path.readlink()}"
            continue
        content = sha256(path)[:12] if path.is_file() else ""
        found[str(path.relative_to(to))] = f"{stat.filemode(about.st_mode)} {about.st_mtime:.0f} {content}"
    return found


def extract(disk: Path, start: int, name: str, to: Path) -> None:
    """Copy a folder of a partition to a new one, with times and modes; nothing where it is neither ext4 nor FAT."""
    to.mkdir()
    with disk.open("rb") as file:
        file.seek(start)
        head = file.read(0x43A)
    if head[0x438:] == EXT_MAGIC:
        command = ["/usr/sbin/debugfs", "-R", f"rdump {name} {to}", f"{disk}?offset={start}"]
    elif b"FAT" in head[54:90]:
        command = ["/usr/bin/mcopy", "-s", "-m", "-n", "-i", f"{disk}@@{start}", f"::{name}", str(to)]
    else:
        return
    done = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if not any(to.iterdir()):
        sys.exit(f"{disk}: cannot be read: {done.stderr.strip()}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
