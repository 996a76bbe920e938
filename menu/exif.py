"""Reads the EXIF orientation of a picture's file: invalid data counts as upright."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Protocol

MOST_CHUNKS = 10_000
"""Parts of a file in which the note is looked for. A PNG of 25 MiB with chunks of the usual 8 KiB has 3,200."""
MOST_EXIF_BYTES = 64 * 1024
MOST_ENTRIES = 500
"""Entries of the first directory of EXIF; cameras write a dozen."""
_ORIENTATION, _SHORT, _MOST = 0x0112, 3, 8
_OF_JPEG, _HEADER = b"\xff\xe1", b"Exif\0\0"


class File(Protocol):
    """A file that is open for reading bytes."""

    def read(self, size: int, /) -> bytes | None: ...

    def seek(self, offset: int, /) -> int: ...


def orientation(file: File, form: str) -> int:
    """Reads EXIF's orientation, from 1 (upright) to 8, of a `jpeg`, `png` or `webp` file; 1 if there is none."""
    for name, size in _chunks(file, form):
        if name in (_OF_JPEG, b"eXIf", b"EXIF"):
            exif = file.read(min(size, MOST_EXIF_BYTES)) or b""
            if name != _OF_JPEG or exif.startswith(_HEADER):
                return _orientation_in(exif.removeprefix(_HEADER))
    return 1


FORMS: Mapping[str, tuple[int, int]] = {"jpeg": (2, 4), "png": (8, 8), "webp": (12, 8)}
"""The forms of files that it reads: where the first chunk begins, and the bytes of a chunk's head."""


def _chunks(file: File, form: str) -> Iterator[tuple[bytes, int]]:
    """Yields name and size of each chunk, or of each segment before the pixels; the file stands where its bytes
    begin."""
    at, length = FORMS[form]
    for _ in range(MOST_CHUNKS):
        file.seek(at)
        head = file.read(length) or b""
        if len(head) < length:
            return
        match form:
            case "png":
                size, after = int.from_bytes(head[:4], "big"), 4
                yield head[4:], size
            case "webp":
                size = int.from_bytes(head[4:], "little")
                after = size % 2
                yield head[:4], size
            case _:
                if head[0] != 0xFF or head[1] == 0xDA:
                    return
                size, after = max(0, int.from_bytes(head[2:], "big") - 2), 0
                yield head[:2], size
        at += length + size + after


def _orientation_in(exif: bytes) -> int:
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(exif[:4])
    if order is None:
        return 1
    try:
        (at,) = struct.unpack_from(f"{order}L", exif, 4)
        (entries,) = struct.unpack_from(f"{order}H", exif, at)
        for number in range(min(entries, MOST_ENTRIES)):
            tag, kind, count, value = struct.unpack_from(f"{order}HHLH", exif, at + 2 + 12 * number)
            if (tag, kind, count) == (_ORIENTATION, _SHORT, 1):
                return int(value) if 1 <= value <= _MOST else 1
    except struct.error:
        pass
    return 1
