"""Font files: what they are and which scripts they have; a damaged one is refused with the reason."""

from __future__ import annotations

import random
import struct
from contextlib import suppress
from pathlib import Path

import pytest

from menu.fonts import MAX_FAMILY, MAX_FONT_BYTES, MAX_TABLES, FontError, lacks, read_font, renamed, scripts_in
from tests.support.fonts import ARABIC, LATIN, font_file, sfnt

INTER = Path("/usr/share/fonts/opentype/inter/Inter-Bold.otf")


def test_family_weight_and_scripts_are_read() -> None:
    font = read_font(font_file(LATIN + ARABIC, family="Brand Sans", weight=700))
    assert (font.media_type, font.family, font.weights) == ("font/ttf", "Brand Sans", (700, 700))
    assert font.scripts == ("Latn", "Arab")
    assert read_font(font_file()).scripts == ("Latn",)


@pytest.mark.skipif(not INTER.exists(), reason="the player's fonts are not installed")
def test_a_font_of_a_foundry_is_read() -> None:
    font = read_font(INTER.read_bytes())
    assert (font.media_type, font.family, font.weights) == ("font/otf", "Inter", (700, 700))
    assert font.scripts == ("Latn", "Grek", "Cyrl")
    assert read_font(renamed(INTER.read_bytes(), "Another")).family == "Another"


def test_a_renamed_font_has_its_letters_and_no_programs() -> None:
    content = font_file(LATIN + ARABIC, fpgm=b"\xb0\x01", prep=b"\xb0\x01")
    font = read_font(renamed(content, "sha256:00"))
    assert (font.family, font.scripts) == ("sha256:00", ("Latn", "Arab"))
    assert b"fpgm" not in renamed(content, "x")
    assert b"prep" not in renamed(content, "x")


def test_a_long_name_is_cut() -> None:
    assert read_font(font_file(family="N" * 300)).family == "N" * MAX_FAMILY


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no TTF or OTF"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "no TTF or OTF"),
        (b"ttcf" + bytes(100), "collection"),
        (b"wOFF" + bytes(100), "WOFF"),
        (b"wOF2" + bytes(100), "WOFF2"),
        (b"\0\1\0\0" + bytes(2), "directory"),
        (b"\0\1\0\0" + struct.pack(">HHHH", MAX_TABLES + 1, 0, 0, 0) + bytes(16 * (MAX_TABLES + 1)), "directory"),
        (font_file()[:-40], "cut off"),
        (font_file(cmap=None), "cmap"),
        (font_file(glyf=None), "outlines"),
        (font_file(cmap=b"\0\0\0\1"), "cut off"),
        (font_file(cmap=struct.pack(">HHHHI", 0, 1, 1, 0, 12) + bytes(20)), "Unicode"),
        (font_file(head=bytes(54)), "head"),
        (font_file(hmtx=bytes(2)), "cut off"),
        (font_file(name=struct.pack(">HHH", 0, 0, 6)), "name"),
        (font_file(DSIG=bytes(MAX_FONT_BYTES)), f"more than {MAX_FONT_BYTES}"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_font_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(FontError, match=why):
        read_font(content)


def test_the_same_table_twice_is_refused() -> None:
    content = bytearray(sfnt({b"aaaa": b"", b"bbbb": b""}))
    content[28:32] = b"aaaa"
    with pytest.raises(FontError, match="directory"):
        read_font(bytes(content))


def test_damaged_bytes_are_read_or_refused() -> None:
    dice, whole = random.Random(7), font_file()
    for _ in range(3_000):
        content = bytearray(whole)
        for _ in range(dice.randint(1, 8)):
            content[dice.randrange(len(content))] = dice.randrange(256)
        for read in (read_font, lambda some: renamed(some, "x")):
            with suppress(FontError):
                assert read(bytes(content))


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("Flat white 3,50 €", {"Latn"}),
        ("Café Ελλάδα", {"Latn", "Grek"}),
        ("شاورما", {"Arab"}),
        ("ラーメン 大", {"Jpan", "Hani"}),
        ("12:30 · 4 €", set()),
    ],
)
def test_the_scripts_of_a_text(text: str, scripts: set[str]) -> None:
    assert scripts_in(text) == scripts


def test_lacking_scripts() -> None:
    assert lacks(["Latn"], "Arab")
    assert not lacks(["Latn", "Arab"], "Arab")
    assert lacks(["Latn"], "Hani")
    assert not lacks(["Jpan"], "Hani")
    assert not lacks(["Latn"], "Ethi"), "a script that is not known here is not judged"
