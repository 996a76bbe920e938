"""Reads font files (TrueType and OpenType): their family, weights and scripts; pure. The bytes are untrusted."""

from __future__ import annotations

import struct
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

MAX_FONT_BYTES = 5 * 1024 * 1024
"""A family with Latin, Greek and Cyrillic takes less than 1 MB; one with all of Chinese takes more than this."""
MAX_TABLES = 64
MAX_FAMILY = 100
FONT_TYPES = {b"\0\1\0\0": "font/ttf", b"true": "font/ttf", b"OTTO": "font/otf"}
"""Media types by the first four bytes."""

_OTHERS = {
    b"ttcf": "it is a collection of several fonts: upload one of them as TTF or OTF",
    b"wOFF": "it is a font for web pages (WOFF): upload the same one as TTF or OTF",
    b"wOF2": "it is a font for web pages (WOFF2): upload the same one as TTF or OTF",
}
_NEEDED = (b"cmap", b"head", b"hhea", b"hmtx", b"maxp", b"name", b"OS/2")
_OUTLINES = ((b"glyf", b"loca"), (b"CFF ",), (b"CFF2",))
_VARIATIONS = (b"fvar", b"gvar", b"avar", b"HVAR", b"MVAR", b"STAT")
_LAYOUT = (b"post", b"GDEF", b"GSUB", b"GPOS", b"BASE", b"kern", b"vhea", b"vmtx", b"VORG", b"COLR", b"CPAL")
_KEPT = frozenset((*_NEEDED, *(tag for tags in _OUTLINES for tag in tags), *_LAYOUT, *_VARIATIONS))
"""Tables that drawing needs: no programs for hinting, no pictures."""
_MAGIC = 0x5F0F3CF5
_FAMILY, _TYPOGRAPHIC_FAMILY = 1, 16
_WINDOWS, _MAC, _ENGLISH = 3, 1, 0x409
_UNICODE_MAPS = ((3, 10), (0, 6), (0, 4), (3, 1), (0, 3), (0, 2), (0, 1), (0, 0))
"""Platform and encoding of maps from Unicode, the largest first."""

SCRIPT_LETTERS: Mapping[str, str] = {
    "Latn": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "Grek": "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυφχψωά",
    "Cyrl": "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЭЮЯабвгдежзийклмнопрстуфхцчшщьэюя",
    "Arab": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "Hebr": "אבגדהוזחטיכלמנסעפצקרשת",
    "Thai": "กขคงจฉชซญณดตถทนบปผฝพฟมยรลวสหอ",
    "Deva": "अआइईउऊएओकखगघचछजटठडढणतथदधनपफबभमयरलवशसह",
    "Jpan": "あいうえおかきくけこアイウエオカキクケコ日本人大小中",
    "Kore": "가나다라마바사아자차카타파하",
    "Hans": "的一是不了人我在有他这中大来上国",
    "Hant": "的一是不了人我在有他這中大來上國",
}
"""Letters by which a font has a script (ISO 15924): all of them."""
_BLOCKS: tuple[tuple[int, int, str], ...] = (
    (0x0041, 0x024F, "Latn"),
    (0x0370, 0x03FF, "Grek"),
    (0x0400, 0x052F, "Cyrl"),
    (0x0590, 0x05FF, "Hebr"),
    (0x0600, 0x06FF, "Arab"),
    (0x0750, 0x077F, "Arab"),
    (0x0900, 0x097F, "Deva"),
    (0x0E00, 0x0E7F, "Thai"),
    (0x1E00, 0x1EFF, "Latn"),
    (0x1F00, 0x1FFF, "Grek"),
    (0x3040, 0x30FF, "Jpan"),
    (0x3400, 0x4DBF, "Hani"),
    (0x4E00, 0x9FFF, "Hani"),
    (0xAC00, 0xD7AF, "Kore"),
)
HAN_SCRIPTS = frozenset({"Jpan", "Hans", "Hant"})
"""Scripts of which each has Han characters (`Hani`)."""


class FontError(Exception):
    """A file that is no font which boards can draw with; its argument says why."""


class Font(Struct, frozen=True, kw_only=True):
    """A font: `weights` are the least and the largest, from 1 to 1000; `scripts` those that it has (ISO 15924)."""

    media_type: str
    family: str
    weights: tuple[int, int]
    scripts: tuple[str, ...]


