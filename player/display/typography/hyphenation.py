"""Says where words may be hyphenated, by the patterns that Debian's packages hyphen-* install (F. M. Liang's algorithm,
as TeX and LibreOffice use it). Without a language's package its words are not hyphenated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

FOLDER = Path("/usr/share/hyphen")
LANGUAGES_CACHED, WORDS_CACHED = 4, 1024
LEAST_BEFORE, LEAST_AFTER = 3, 3
"""Letters of a word before a hyphen and after it."""

_WORD = re.compile(r"[^\W\d_]{6,}")
_DIGITS = str.maketrans("", "", "0123456789")
_LOCALE = re.compile(r"[a-z]{2,3}([-_][A-Za-z]{4})?([-_][A-Za-z]{2})?")

Patterns = Mapping[str, tuple[int, ...]]
"""Letters, and how strongly each place before, between and after them is for a hyphen (odd) or against it (even)."""


@lru_cache(WORDS_CACHED)
def hyphen_points(text: str, locale: str) -> tuple[int, ...]:
    """The places in the text before which a hyphen may stand, in words of the locale's language."""
    if not (patterns := _patterns(locale)):
        return ()
    return tuple(
        match.start() + at
        for match in _WORD.finditer(text)
        if len(word := match.group().lower()) == match.end() - match.start()
        for at in _points(word, patterns)
    )


def _points(word: str, patterns: Patterns) -> list[int]:
    """The places where a word in small letters may break."""
    marked = f".{word}."
    strengths = [0] * (len(marked) + 1)
    longest = max(map(len, patterns))
    for start in range(len(marked)):
        for end in range(start + 1, min(len(marked), start + longest) + 1):
            for at, strength in enumerate(patterns.get(marked[start:end], ())):
                strengths[start + at] = max(strengths[start + at], strength)
    return [at for at in range(LEAST_BEFORE, len(word) - LEAST_AFTER + 1) if strengths[at + 1] % 2]


@lru_cache(LANGUAGES_CACHED)
def _patterns(locale: str) -> Patterns:
    for path in _files(locale):
        try:
            encoding, _, lines = path.read_bytes().partition(b"\n")
            return read_patterns(lines.decode(encoding.decode("ascii", "replace").strip(), "replace"))
        except (OSError, LookupError):
            continue
    return {}


def _files(locale: str) -> list[Path]:
    """The locale's own patterns, its language's, those of the language elsewhere."""
    if not _LOCALE.fullmatch(locale):
        return []
    language = re.split("[-_]", locale)[0]
    named = [FOLDER / f"hyph_{locale.replace('-', '_')}.dic", FOLDER / f"hyph_{language}.dic"]
    return [*named, *sorted(FOLDER.glob(f"hyph_{language}_*.dic"))]


def read_patterns(text: str) -> Patterns:
    """The patterns of a file, without its first line. Where it has two levels, the first lists compounds, which the
    second finds too."""
    found: dict[str, tuple[int, ...]] = {}
    for line in text.rpartition("NEXTLEVEL")[2].split("\n"):
        pattern = line.strip()
        # Capitals begin settings; a slash is a spelling that changes at the hyphen.
        if not pattern or pattern[0] in "#%" or "A" <= pattern[0] <= "Z" or "/" in pattern:
            continue
        letters = pattern.translate(_DIGITS)
        strengths = [0] * (len(letters) + 1)
        at = 0
        for letter in pattern:
            if letter in "0123456789":
                strengths[at] = int(letter)
            else:
                at += 1
        found[letters] = tuple(strengths)
    return found
