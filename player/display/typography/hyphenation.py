"""Finds places where words may be hyphenated, by the patterns that Debian's packages hyphen-* install (F. M. Liang's
algorithm, as TeX and LibreOffice use it). Without a language's package its words are not hyphenated. Compounds break at
their joints first, where the package lists words of the language, as German's does."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from zlib import crc32

from msgspec import Struct

FOLDER = Path("/usr/share/hyphen")
LANGUAGES_CACHED, WORDS_CACHED = 4, 1024
LEAST_BEFORE, LEAST_AFTER = 3, 3
"""Letters of a word before a hyphen and after it."""
FAR = 4
"""Places with so many letters on both sides are better."""
SHORT_WORD, LEAST_UNKNOWN, LONGEST_PIECE = 4, 5, 24
"""Letters of pieces of compounds: of the shortest known ones, of the shortest others, and of the longest."""

_WORD = re.compile(r"[^\W\d_]{6,}")
_DIGITS = str.maketrans("", "", "0123456789")
_LOCALE = re.compile(r"[a-z]{2,3}([-_][A-Za-z]{4})?([-_][A-Za-z]{2})?")

Patterns = Mapping[str, tuple[int, ...]]
"""Letters, and how strongly each place before, between and after them is for a hyphen (odd) or against it (even)."""


class Language(Struct, frozen=True, kw_only=True):
    """Patterns of a language, and the check sums, in order, of words of which it makes compounds."""

    patterns: Patterns
    words: Sequence[int]

    def knows(self, piece: str) -> bool:
        at = bisect_left(self.words, key := crc32(piece.encode()))
        return len(piece) >= SHORT_WORD and at < len(self.words) and self.words[at] == key


def hyphen_points(text: str, locale: str) -> tuple[int, ...]:
    """Returns the places in the text before which a hyphen may stand, in words of the locale's language: joints of
    compounds first, then those far from both ends, and of equal ones the last."""
    return tuple(at for _, _, at in _ranked_points(text, locale))


def best_points(text: str, locale: str) -> tuple[int, ...]:
    """Returns the best of these places: all that are equal."""
    ranked = _ranked_points(text, locale)
    return tuple(point[2] for point in ranked if point[:2] == ranked[0][:2])


@lru_cache(WORDS_CACHED)
def _ranked_points(text: str, locale: str) -> list[tuple[bool, bool, int]]:
    """Returns whether a place is a joint and is far from both ends, with the place; the best first."""
    if not (language := _language(locale)).patterns:
        return []
    found: list[tuple[bool, bool, int]] = []
    for match in _WORD.finditer(text):
        if len(word := match.group().lower()) == match.end() - match.start():
            points = _points(word, language.patterns)
            joints = _joints(word, points, language)
            far = range(FAR, len(word) - FAR + 1)
            found += ((at in joints, at in far, match.start() + at) for at in {*points, *joints})
    return sorted(found, reverse=True)


def _joints(word: str, points: Collection[int], language: Language) -> tuple[int, ...]:
    """Returns the places between the pieces of a compound: as few letters as possible are in unknown pieces, which end
    where a hyphen may stand, and the pieces are as few as possible."""
    ends = {0, *points, len(word)}
    best: dict[int, tuple[int, int, tuple[int, ...]]] = {0: (0, 0, ())}
    for end in range(SHORT_WORD, len(word) + 1):
        found = []
        for start in range(max(0, end - LONGEST_PIECE), end - SHORT_WORD + 1):
            if start not in best:
                continue
            unknown, pieces, joints = best[start]
            length = end - start
            if length < len(word) and language.knows(word[start:end]):
                found.append((unknown, pieces + 1, (*joints, end)))
            elif length >= LEAST_UNKNOWN and start in ends and end in ends:
                found.append((unknown + length, pieces + 1, (*joints, end)))
        if found:
            best[end] = min(found)
    return best[len(word)][2][:-1] if language.words and len(word) in best else ()


def _points(word: str, patterns: Patterns) -> list[int]:
    """Returns the places where a lowercase word may break."""
    marked = f".{word}."
    strengths = [0] * (len(marked) + 1)
    longest = max(map(len, patterns))
    for start in range(len(marked)):
        for end in range(start + 1, min(len(marked), start + longest) + 1):
            for at, strength in enumerate(patterns.get(marked[start:end], ())):
                strengths[start + at] = max(strengths[start + at], strength)
    return [at for at in range(LEAST_BEFORE, len(word) - LEAST_AFTER + 1) if strengths[at + 1] % 2]


def _language(locale: str) -> Language:
    for path in _files(locale):
        try:
            return _read(path)
        except (OSError, LookupError):
            continue
    return Language(patterns={}, words=())


@lru_cache(LANGUAGES_CACHED)
def _read(path: Path) -> Language:
    encoding, _, lines = path.read_bytes().partition(b"\n")
    text = lines.decode(encoding.decode("ascii", "replace").strip(), "replace")
    return Language(patterns=read_patterns(text), words=read_words(text))


def _files(locale: str) -> list[Path]:
    """Returns the locale's own patterns, its language's, and the language's of other regions."""
    if not _LOCALE.fullmatch(locale):
        return []
    language = re.split("[-_]", locale)[0]
    named = [FOLDER / f"hyph_{locale.replace('-', '_')}.dic", FOLDER / f"hyph_{language}.dic"]
    return [*named, *sorted(FOLDER.glob(f"hyph_{language}_*.dic"))]


def read_patterns(text: str) -> Patterns:
    """Parses the patterns of a file, without its first line. Where it has two levels, the first lists compounds, which
    the second finds too."""
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


def read_words(text: str) -> Sequence[int]:
    """Returns check sums of the words in a file's first level, which lists compounds with a digit at each joint."""
    first = text.rpartition("NEXTLEVEL")[0]
    words = set(re.findall(rf"[^0-9\n]{{{SHORT_WORD + 1},}}", first))
    words.update(line for line in first.split("\n") if len(line) == SHORT_WORD)
    return array("I", sorted(crc32(word.encode()) for word in words))