def is_font(head: bytes) -> bool:
    """True if the first bytes are those of a font, of a kind that is drawn or not."""
    return head[:4] in FONT_TYPES or head[:4] in _OTHERS


def read_font(content: bytes) -> Font:
    """Reads the facts of a font. Raises FontError."""
    tables = _tables(content)
    try:
        _check(tables)
        has = _characters(tables[b"cmap"])
        found = (name for name, letters in SCRIPT_LETTERS.items() if all(has(ord(letter)) for letter in letters))
        return Font(
            media_type=FONT_TYPES[content[:4]],
            family=_family(tables[b"name"]),
            weights=_weights(tables),
            scripts=tuple(found),
        )
    except (struct.error, IndexError):
        raise FontError("one of its tables is cut off") from None


def renamed(content: bytes, family: str) -> bytes:
    """Returns the font under another name, with the tables that drawing needs. Raises FontError."""
    tables = _tables(content)
    try:
        _check(tables)
    except (struct.error, IndexError):
        raise FontError("one of its tables is cut off") from None
    kept = {tag: table for tag, table in tables.items() if tag in _KEPT} | {b"name": _name_table(family)}
    at = 12 + 16 * len(kept)
    records, bodies = bytearray(), bytearray()
    for tag, table in sorted(kept.items()):
        records += struct.pack(">4sIII", tag, 0, at + len(bodies), len(table))
        bodies += bytes(table) + bytes(-len(table) % 4)
    power = len(kept).bit_length() - 1
    head = struct.pack(">4sHHHH", content[:4], len(kept), 16 << power, power, 16 * len(kept) - (16 << power))
    return head + bytes(records) + bytes(bodies)


def scripts_in(text: str) -> frozenset[str]:
    """Returns the scripts of the letters of a text (ISO 15924): `Hani` for Han characters, of whatever language."""
    codes = {ord(letter) for letter in text if unicodedata.category(letter)[0] in "LM"}
    return frozenset(script for code in codes for low, high, script in _BLOCKS if low <= code <= high)


def lacks(scripts: Iterable[str], wanted: str) -> bool:
    """True if a font with these scripts lacks the wanted one, which is one of those in `SCRIPT_LETTERS` or `Hani`."""
    if wanted == "Hani":
        return HAN_SCRIPTS.isdisjoint(scripts)
    return wanted in SCRIPT_LETTERS and wanted not in set(scripts)


def _tables(content: bytes) -> dict[bytes, memoryview]:
    kind = content[:4]
    if kind not in FONT_TYPES:
        raise FontError(_OTHERS.get(kind, "it is no TTF or OTF"))
    if len(content) > MAX_FONT_BYTES:
        raise FontError(f"it has more than {MAX_FONT_BYTES} bytes")
    count = int.from_bytes(content[4:6], "big")
    if not 0 < count <= MAX_TABLES or len(content) < 12 + 16 * count:
        raise FontError("its directory of tables is damaged")
    whole, found = memoryview(content), dict[bytes, memoryview]()
    for number in range(count):
        tag, _, offset, length = struct.unpack_from(">4sIII", content, 12 + 16 * number)
        if offset + length > len(content):
            raise FontError("it is cut off")
        if tag in found:
            raise FontError("its directory of tables is damaged")
        found[tag] = whole[offset : offset + length]
    return found


def _check(tables: Mapping[bytes, memoryview]) -> None:
    lacking = [tag.decode() for tag in _NEEDED if tag not in tables]
    if lacking:
        raise FontError(f"it lacks the tables {', '.join(lacking)}")
    if not any(all(tag in tables for tag in tags) for tags in _OUTLINES):
        raise FontError("it has no outlines, only pictures of letters")
    (magic,) = struct.unpack_from(">I", tables[b"head"], 12)
    (units,) = struct.unpack_from(">H", tables[b"head"], 18)
    (glyphs,) = struct.unpack_from(">H", tables[b"maxp"], 4)
    (metrics,) = struct.unpack_from(">H", tables[b"hhea"], 34)
    if magic != _MAGIC or not 16 <= units <= 16384 or not glyphs or not 0 < metrics <= glyphs:
        raise FontError("its head is damaged")
    if len(tables[b"hmtx"]) < 4 * metrics + 2 * (glyphs - metrics):
        raise FontError("one of its tables is cut off")


