"""Makes small fonts: each letter that they have is a filled box, which no other font draws."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

LATIN = "".join(map(chr, range(0x20, 0x7F)))
ARABIC = "".join(map(chr, range(0x621, 0x64B)))
UNITS, BOX = 1000, 700
"""Of an em; the side of each box, from the baseline up."""


def font_file(
    letters: Iterable[str] = LATIN, *, family: str = "Test Boxes", weight: int = 400, **tables: bytes | None
) -> bytes:
    """Returns a TrueType font of a box for each letter but the blank. `tables` replaces some, or leaves out None."""
    codes = sorted({ord(letter) for letter in letters})
    made: dict[bytes, bytes] = {
        b"OS/2": _os2(weight, codes),
        b"cmap": _cmap(codes),
        b"glyf": 2 * _box(),
        b"head": struct.pack(
            ">IIIIHHqqhhhhHHhhh", 0x10000, 0x10000, 0, 0x5F0F3CF5, 3, UNITS, 0, 0, 50, 0, 50 + BOX, BOX, 0, 8, 2, 1, 0
        ),
        b"hhea": struct.pack(">IhhhHhhhhhhhhhhhH", 0x10000, 900, -200, 0, 800, 0, 0, 750, 1, *[0] * 7, 3),
        b"hmtx": struct.pack(">HhHhHh", 800, 50, 400, 0, 800, 50),
        b"loca": struct.pack(">IIII", 0, len(_box()), len(_box()), 2 * len(_box())),
        b"maxp": struct.pack(">IHHHHHHHHHHHHHH", 0x10000, 3, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        b"name": _names({1: family, 2: "Regular", 4: family, 6: family.replace(" ", "")}),
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
    }
    for tag, table in tables.items():
        key = tag.encode().ljust(4)
        made.pop(key, None)
        if table is not None:
            made[key] = table
    return sfnt(made)


def sfnt(tables: Mapping[bytes, bytes], kind: bytes = b"\0\1\0\0") -> bytes:
    """Returns a file of these tables."""
    at, records, bodies = 12 + 16 * len(tables), b"", b""
    for tag, table in sorted(tables.items()):
        records += struct.pack(">4sIII", tag, 0, at + len(bodies), len(table))
        bodies += table + bytes(-len(table) % 4)
    return kind + struct.pack(">HHHH", len(tables), 0, 0, 0) + records + bodies


def _box() -> bytes:
    low, high = 50, 50 + BOX
    head = struct.pack(">hhhhh", 1, low, 0, high, BOX)
    points = struct.pack(">HH4B", 3, 0, 1, 1, 1, 1)
    steps = struct.pack(">4h4h", low, 0, BOX, 0, 0, BOX, 0, -BOX)
    return (head + points + steps).ljust(36, b"\0")


def _cmap(codes: list[int]) -> bytes:
    """A map of form 4, a segment for each character: glyph 2 is the box, 1 the blank."""
    ends = [*codes, 0xFFFF]
    deltas = [((1 if code == 0x20 else 2) - code) & 0xFFFF for code in codes] + [1]
    count = len(ends)
    power = count.bit_length() - 1
    search = 2 << power
    body = struct.pack(">HHHH", 2 * count, search, power, 2 * count - search)
    body += struct.pack(f">{count}H", *ends) + b"\0\0" + struct.pack(f">{count}H", *ends)
    body += struct.pack(f">{count}H", *deltas) + bytes(2 * count)
    return struct.pack(">HHHHI", 0, 1, 3, 1, 12) + struct.pack(">HHH", 4, 6 + len(body), 0) + body


def _os2(weight: int, codes: list[int]) -> bytes:
    arabic = any(0x600 <= code < 0x700 for code in codes)
    ranges = (1 | (1 << 13 if arabic else 0), 0, 0, 0)
    head = struct.pack(">HhHHH", 4, 700, weight, 5, 0) + bytes(20) + struct.pack(">h", 0) + bytes(10)
    head += struct.pack(">4I4sHHH", *ranges, b"TEST", 0x40, codes[0], codes[-1])
    head += struct.pack(">hhhHHII", 900, -200, 0, 900, 200, 1 | (1 << 6 if arabic else 0), 0)
    return head + struct.pack(">hhHHH", 500, 700, 0, 0x20, 1)


def _names(texts: Mapping[int, str]) -> bytes:
    records, letters = b"", b""
    for name, text in texts.items():
        written = text.encode("utf-16-be")
        records += struct.pack(">HHHHHH", 3, 1, 0x409, name, len(written), len(letters))
        letters += written
    return struct.pack(">HHH", 0, len(texts), 6 + len(records)) + records + letters