def _family(table: memoryview) -> str:
    _, count, texts = struct.unpack_from(">HHH", table)
    found = dict[tuple[bool, bool, bool], str]()
    for number in range(count):
        platform, _, language, name, length, offset = struct.unpack_from(">HHHHHH", table, 6 + 12 * number)
        if name in (_FAMILY, _TYPOGRAPHIC_FAMILY) and platform in (_WINDOWS, _MAC, 0):
            raw = bytes(table[texts + offset : texts + offset + length])
            text = raw.decode("mac_roman" if platform == _MAC else "utf-16-be", "replace")
            text = " ".join("".join(letter for letter in text if letter.isprintable()).split())
            if text:
                found.setdefault((name != _TYPOGRAPHIC_FAMILY, language != _ENGLISH, platform != _WINDOWS), text)
    if not found:
        raise FontError("it has no name")
    return found[min(found)][:MAX_FAMILY]


def _weights(tables: Mapping[bytes, memoryview]) -> tuple[int, int]:
    """Returns the weights of a variable font's axis, or else the one of the font."""
    if (table := tables.get(b"fvar")) is not None:
        offset, _, axes, size = struct.unpack_from(">HHHH", table, 4)
        for number in range(axes):
            tag, least, _, most = struct.unpack_from(">4siii", table, offset + number * size)
            if tag == b"wght":
                return _weight(least >> 16), _weight(most >> 16)
    weight = _weight(struct.unpack_from(">H", tables[b"OS/2"], 4)[0])
    return weight, weight


def _weight(value: int) -> int:
    return max(1, min(1000, value))


def _characters(table: memoryview) -> Callable[[int], bool]:
    """Returns the function that says whether the font has a glyph of its own for a character."""
    _, count = struct.unpack_from(">HH", table)
    maps = dict[tuple[int, int], int]()
    for number in range(count):
        platform, encoding, offset = struct.unpack_from(">HHI", table, 4 + 8 * number)
        maps[platform, encoding] = offset
    for kind in _UNICODE_MAPS:
        if kind in maps:
            chosen = table[maps[kind] :]
            form = int.from_bytes(chosen[:2], "big")
            if form == 4:
                return _segments(chosen)
            if form == 12:
                return _groups(chosen)
    raise FontError("it has no map of characters in Unicode")


def _segments(table: memoryview) -> Callable[[int], bool]:
    half = int.from_bytes(table[6:8], "big") // 2
    ends = struct.unpack_from(f">{half}H", table, 14)
    starts = struct.unpack_from(f">{half}H", table, 16 + 2 * half)
    deltas = struct.unpack_from(f">{half}H", table, 16 + 4 * half)
    offsets_at = 16 + 6 * half
    offsets = struct.unpack_from(f">{half}H", table, offsets_at)

    def has(code: int) -> bool:
        at = bisect_left(ends, code)
        if at == half or code < starts[at]:
            return False
        if not offsets[at]:
            return bool((code + deltas[at]) & 0xFFFF)
        place = offsets_at + 2 * at + offsets[at] + 2 * (code - starts[at])
        return bool(int.from_bytes(table[place : place + 2], "big"))

    return has


def _groups(table: memoryview) -> Callable[[int], bool]:
    (count,) = struct.unpack_from(">I", table, 12)
    if count > len(table) // 12:
        raise FontError("one of its tables is cut off")
    groups = [struct.unpack_from(">III", table, 16 + 12 * number) for number in range(count)]
    ends = [end for _, end, _ in groups]

    def has(code: int) -> bool:
        at = bisect_left(ends, code)
        if at == count or code < groups[at][0]:
            return False
        start, _, glyph = groups[at]
        return bool(glyph + code - start)

    return has


def _name_table(family: str) -> bytes:
    texts = {1: family, 2: "Regular", 4: family, 6: family.replace(" ", "")}
    records, letters = bytearray(), bytearray()
    for name, text in texts.items():
        written = text.encode("utf-16-be")
        records += struct.pack(">HHHHHH", _WINDOWS, 1, _ENGLISH, name, len(written), len(letters))
        letters += written
    return struct.pack(">HHH", 0, len(texts), 6 + len(records)) + bytes(records) + bytes(letters)
